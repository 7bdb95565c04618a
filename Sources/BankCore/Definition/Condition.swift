package import BankModel

/// Something that a request must have for an operation to be meant.
package struct Condition: Sendable, Hashable {
    package var part: Part
    /// A parameter, field or header; a dotted path in a JSON body; empty where the part is one whole.
    package var name: String
    package var wanted: Wanted

    package init(_ part: Part, _ name: String, _ wanted: Wanted) {
        self.part = part
        self.name = name
        self.wanted = wanted
    }

    /// A condition on a part that is one whole.
    package init(_ part: Part, _ wanted: Wanted) { self.init(part, "", wanted) }

    /// Where it looks.
    package enum Part: String, Sendable, CaseIterable {
        /// A parameter of the path, decoded.
        case path
        /// A field of the query.
        case query
        case header
        /// A field of a form body.
        case form
        /// A dotted path into a JSON body.
        case body
        /// The whole query as it was sent, without the `?`.
        case rawQuery = "raw_query"
        /// The names of the query's fields, sorted, each once: a list.
        case queryNames = "query_names"
        /// The whole body, which is JSON.
        case json
        /// The whole body as text.
        case text

        /// Whether it is one value and has no names in it.
        package var isWhole: Bool { [.rawQuery, .queryNames, .json, .text].contains(self) }

        /// Whether what stands there is JSON, not text.
        package var isJSON: Bool { [.body, .json, .queryNames].contains(self) }
    }

    /// What must stand there.
    package enum Wanted: Sendable, Hashable {
        /// Nothing, or JSON's null.
        case absent
        /// That value; objects in any order, numbers by value.
        case value(JSON)
        /// A text, number or truth value that fits each pattern, in which `*` stands for any text.
        /// Of an array or object the compact text is meant; an empty one fits nothing.
        case like([String])
    }
}

extension Condition.Wanted {
    /// Whether what was found is what is wanted.
    package func holds(_ found: JSON?) -> Bool {
        switch self {
        case .absent: found == nil || found == .null
        case .value(let value): found == value
        case .like(let patterns): (found?.comparedText).map { text in patterns.allSatisfy { globMatches($0, text) } } ?? false
        }
    }

    /// In a person's words.
    var text: String {
        switch self {
        case .absent: "nothing"
        case .value(let value): "`\(value.shownText)`"
        case .like(let patterns): patterns.map { "`\($0)`" }.joined(separator: " and ")
        }
    }
}

extension Condition {
    /// Where it looks, in a person's words: `form field grant_type`.
    var place: String {
        switch part {
        case .path: "path parameter \(name)"
        case .query: "query field \(name)"
        case .header: "header \(name)"
        case .form: "form field \(name)"
        case .body: "body field \(name)"
        case .rawQuery: "query"
        case .queryNames: "names of the query's fields"
        case .json: "JSON body"
        case .text: "body"
        }
    }

    /// Whether what stands there may be a secret, which no message repeats.
    var isSecret: Bool { part == .header && ["authorization", "proxy-authorization", "cookie"].contains(name.lowercased()) }

    /// Whether a request for which this holds has what the other wants too.
    package func implies(_ other: Condition) -> Bool {
        guard part == other.part, part == .header ? name.lowercased() == other.name.lowercased() : name == other.name else { return false }
        switch (wanted, other.wanted) {
        case (.value(let value), .like): return other.wanted.holds(value)
        case (.like(let mine), .like(let theirs)): return Set(theirs).subtracting(["*"]).isSubset(of: mine)
        default: return wanted == other.wanted
        }
    }
}

extension JSON {
    /// What a pattern is held against; nil for nothing and what is empty.
    fileprivate var comparedText: String? {
        switch self {
        case .null: nil
        case .array(let elements): elements.isEmpty ? nil : text
        case .object(let object): object.members.isEmpty ? nil : text
        case .string, .number, .bool: plainText
        }
    }

    /// The value in a message, cut where it is long.
    var shownText: String {
        let text = if case .string(let text) = self { text } else { text }
        return text.count > 80 ? "\(text.prefix(80))…" : text
    }
}
