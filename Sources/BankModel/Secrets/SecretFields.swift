/// Takes the values of secret fields out of a text: of a form, a query, JSON or a multipart body, one within another.
///
/// Fields are found by their names alone: no value is searched for, so the words of a sentence stay, whatever somebody's password is.
/// A text may be broken or cut off; what is not closed goes to its end.
package struct SecretFields {
    let names: SecretNames
    let side: SecretNames.Side
    /// What stands in place of a value that may be told, such as a known token's id; nil for ``mark``.
    let label: (String) -> String?

    /// What stands in place of a value.
    package static let mark = "[redacted]"

    /// So deep texts are looked for in texts.
    static let depth = 5

    package init(_ names: SecretNames, in side: SecretNames.Side, label: @escaping (String) -> String?) {
        (self.names, self.side, self.label) = (names, side, label)
    }

    /// A request's body as files keep it: nothing is to stand there of a secret.
    ///
    /// - Returns: nil if there is nothing to take out.
    package static func blanked(_ body: [UInt8]) -> [UInt8]? {
        let names = SecretNames()
        guard body.withUnsafeBufferPointer({ names.mayBe(in: $0) }) else { return nil }
        return SecretFields(names, in: .request, label: { _ in nil }).blanked(body: body)
    }

    /// A request's query as files keep it.
    ///
    /// - Returns: nil if there is nothing to take out.
    package static func blanked(_ query: String) -> String? {
        SecretFields(SecretNames(), in: .request, label: { _ in nil }).blanked(query: query)
    }

    /// A body of any make.
    ///
    /// - Returns: nil if there is nothing to take out.
    package func blanked(body bytes: [UInt8]) -> [UInt8]? { blanked(bytes, depth: 0) }

    /// A query, or a form.
    package func blanked(query text: String) -> String? { edited(Array(text.utf8)) { pairs($0, .form, depth: 0, &$1) } }

    /// A path: of its parts those that have fields.
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
        // Nearly all names are none of a secret's, which is seen without making a text of them.
        let mayBe = name.withUnsafeBufferPointer { bytes in
            names.mayHoldName(bytes, endingAt: bytes.count) || bytes.contains { "%\\+".utf8.contains($0) }
        }
        guard mayBe else { return false }
        return names.hold(Escapes.allRemoved(String(decoding: name, as: UTF8.self)), in: side)
    }

    /// What stands in place of a value.
    func mark(_ value: [UInt8]) -> [UInt8] { Array((label(String(decoding: value, as: UTF8.self)) ?? SecretFields.mark).utf8) }

    /// Whether a text may have fields: else it need not be looked into.
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

    /// A text that stands as a value within another.
    func blanked(nested bytes: [UInt8], depth: Int) -> [UInt8]? {
        guard depth < SecretFields.depth, bytes.count >= 4 else { return nil }
        return blanked(bytes, depth: depth)
    }

    private func blanked(_ bytes: [UInt8], depth: Int) -> [UInt8]? {
        var edits = Edits()
        let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        guard let start = bytes[(isMarked ? 3 : 0)...].firstIndex(where: { !SecretFields.isBlank($0) }) else { return nil }
        switch bytes[start] {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""):
            json(bytes[start...], depth: depth, &edits)
        case UInt8(ascii: "-") where bytes[start...].starts(with: "--".utf8):
            multipart(bytes[start...], depth: depth, &edits)
        default:
            if let decoded = SecretFields.base64(bytes[start...]) {
                // What stands around the secret in there is told by nothing but its length.
                return blanked(nested: decoded, depth: depth + 1).map { _ in Array(SecretFields.mark.utf8) }
            }
            // Words with spaces between them are a sentence, unless they are a whole body.
            guard depth == 0 || !bytes.contains(where: SecretFields.isBlank) else { return nil }
            pairs(bytes[start...], .form, depth: depth, &edits)
            if edits.isEmpty, depth == 0, let brace = bytes.firstIndex(of: UInt8(ascii: "{")) {
                json(bytes[brace...], depth: depth, &edits)
            }
        }
        return edits.made(in: bytes)
    }

    /// What a text stands for that is nothing but base 64, in either alphabet, and spells a text itself; nil for any other.
    private static func base64(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard (16...16_384).contains(text.count) else { return nil }
        var plain: [UInt8] = []
        plain.reserveCapacity(text.count)
        for byte in text {
            switch byte {
            case UInt8(ascii: "-"): plain.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): plain.append(UInt8(ascii: "/"))
            case UInt8(ascii: "="), 0x0A, 0x0D: continue
            default: plain.append(byte)
            }
        }
        guard let decoded = Base64.decoded(String(decoding: plain, as: UTF8.self)) else { return nil }
        return String(validating: decoded, as: UTF8.self) == nil ? nil : decoded
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
}

/// Places of a text and what is to stand there.
struct Edits {
    private var edits: [(range: Range<Int>, text: [UInt8])] = []

    var isEmpty: Bool { edits.isEmpty }

    /// Notes one behind those that were noted before.
    mutating func replace(_ range: Range<Int>, with text: [UInt8]) { edits.append((range, text)) }

    /// The text with all of them; nil if there are none.
    func made(in bytes: [UInt8]) -> [UInt8]? {
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

/// Escapes of addresses (RFC 3986 §2.1) and of JSON (RFC 8259 §7).
package enum Escapes {
    /// The text with its escapes undone once; those that are broken stay. Nil if there is none.
    package static func removed(_ bytes: [UInt8], plusIsSpace: Bool) -> [UInt8]? {
        func isSign(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\\") || plusIsSpace && byte == UInt8(ascii: "+")
        }
        guard bytes.contains(where: isSign) else { return nil }
        var (out, place): ([UInt8], Int) = ([], 0)
        while place < bytes.count {
            if plusIsSpace, bytes[place] == UInt8(ascii: "+") {
                out.append(0x20)
                place += 1
            } else if let (plain, length) = unescaped(bytes, at: place) {
                out += plain
                place += length
            } else {
                out.append(bytes[place])
                place += 1
            }
        }
        return out == bytes ? nil : out
    }

    /// The name of a field without its escapes, however often it was escaped.
    package static func allRemoved(_ name: String) -> String {
        var bytes = Array(name.utf8)
        for _ in 0..<SecretFields.depth {
            guard let plain = removed(bytes, plusIsSpace: true) else { break }
            bytes = plain
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What the escape that begins there stands for, and how long it is; nil if there is none.
    package static func unescaped(_ bytes: [UInt8], at place: Int) -> (plain: [UInt8], length: Int)? {
        func digits(_ from: Int, _ count: Int) -> UInt32? {
            guard from + count <= bytes.count else { return nil }
            var number: UInt32 = 0
            for digit in bytes[from..<from + count] {
                guard let value = hexValue(digit) else { return nil }
                number = number << 4 | UInt32(value)
            }
            return number
        }
        if bytes[place] == UInt8(ascii: "%") { return digits(place + 1, 2).map { ([UInt8($0)], 3) } }
        guard bytes[place] == UInt8(ascii: "\\"), place + 1 < bytes.count else { return nil }
        switch bytes[place + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return ([bytes[place + 1]], 2)
        case UInt8(ascii: "n"): return ([0x0A], 2)
        case UInt8(ascii: "t"): return ([0x09], 2)
        case UInt8(ascii: "r"): return ([0x0D], 2)
        case UInt8(ascii: "b"): return ([0x08], 2)
        case UInt8(ascii: "f"): return ([0x0C], 2)
        case UInt8(ascii: "u"):
            guard let unit = digits(place + 2, 4) else { return nil }
            if let scalar = Unicode.Scalar(unit) { return (Array(String(scalar).utf8), 6) }
            guard place + 7 < bytes.count, bytes[place + 6] == UInt8(ascii: "\\"), bytes[place + 7] == UInt8(ascii: "u"),
                let low = digits(place + 8, 4), (0xDC00..<0xE000).contains(low), unit < 0xDC00,
                let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
            else { return nil }
            return (Array(String(scalar).utf8), 12)
        default: return nil
        }
    }
}
