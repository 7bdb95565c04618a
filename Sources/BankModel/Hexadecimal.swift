/// Bytes as hexadecimal digits, two each, in lower case.
package func hexadecimal(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.flatMap { [hexDigit(UInt64($0) >> 4), hexDigit(UInt64($0) & 15)] }, as: UTF8.self)
}

/// A number's 64 bits as 16 hexadecimal digits, in lower case.
package func hexadecimal(_ number: UInt64) -> String {
    String(decoding: (0..<16).map { hexDigit(number >> (60 - 4 * $0) & 15) }, as: UTF8.self)
}

/// Decodes hexadecimal digits, two for each byte; nil for any other text.
package func bytes(hexadecimal text: some StringProtocol) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for position in stride(from: 0, to: digits.count, by: 2) {
        guard let high = hexValue(digits[position]), let low = hexValue(digits[position + 1]) else { return nil }
        bytes.append(high << 4 | low)
    }
    return bytes
}

/// The digit for a number below 16, in ASCII.
private func hexDigit(_ value: UInt64) -> UInt8 { (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10) + UInt8(value) }

/// The value of a hexadecimal digit in ASCII, in either case; nil for any other byte.
package func hexValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
}

/// Whether the text is a UUID as RFC 9562 §4 writes it, in either case.
package func isUUID(_ text: some StringProtocol) -> Bool {
    let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return groups.map(\.count) == [8, 4, 4, 4, 12]
        && groups.joined().allSatisfy { $0.isDigit || (0x61...0x66).contains($0 | 0x20) }
}
