extension UInt8 {
    /// Whether the byte is one of `0` to `9` in ASCII.
    package var isDigit: Bool { UInt8(ascii: "0") <= self && self <= UInt8(ascii: "9") }

    /// Whether the byte is one of `a` to `z` in ASCII.
    package var isLowercase: Bool { UInt8(ascii: "a") <= self && self <= UInt8(ascii: "z") }

    /// Whether the byte is a letter of ASCII.
    package var isLetter: Bool { (self | 0x20).isLowercase }

    /// Whether the byte is white space in JSON (RFC 8259 §2): a space, a tab or an end of a line.
    package var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }

    /// A capital of ASCII as a small letter; any other byte as it is.
    package var lowercased: UInt8 { isLetter ? self | 0x20 : self }
}

extension StringProtocol {
    /// Whether it is a number in decimal digits, without a sign.
    package var isDigits: Bool { !isEmpty && utf8.allSatisfy(\.isDigit) }
}

extension String {
    /// Whether both are the same header name: the case of ASCII letters is ignored (RFC 9110 §5.1).
    package func isHeaderName(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return self == other || zip(utf8, other.utf8).allSatisfy { $0.lowercased == $1.lowercased }
    }
}
