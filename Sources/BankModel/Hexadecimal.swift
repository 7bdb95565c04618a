/// Bytes as hexadecimal digits, two each, in small letters.
package func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { text in
        var place = 0
        for byte in bytes {
            text[place] = hexDigit(byte >> 4)
            text[place + 1] = hexDigit(byte & 15)
            place += 2
        }
        return place
    }
}

/// The bytes that hexadecimal digits spell, two each; nil for any other text.
package func bytes(hexadecimal text: some StringProtocol) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for place in stride(from: 0, to: digits.count, by: 2) {
        guard let high = hexValue(digits[place]), let low = hexValue(digits[place + 1]) else { return nil }
        bytes.append(high << 4 | low)
    }
    return bytes
}

private func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value }

private func hexValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
}
