/// The insignificant white space of JSON text (RFC 8259 §2).
package enum JSONLayout: String, Sendable, CaseIterable {
    /// None: `{"a":1,"b":2}`.
    case compact
    /// A space after each comma and colon: `{"a": 1, "b": 2}`.
    case spaced
    /// Each member on a separate line, indented by two spaces.
    case indented
}

extension JSON {
    /// The value as compact JSON text in UTF-8: no spaces, members in order, numbers digit for digit.
    public var bytes: [UInt8] { bytes(.compact) }

    /// The value as JSON text in UTF-8, with that white space.
    package func bytes(_ layout: JSONLayout) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(256)
        write(to: &out, indent: layout == .indented ? 0 : nil, isSpaced: layout == .spaced)
        return out
    }

    /// The value as compact JSON text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The value over several lines, each level indented by two spaces, for people to read.
    public var pretty: String { String(decoding: bytes(.indented), as: UTF8.self) }

    /// Appends the value's text: with an indent level each member on its own line; with `isSpaced` a space after comma and colon.
    public func write(to out: inout [UInt8], indent: Int? = nil, isSpaced: Bool = false) {
        switch self {
        case .null: out += "null".utf8
        case .bool(let value): out += (value ? "true" : "false").utf8
        case .number(let number): out += number.digits.utf8
        case .string(let text): JSON.write(text, to: &out)
        case .array(let elements):
            let inner = indent.map { $0 + 1 }
            out.append(UInt8(ascii: "["))
            for index in elements.indices {
                JSON.begin(index, inner, isSpaced, &out)
                elements[index].write(to: &out, indent: inner, isSpaced: isSpaced)
            }
            JSON.end(elements.count, indent, &out)
            out.append(UInt8(ascii: "]"))
        case .object(let object):
            let inner = indent.map { $0 + 1 }
            out.append(UInt8(ascii: "{"))
            for index in object.members.indices {
                JSON.begin(index, inner, isSpaced, &out)
                JSON.write(object.members[index].key, to: &out)
                out.append(UInt8(ascii: ":"))
                if inner != nil || isSpaced { out.append(UInt8(ascii: " ")) }
                object.members[index].value.write(to: &out, indent: inner, isSpaced: isSpaced)
            }
            JSON.end(object.members.count, indent, &out)
            out.append(UInt8(ascii: "}"))
        }
    }

    /// Writes the separator before a member, and its line's indent.
    private static func begin(_ index: Int, _ indent: Int?, _ isSpaced: Bool, _ out: inout [UInt8]) {
        if index > 0 { out.append(UInt8(ascii: ",")) }
        if index > 0, isSpaced { out.append(UInt8(ascii: " ")) }
        if let indent { out += ("\n" + String(repeating: "  ", count: indent)).utf8 }
    }

    /// Writes the line of the closing bracket, if there were members.
    private static func end(_ count: Int, _ indent: Int?, _ out: inout [UInt8]) {
        if let indent, count > 0 { out += ("\n" + String(repeating: "  ", count: indent)).utf8 }
    }

    /// Appends a text in quotes.
    package static func write(_ text: String, to out: inout [UInt8]) {
        var text = text
        out.append(UInt8(ascii: "\""))
        text.withUTF8 { bytes in
            // Nearly no text has anything to escape: the check costs a nanosecond a byte.
            guard bytes.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) else {
                out.append(contentsOf: bytes)
                return
            }
            for byte in bytes {
                if let escape = escape(byte) { out += escape.utf8 } else { out.append(byte) }
            }
        }
        out.append(UInt8(ascii: "\""))
    }

    /// The escape of a byte that must not occur in a string (RFC 8259 §7); nil for any other.
    private static func escape(_ byte: UInt8) -> String? {
        guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { return nil }
        return switch byte {
        case UInt8(ascii: "\""): "\\\""
        case UInt8(ascii: "\\"): "\\\\"
        case 0x0A: "\\n"
        case 0x0D: "\\r"
        case 0x09: "\\t"
        default: "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
        }
    }
}

extension JSON: CustomStringConvertible {
    public var description: String { text }
}
