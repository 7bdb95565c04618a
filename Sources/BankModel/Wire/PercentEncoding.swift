/// The text with everything but letters, digits and `-._~` escaped (RFC 3986 §2.3): for a segment of a path, or a field of a
/// query or form.
package func percentEncoded(_ text: String) -> String {
    var out = ""
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            out.unicodeScalars.append(Unicode.Scalar(byte))
        default: out += "%" + hexadecimal([byte]).uppercased()
        }
    }
    return out
}

/// Encodes fields as a query or a body of type `application/x-www-form-urlencoded`, in their order.
package func formEncoded(_ fields: some Sequence<(name: String, value: String)>) -> String {
    fields.map { "\(percentEncoded($0.name))=\(percentEncoded($0.value))" }.joined(separator: "&")
}
