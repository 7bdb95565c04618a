import Platform

/// Redacts the values of secret fields in a text: a form, a query, JSON or a multipart body, one within another.
///
/// Fields are found by their names alone: no value is searched for, so the words of a sentence remain, whatever a password
/// is. A text may be malformed or truncated; an unclosed value extends to its end.
package struct SecretFields {
    let names: SecretNames
    let side: SecretNames.Side
    /// The replacement of a particular value, such as a known token's id; nil for ``mark``.
    let label: (String) -> String?

    /// The replacement of a value.
    package static let mark = "[redacted]"

    /// The deepest nesting of texts in texts that is examined.
    static let depth = 5

    package init(_ names: SecretNames, in side: SecretNames.Side, label: @escaping (String) -> String?) {
        self.names = names
        self.side = side
        self.label = label
    }

    /// A request's body as stored in files, without secrets; nil if nothing has to be redacted.
    package static func blanked(_ body: [UInt8]) -> [UInt8]? {
        let names = SecretNames()
        guard body.withUnsafeBufferPointer({ names.mayBe(in: $0) }) else { return nil }
        return SecretFields(names, in: .request, label: { _ in nil }).blanked(body: body)
    }

    /// A request's query as stored in files; nil if nothing has to be redacted.
    package static func blanked(_ query: String) -> String? {
        SecretFields(SecretNames(), in: .request, label: { _ in nil }).blanked(query: query)
    }

    /// A body of any type; nil if nothing has to be redacted.
    package func blanked(body bytes: [UInt8]) -> [UInt8]? { blanked(bytes, depth: 0) }

    /// A query, or a form.
    package func blanked(query text: String) -> String? { edited(Array(text.utf8)) { pairs($0, .form, depth: 0, &$1) } }

    /// A path: its segments that have fields.
    package func blanked(path text: String) -> String? { edited(Array(text.utf8)) { pairs($0, .path, depth: 0, &$1) } }

    /// A header's value, which may be an address, or a list of parameters.
    package func blanked(header text: String) -> String? {
        let bytes = Array(text.utf8)
        if let first = bytes.first(where: { $0 != 0x20 }), first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            return blanked(bytes, depth: 1).map { String(decoding: $0, as: UTF8.self) }
        }
        return edited(bytes) { pairs($0, .header, depth: 0, &$1) }
    }

    private func edited(_ bytes: [UInt8], _ look: (ArraySlice<UInt8>, inout Edits) -> Void) -> String? {
        var edits = Edits()
        look(bytes[...], &edits)
        return edits.made(in: bytes).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether the value of a field of that name is a secret; the name may be written with escapes.
    func isSecret(_ name: ArraySlice<UInt8>) -> Bool {
        guard !name.isEmpty, name.count <= 400 else { return false }
        // Nearly no name is a secret's, which is decided without allocating a text.
        let mayBe = name.withUnsafeBufferPointer { bytes in
            names.mayHoldName(bytes, endingAt: bytes.count) || bytes.contains { "%\\+".utf8.contains($0) }
        }
        guard mayBe else { return false }
        return names.hold(Escapes.allRemoved(String(decoding: name, as: UTF8.self)), in: side)
    }

    func mark(_ value: [UInt8]) -> [UInt8] { Array((label(String(decoding: value, as: UTF8.self)) ?? SecretFields.mark).utf8) }

    /// Whether a text may have fields: others need not be examined.
    static func mayNest(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count >= 4 else { return false }
        var isWord = text.count >= 16
        for byte in text {
            switch byte {
            case UInt8(ascii: "="), UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "%"), UInt8(ascii: "\\"): return true
            case UInt8(ascii: "-"), UInt8(ascii: " "), UInt8(ascii: "."), UInt8(ascii: ":"): isWord = false
            default: break
            }
        }
        return isWord
    }

    /// A text that is a value within another.
    func blanked(nested bytes: [UInt8], depth: Int) -> [UInt8]? {
        guard depth < SecretFields.depth, bytes.count >= 4 else { return nil }
        return blanked(bytes, depth: depth)
    }

    private func blanked(_ bytes: [UInt8], depth: Int) -> [UInt8]? {
        var edits = Edits()
        let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        guard let start = bytes[(isMarked ? 3 : 0)...].firstIndex(where: { !$0.isBlank }) else { return nil }
        switch bytes[start] {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""):
            json(bytes[start...], depth: depth, &edits)
        case UInt8(ascii: "-") where bytes[start...].starts(with: "--".utf8):
            multipart(bytes[start...], depth: depth, &edits)
        default:
            if let decoded = SecretFields.base64(bytes[start...]) {
                // Only the length of the text around the secret is known.
                return blanked(nested: decoded, depth: depth + 1).map { _ in Array(SecretFields.mark.utf8) }
            }
            // Words with spaces between them are a sentence, unless they are a whole body.
            guard depth == 0 || !bytes.contains(where: \.isBlank) else { return nil }
            pairs(bytes[start...], .form, depth: depth, &edits)
            if edits.isEmpty, depth == 0, let brace = bytes.firstIndex(of: UInt8(ascii: "{")) {
                json(bytes[brace...], depth: depth, &edits)
            }
        }
        return edits.made(in: bytes)
    }

    /// The decoded text of one that is entirely base 64, in either alphabet; nil for any other.
    private static func base64(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard (16...16_384).contains(text.count),
            let decoded = Base64.decoded(inEitherAlphabet: text.filter { $0 != UInt8(ascii: "=") })
        else { return nil }
        return String(validUTF8: decoded) == nil ? nil : decoded
    }
}

/// Replacements in a text of bytes.
package struct Edits {
    private var edits: [(range: Range<Int>, text: [UInt8])] = []

    package init() {}

    var isEmpty: Bool { edits.isEmpty }

    /// Adds a replacement after all earlier ones.
    package mutating func replace(_ range: Range<Int>, with text: [UInt8]) { edits.append((range, text)) }

    /// The text with all replacements; nil if there are none.
    package func made(in bytes: [UInt8]) -> [UInt8]? {
        guard !edits.isEmpty else { return nil }
        var (out, end): ([UInt8], Int) = ([], 0)
        for edit in edits {
            out += bytes[end..<edit.range.lowerBound]
            out += edit.text
            end = edit.range.upperBound
        }
        return out + bytes[end...]
    }
}
