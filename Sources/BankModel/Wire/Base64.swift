/// Base 64 (RFC 4648 §4).
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Decodes the text, ignoring line breaks; nil if it is not base 64.
    package static func decoded(_ text: String) -> [UInt8]? {
        var values: [UInt32] = []
        var padding = 0
        for byte in text.utf8 where byte != 0x0A && byte != 0x0D {
            if byte == UInt8(ascii: "=") {
                padding += 1
            } else {
                guard padding == 0, let value = value(byte) else { return nil }
                values.append(value)
            }
        }
        guard padding <= 2, values.count % 4 != 1, padding == 0 || (values.count + padding).isMultiple(of: 4) else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: values.count, by: 4) {
            let group = values[start..<min(start + 4, values.count)]
            let bits = group.reduce(0) { $0 << 6 | $1 } << UInt32(6 * (4 - group.count))
            bytes += [UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8), UInt8(truncatingIfNeeded: bits)]
                .prefix(group.count - 1)
        }
        return bytes
    }

    /// The six bits of a character of the alphabet.
    private static func value(_ sign: UInt8) -> UInt32? { alphabet.firstIndex(of: sign).map { UInt32($0) } }

    /// Encodes the bytes for addresses and tokens, without padding (RFC 4648 §5, RFC 7515 §2).
    package static func url(_ bytes: [UInt8]) -> String {
        encoded(bytes).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Decodes what ``url(_:)`` encodes; nil for any other text.
    package static func urlDecoded(_ text: String) -> [UInt8]? {
        guard !text.utf8.contains(where: { "+/=\r\n".utf8.contains($0) }) else { return nil }
        return decoded(inEitherAlphabet: text.utf8)
    }

    /// Decodes signs of the alphabets of RFC 4648 §4 and §5, also of both, ignoring line breaks; nil if they are not base 64.
    package static func decoded(inEitherAlphabet signs: some Collection<UInt8>) -> [UInt8]? {
        let plain = signs.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0 }
        return decoded(String(decoding: plain, as: UTF8.self))
    }

    package static func encoded(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for position in 0..<4 {
                text.append(position <= group.count ? alphabet[Int(bits >> UInt32(18 - 6 * position)) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
