package import BankModel

/// A request in parts, before it is encoded, so that one part can be left out or replaced.
package struct RequestDraft: Sendable {
    /// The location of a value in a request.
    package enum Location: Sendable, Hashable {
        case path(String)
        case query(String)
        case header(String)
        case form(String)
        /// A dotted path into the JSON body; empty for the whole.
        case body(String)
        /// The whole query as sent.
        case rawQuery
        /// The whole body as text.
        case text
    }

    /// A value, with its name if it is different each time, such as `token` or `accounts`.
    package struct Value: Sendable, Hashable {
        package var json: JSON
        package var name: String?
        /// The text before the value: `Bearer `.
        package var prefix: String

        package init(_ json: JSON, name: String? = nil, prefix: String = "") {
            self.json = json
            self.name = name
            self.prefix = prefix
        }
    }

    package var method: String
    package var path: PathTemplate
    /// In the order in which they are written.
    package private(set) var values: [(location: Location, value: Value)] = []
    package var form: Operation.BodyRule.Form?

    package init(method: String, path: PathTemplate) {
        self.method = method
        self.path = path
    }

    /// The value at a location. Setting preserves the order of an existing one; nil removes it.
    package subscript(_ location: Location) -> Value? {
        get { values.first { $0.location == location }?.value }
        set {
            let index = values.firstIndex { $0.location == location }
            switch (index, newValue) {
            case (let index?, let value?): values[index].value = value
            case (let index?, nil): values.remove(at: index)
            case (nil, let value?): values.append((location, value))
            case (nil, nil): break
            }
        }
    }

    // MARK: writing

    /// The request, with its named values replaced by known ones.
    package func request(_ known: JSONObject = JSONObject()) -> BankRequest {
        let body = bodyBytes(known)
        var headers = values.compactMap { location, value -> JournalEntry.Header? in
            guard case .header(let name) = location else { return nil }
            return JournalEntry.Header(name, text(value, known))
        }
        if let contentType { headers.append(JournalEntry.Header("Content-Type", contentType)) }
        return BankRequest(method, pathText { percentEncoded(text($0, known)) }, query: query(known), headers: headers, body: body)
    }

    /// The body's type; nil without a body.
    package var contentType: String? {
        let hasText = values.contains { $0.location == .text }
        if hasText { return "text/plain" }
        return switch form {
        case .form: "application/x-www-form-urlencoded"
        case .json: "application/json"
        case nil: nil
        }
    }

    /// The path with its parameters written by `write`.
    package func pathText(_ write: (Value) -> String) -> String {
        let pieces = path.parts.map { part -> String in
            switch part {
            case .literal(let text): text
            case .parameter(let name), .rest(let name): self[.path(name)].map(write) ?? "x"
            case .parameterWithSuffix(let name, let suffix): (self[.path(name)].map(write) ?? "x") + suffix
            }
        }
        return "/" + pieces.joined(separator: "/")
    }

    /// The JSON body; nil if there is none. Members are sorted by name, as most tools write them: a key may protect the
    /// body's very bytes.
    package func json(_ known: JSONObject = JSONObject()) -> JSON? {
        guard form == .json else { return nil }
        if let whole = self[.body("")] { return whole.json }
        var object = JSONObject()
        for (location, value) in values {
            if case .body(let path) = location { object.set(json(value, known), at: path) }
        }
        return JSON.object(object).sorted
    }

    /// The fields of the query or of a form, in order, as texts.
    package func fields(ofForm isForm: Bool, _ known: JSONObject = JSONObject()) -> [(name: String, text: String, value: Value)] {
        values.compactMap { location, value -> (name: String, text: String, value: Value)? in
            switch location {
            case .query(let name) where !isForm: return (name, text(value, known), value)
            case .form(let name) where isForm: return (name, text(value, known), value)
            default: return nil
            }
        }
    }

    private func bodyBytes(_ known: JSONObject) -> [UInt8] {
        if let whole = self[.text] { return Array(text(whole, known).utf8) }
        switch form {
        case .json: return json(known)?.bytes ?? []
        case .form: return Array(encoded(fields(ofForm: true, known)).utf8)
        case nil: return []
        }
    }

    private func query(_ known: JSONObject) -> String? {
        if let raw = self[.rawQuery] { return text(raw, known) }
        let fields = fields(ofForm: false, known)
        return fields.isEmpty ? nil : encoded(fields)
    }

    private func encoded(_ fields: [(name: String, text: String, value: Value)]) -> String {
        formEncoded(fields.map { ($0.name, $0.text) })
    }

    private func json(_ value: Value, _ known: JSONObject) -> JSON { value.name.flatMap { known[$0] } ?? value.json }

    private func text(_ value: Value, _ known: JSONObject) -> String { value.prefix + json(value, known).plainText }
}

extension JSON {
    /// The value with the members of all objects sorted by name.
    fileprivate var sorted: JSON {
        switch self {
        case .object(let object):
            .object(JSONObject(object.members.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value.sorted) }))
        case .array(let elements): .array(elements.map(\.sorted))
        case .null, .bool, .number, .string: self
        }
    }
}
