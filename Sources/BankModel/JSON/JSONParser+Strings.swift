extension JSONParser {
    /// A string from its opening to its closing quote (RFC 8259 §7), its bytes validated as UTF-8.
    mutating func string() throws(JSONError) -> String {
        index += 1
        var units: [UInt8] = []
        var start = index
        var seen: UInt8 = 0
        while true {
            guard let byte = peek else { throw error(expected: "a closing quote") }
            seen |= byte
            switch byte {
            case UInt8(ascii: "\"") where units.isEmpty && seen < 0x80:
                // Plain ASCII, as nearly always: nothing to validate.
                let text = bytes.withUnsafeBufferPointer {
                    String(decoding: UnsafeBufferPointer(rebasing: $0[start..<index]), as: UTF8.self)
                }
                index += 1
                return text
            case UInt8(ascii: "\""):
                let text = try units.isEmpty ? checked(bytes[start..<index]) : checked(units + bytes[start..<index])
                index += 1
                return text
            case UInt8(ascii: "\\"):
                units += bytes[start..<index]
                units += Array(String(try escape()).utf8)
                start = index
            case 0..<0x20:
                throw error(expected: "no control character in a text (write \\n, \\t or \\u00XX)")
            default:
                index += 1
            }
        }
    }

    private func checked(_ units: some RandomAccessCollection<UInt8>) throws(JSONError) -> String {
        guard let text = String(validating: units, as: UTF8.self) else {
            throw error("bytes that are not UTF-8", "UTF-8 (RFC 8259 §8.1)")
        }
        return text
    }

    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        index += 1
        guard let byte = peek else { throw error(expected: "an escape") }
        let simple: [UInt8: Unicode.Scalar] = [
            UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/", UInt8(ascii: "b"): "\u{8}",
            UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "n"): "\n", UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
        ]
        if let scalar = simple[byte] {
            index += 1
            return scalar
        }
        guard byte == UInt8(ascii: "u") else { throw error(expected: "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX") }
        let high = try fourHexDigits()
        if let scalar = Unicode.Scalar(high) { return scalar }
        guard high < 0xDC00, peek == UInt8(ascii: "\\") else { throw loneSurrogate }
        index += 1
        guard peek == UInt8(ascii: "u") else { throw loneSurrogate }
        let low = try fourHexDigits()
        guard (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        else { throw loneSurrogate }
        return scalar
    }

    private var loneSurrogate: JSONError { error("half of a surrogate pair", "both halves, high then low (RFC 8259 §7)") }

    private mutating func fourHexDigits() throws(JSONError) -> UInt32 {
        index += 1
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw error(expected: "four hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }
}
