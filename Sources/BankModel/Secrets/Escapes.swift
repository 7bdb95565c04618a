/// Escapes of addresses (RFC 3986 §2.1) and of JSON (RFC 8259 §7).
package enum Escapes {
    /// The text unescaped once; broken escapes remain. Nil if there are no escapes.
    package static func removed(_ bytes: [UInt8], plusIsSpace: Bool) -> [UInt8]? {
        func isSign(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\\") || plusIsSpace && byte == UInt8(ascii: "+")
        }
        guard bytes.contains(where: isSign) else { return nil }
        var (out, position): ([UInt8], Int) = ([], 0)
        while position < bytes.count {
            if plusIsSpace, bytes[position] == UInt8(ascii: "+") {
                out.append(0x20)
                position += 1
            } else if let (plain, length) = unescaped(bytes, at: position) {
                out += plain
                position += length
            } else {
                out.append(bytes[position])
                position += 1
            }
        }
        return out == bytes ? nil : out
    }

    /// The name of a field, unescaped until no escape remains.
    package static func allRemoved(_ name: String) -> String {
        var bytes = Array(name.utf8)
        for _ in 0..<SecretFields.depth {
            guard let plain = removed(bytes, plusIsSpace: true) else { break }
            bytes = plain
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The bytes of the escape that begins there, and its length; nil if there is none.
    package static func unescaped(_ bytes: [UInt8], at position: Int) -> (plain: [UInt8], length: Int)? {
        func digits(_ from: Int, _ count: Int) -> UInt32? {
            guard from + count <= bytes.count else { return nil }
            var number: UInt32 = 0
            for digit in bytes[from..<from + count] {
                guard let value = hexValue(digit) else { return nil }
                number = number << 4 | UInt32(value)
            }
            return number
        }
        if bytes[position] == UInt8(ascii: "%") { return digits(position + 1, 2).map { ([UInt8($0)], 3) } }
        guard bytes[position] == UInt8(ascii: "\\"), position + 1 < bytes.count else { return nil }
        if let plain = json[bytes[position + 1]] { return ([plain], 2) }
        guard bytes[position + 1] == UInt8(ascii: "u"), let unit = digits(position + 2, 4) else { return nil }
        if let scalar = Unicode.Scalar(unit) { return (Array(String(scalar).utf8), 6) }
        guard position + 7 < bytes.count, bytes[position + 6] == UInt8(ascii: "\\"), bytes[position + 7] == UInt8(ascii: "u"),
            let low = digits(position + 8, 4), (0xDC00..<0xE000).contains(low), unit < 0xDC00,
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { return nil }
        return (Array(String(scalar).utf8), 12)
    }

    /// JSON's escapes of two characters (RFC 8259 §7): the byte that each stands for, by its second character.
    static let json: [UInt8: UInt8] = [
        UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"), UInt8(ascii: "/"): UInt8(ascii: "/"),
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]
}
