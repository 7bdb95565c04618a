import BankCore
import BankModel

/// A body of a pact, as it is sent.
struct PactBody {
    /// The JSON; nil for anything else.
    var json: LocatedJSON?
    var bytes: [UInt8]
    /// Nil if the pact does not have it.
    var contentType: String?
}

extension PactBody {
    /// Reads the body of a request or a response; nil if none is given, which accepts any. Complains about an unreadable body.
    ///
    /// A `null` and an empty text are a body without a byte.
    init?(_ message: LocatedJSON, _ version: PactVersion, _ notes: ImportNotes) {
        let type = PactBody.contentType(message)
        guard let body = message["body"] else {
            guard message.json["body"] == .null else { return nil }
            self.init(json: nil, bytes: [], contentType: type)
            return
        }
        guard version == .four else {
            self.init(body, type: type, notes)
            return
        }
        guard body.json.object != nil else {
            let _: Void? = notes.wrong(body, expected: "an object with `content`")
            return nil
        }
        guard body.json["content"] != nil else { return nil }
        let content = body.member("content")
        let named = type ?? body["contentType"]?.json.string
        guard let encoding = body["encoded"], encoding.json != false else {
            self.init(content, type: named, nil)
            return
        }
        guard encoding.json == true || encoding.json.string?.lowercased() == "base64" else {
            // `JSON`: the content is the text of a JSON document that is a text.
            self.init(json: content, bytes: content.json.bytes, contentType: named)
            return
        }
        guard let bytes = content.json.string.flatMap(Base64.decoded) else {
            let _: Void? = notes.wrong(content, expected: "base 64 (RFC 4648)")
            return nil
        }
        let isJSON = named?.lowercased().contains("json") ?? false
        let parsed = isJSON ? try? JSON(parsing: bytes) : nil
        self.init(json: parsed.map { content.holding($0) }, bytes: bytes, contentType: named)
    }

    /// - Parameter notes: of a pact whose version writes bytes as base 64 and does not mark it: like Pact, what has a type that is not a
    ///   text's is decoded if it can be.
    private init(_ content: LocatedJSON, type: String?, _ notes: ImportNotes?) {
        if content.json == .null || content.json == "" {
            self.init(json: nil, bytes: [], contentType: type)
            return
        }
        if let notes, let text = content.json.string, let type, !PactBody.isText(type) {
            if let bytes = Base64.decoded(text) {
                self.init(json: nil, bytes: bytes, contentType: type)
                return
            }
            notes.warn(.approximate, content, "bytes of this type are written as base 64 (RFC 4648), which this is not: the text is used")
        }
        let isJSON = type.map { $0.lowercased().contains("json") }
        if let text = content.json.string, isJSON != true || (try? JSON(parsing: text)) != nil {
            let parsed = isJSON == true ? try? JSON(parsing: text) : nil
            self.init(json: parsed.map { content.holding($0) }, bytes: Array(text.utf8), contentType: type)
        } else {
            self.init(json: content, bytes: content.json.bytes, contentType: type)
        }
    }

    var isForm: Bool { contentType?.lowercased().hasPrefix("application/x-www-form-urlencoded") ?? false }

    var isXML: Bool { contentType?.lowercased().contains("xml") ?? false }

    /// Whether what has that type is text, and not bytes.
    private static func isText(_ type: String) -> Bool {
        let name = type.lowercased().prefix { $0 != ";" }
        return name.hasPrefix("text/") || name.hasPrefix("multipart/")
            || ["json", "xml", "form-urlencoded", "javascript", "yaml", "graphql", "jose", "jwt", "sql"].contains { name.contains($0) }
    }

    private static func contentType(_ message: LocatedJSON) -> String? {
        let header = message["headers"]?.members.first { $0.key.lowercased() == "content-type" }?.value
        return header.flatMap { $0.json.string ?? $0.elements.first?.json.string }
    }
}

/// Reads what an interaction answers. Rules on it define what else a provider may answer: the example, which is sent, is one of these.
extension InteractionReader {
    func response(_ described: LocatedJSON) -> StubResponse {
        var response = StubResponse()
        notes.unknown(described, known: ["status", "headers", "body", "matchingRules", "generators", "bodyMatchers"], .ignored)
        for rule in PactRules(described, version, notes).unknown {
            notes.warn(.ignored, rule, "this rule is unknown; the example is sent unchanged")
        }
        noteGenerators(described)
        if let piece = described["status"], let status = notes.int(piece) {
            response.status = status
            if !(200...599).contains(status) { notes.warn(.leftOut, piece, "a status is from 200 to 599") }
        }
        let body = PactBody(described, version, notes)
        if let body {
            response.body = body.bytes
            response.suffix = body.json == nil ? "txt" : "json"
        }
        response.readHeaders(described["headers"], notes)
        if let body, response.contentType == nil {
            response.contentType = body.contentType ?? (body.json == nil ? nil : "application/json")
        }
        return response
    }

    /// Generators make a value for each response; ours is the example.
    private func noteGenerators(_ described: LocatedJSON) {
        for (_, category) in described["generators"]?.members ?? [] {
            let isOne = category["type"] != nil
            for generator in isOne ? [category] : category.members.map(\.value) {
                notes.warn(.approximate, generator, "the example is sent unchanged, not generated for each response")
            }
        }
    }
}

/// What a header must be, as Pact compares it: value by value, and for `Accept` and `Content-Type` parameter by parameter.
struct PactHeader {
    let name: String
    /// The values between the header's commas.
    let values: [String]

    init(_ name: String, _ texts: [String]) {
        self.name = name.lowercased()
        values = texts.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }.map(\.trimmed)
    }

    /// Whether parameters after a `;` are compared apart: in any order, without regard to case, and others may be there too.
    var hasParameters: Bool { name == "accept" || name == "content-type" }

    /// The expressions that the header must fit if it comes in one line.
    var expressions: [String] {
        guard values.count == 1, hasParameters else {
            return [values.map { hasParameters ? PactHeader.ordered($0) : TextPattern.escaped($0) }.joined(separator: "\\s*,\\s*")]
        }
        let parts = PactHeader.parts(values[0])
        return [TextPattern.escaped(parts.type) + "\\s*(;[^,]*)?"] + parts.parameters.map { "[^,]*;\\s*\($0)\\s*(;[^,]*)?" }
    }

    /// Whether a value of several has parameters, whose order is compared then.
    var isOrdered: Bool { hasParameters && values.count > 1 && values.contains { PactHeader.parts($0).parameters.count > 1 } }

    /// A value whose parameters come in this order.
    private static func ordered(_ value: String) -> String {
        let parts = parts(value)
        return ([TextPattern.escaped(parts.type)] + parts.parameters).joined(separator: "\\s*;\\s*") + "\\s*(;[^,]*)?"
    }

    /// The value without its parameters, and the expressions of these.
    private static func parts(_ value: String) -> (type: String, parameters: [String]) {
        let parts = value.split(separator: ";").map(\.trimmed).filter { !$0.isEmpty }
        let parameters = parts.dropFirst().compactMap { part -> String? in
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2 else { return nil }
            return TextPattern.escaped(sides[0].trimmed) + "\\s*=\\s*" + caseless(sides[1].trimmed)
        }
        return (parts.first ?? "", parameters)
    }

    /// An expression for a text in upper and lower case.
    private static func caseless(_ text: String) -> String {
        text.reduce(into: "") { result, letter in
            let (upper, lower) = (letter.uppercased(), letter.lowercased())
            result += upper == lower ? TextPattern.escaped(String(letter)) : "[\(upper)\(lower)]"
        }
    }
}
