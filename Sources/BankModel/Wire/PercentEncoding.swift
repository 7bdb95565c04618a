import Platform

/// The text with all but letters, digits and `-._~` escaped (RFC 3986 §2.3): for a segment of a path, or a field of a query.
package func percentEncoded(_ text: String) -> String {
    var out = ""
    for byte in text.utf8 {
        if byte.isLetter || byte.isDigit || "-._~".utf8.contains(byte) {
            out.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
            out += "%" + hexadecimal([byte]).uppercased()
        }
    }
    return out
}

/// Encodes fields as a query or a body of type `application/x-www-form-urlencoded`, in their order.
package func formEncoded(_ fields: some Sequence<(name: String, value: String)>) -> String {
    fields.map { "\(percentEncoded($0.name))=\(percentEncoded($0.value))" }.joined(separator: "&")
}

/// The text without its escapes (RFC 3986 §2.1); nil if one is broken or the result is not UTF-8.
package func percentDecoded(_ text: some StringProtocol, plusIsSpace: Bool) -> String? {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return String(text) }
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "%") {
            guard rest.count >= 2, let high = hexValue(rest[rest.startIndex]), let low = hexValue(rest[rest.startIndex + 1]) else {
                return nil
            }
            rest = rest.dropFirst(2)
            bytes.append(high << 4 | low)
        } else {
            bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
        }
    }
    return String(validUTF8: bytes)
}
