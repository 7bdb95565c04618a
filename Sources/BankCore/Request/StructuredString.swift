/// Parses a Structured Field string (RFC 8941 §3.3.3), such as `"8e03"`: nil for any other text, or more than one string.
///
/// The quotes enclose printable ASCII characters; `"` and `\` are escaped by a backslash, and nothing else is. Parameters
/// after it are not part of the string.
package func structuredString(_ text: String) -> String? {
    var rest = Array(text.utf8)[...]
    guard rest.popFirst() == UInt8(ascii: "\"") else { return nil }
    var value: [UInt8] = []
    while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "\""): return rest.isEmpty ? String(decoding: value, as: UTF8.self) : nil
        case UInt8(ascii: "\\"):
            guard let escaped = rest.popFirst(), escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\") else { return nil }
            value.append(escaped)
        case 0x20...0x7E: value.append(byte)
        default: return nil
        }
    }
    return nil
}

/// The text as a Structured Field string (RFC 8941 §4.1.6); characters that it cannot have are replaced by `?`.
func structuredString(of text: String) -> String {
    let inner = text.unicodeScalars.map { character in
        switch character {
        case "\"", "\\": "\\\(character)"
        case " "..."~": "\(character)"
        default: "?"
        }
    }
    return "\"\(inner.joined())\""
}
