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
    return String(validating: bytes, as: UTF8.self)
}

/// The parameters of an address's query, or of a form, in their order (WHATWG URL §5).
package struct QueryParameters: Sendable, Hashable {
    /// Each with its escapes removed; a part whose escapes are broken stands as it was written.
    package var all: [Parameter]

    /// A name and its value.
    package struct Parameter: Sendable, Hashable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// - Parameter text: without the question mark.
    package init(_ text: some StringProtocol) {
        all = text.split(separator: "&").map { field in
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let (name, value) = (parts[0], parts.count > 1 ? parts[1] : "")
            return Parameter(
                percentDecoded(name, plusIsSpace: true) ?? String(name), percentDecoded(value, plusIsSpace: true) ?? String(value))
        }
    }

    /// Those of an address; what follows a `#` is not among them.
    package init(ofAddress address: String) {
        let withoutFragment = address.prefix { $0 != "#" }
        self.init(withoutFragment.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first ?? "")
    }

    /// The first value of that name.
    package subscript(_ name: String) -> String? { all.first { $0.name == name }?.value }

    /// Whether two of them have the same name.
    package var hasRepeated: Bool { Set(all.map(\.name)).count < all.count }

    /// As a query is written.
    package var text: String { formEncoded(all.map { (name: $0.name, value: $0.value) }) }
}
