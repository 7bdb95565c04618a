/// A class of texts that are almost JSON (RFC 8259).
package enum JSONDamage: String, Sendable, CaseIterable {
    /// Nothing at all.
    case empty
    /// White space and nothing else.
    case blank
    /// The last closing bracket is missing.
    case unclosed
    /// A closing bracket too many.
    case overclosed = "closed-twice"
    case trailingComma = "trailing-comma"
    case missingColon = "missing-colon"
    case singleQuotes = "single-quotes"
    case unquotedKey = "unquoted-key"
    /// A comment before the value.
    case comment
    /// `NaN` for the first value.
    case notANumber = "nan"
    /// A line break inside the first string.
    case controlCharacter = "control-character"
    /// An invalid escape inside the first string.
    case badEscape = "bad-escape"
    /// A second value after the first.
    case twoValues = "two-values"
    /// A NUL byte after the value.
    case nulByte = "nul-byte"
    /// A prefix that keeps scripts from running the text, as some services send.
    case guardPrefix = "guard-prefix"
    /// A bare word.
    case word

    /// - Throws: ``NotApplied`` if the body has no suitable position.
    func apply(to body: [UInt8]) throws(NotApplied) -> [UInt8] {
        switch self {
        case .empty: return []
        case .blank: return Array(" \n\t ".utf8)
        case .word: return Array("undefined".utf8)
        case .comment: return Array("/* served from cache */ ".utf8) + body
        case .guardPrefix: return Array(")]}',\n".utf8) + body
        case .twoValues: return body + body
        case .nulByte: return body + [0]
        case .overclosed: return body + [UInt8(ascii: "}")]
        case .unclosed: return Array(body[..<(try last(of: "}]", in: body))])
        case .trailingComma: return try inserting(",", at: last(of: "}]", in: body), of: body)
        case .missingColon: return try replacing(first(":", in: body), of: body, with: " ")
        case .singleQuotes: return body.map { $0 == UInt8(ascii: "\"") ? UInt8(ascii: "'") : $0 }
        case .unquotedKey: return try unquoted(body)
        case .notANumber: return try inserting("NaN,\"x\":", at: first(":", in: body) + 1, of: body)
        case .controlCharacter: return try inserting("\n", at: first("\"", in: body) + 1, of: body)
        case .badEscape: return try inserting("\\q", at: first("\"", in: body) + 1, of: body)
        }
    }

    private func first(_ character: Character, in body: [UInt8]) throws(NotApplied) -> Int {
        guard let index = body.firstIndex(where: { character.utf8.contains($0) }) else { throw missing(String(character)) }
        return index
    }

    private func last(of characters: String, in body: [UInt8]) throws(NotApplied) -> Int {
        guard let index = body.lastIndex(where: { characters.utf8.contains($0) }) else { throw missing(characters) }
        return index
    }

    private func missing(_ characters: String) -> NotApplied { NotApplied("the body has none of \(characters), which \(rawValue) needs") }

    private func inserting(_ text: String, at index: Int, of body: [UInt8]) -> [UInt8] {
        Array(body[..<index]) + Array(text.utf8) + body[index...]
    }

    private func replacing(_ index: Int, of body: [UInt8], with text: String) -> [UInt8] {
        Array(body[..<index]) + Array(text.utf8) + body[(index + 1)...]
    }

    /// The first key without its quotes.
    private func unquoted(_ body: [UInt8]) throws(NotApplied) -> [UInt8] {
        let open = try first("\"", in: body)
        guard let close = body[(open + 1)...].firstIndex(of: UInt8(ascii: "\"")) else { throw missing("\"") }
        return Array(body[..<open]) + body[(open + 1)..<close] + body[(close + 1)...]
    }
}
