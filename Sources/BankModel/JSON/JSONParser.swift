import Platform

extension JSON {
    /// Parses UTF-8, strictly (RFC 8259): no byte order mark, comment, trailing comma, duplicate name, or text after the value, at most
    /// ``JSON/maximumDepth`` levels. The error has line and column, both from 1, the column in characters.
    public init(parsing bytes: some Sequence<UInt8>) throws(JSONError) {
        var parser = JSONParser(bytes: Array(bytes))
        self = try parser.document()
    }

    /// Parses the text.
    public init(parsing text: String) throws(JSONError) { try self.init(parsing: text.utf8) }

    /// The deepest nesting of arrays and objects.
    public static let maximumDepth = 512
}

/// The reason why bytes are not JSON, with the position.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line, from 1.
    public let line: Int
    /// The column in characters, from 1.
    public let column: Int
    /// The text found there.
    public let found: String
    /// The text expected there.
    public let expected: String

    public var description: String { "\(line):\(column): found \(found), expected \(expected)" }
}

/// A recursive-descent parser over bytes.
struct JSONParser {
    let bytes: [UInt8]
    var index = 0
    var depth = 0

    mutating func document() throws(JSONError) -> JSON {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw error("a byte order mark", "a value (RFC 8259 §8.1)") }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw error("UTF-16", "UTF-8 (RFC 8259 §8.1; `iconv -f UTF-16 -t UTF-8` converts it)")
        }
        skipSpace()
        let value = try value()
        skipSpace()
        guard index == bytes.count else { throw error(expected: "the end of the text") }
        return value
    }

    mutating func value() throws(JSONError) -> JSON {
        guard let byte = peek else { throw error(expected: "a value") }
        switch byte {
        case UInt8(ascii: "{"): return try nested { parser throws(JSONError) in try parser.object() }
        case UInt8(ascii: "["): return try nested { parser throws(JSONError) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw error(expected: "a value")
        }
    }

    private mutating func nested(_ body: (inout JSONParser) throws(JSONError) -> JSON) throws(JSONError) -> JSON {
        guard depth < JSON.maximumDepth else {
            throw error("level \(depth + 1)", "at most \(JSON.maximumDepth) levels of nesting")
        }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }

    private mutating func object() throws(JSONError) -> JSON {
        index += 1
        var members: [(key: String, value: JSON)] = []
        var names = NamesSeen()
        skipSpace()
        if consume(UInt8(ascii: "}")) { return .object(JSONObject()) }
        while true {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw error(expected: "a name in quotes") }
            let start = index
            let name = try string()
            guard names.isNew(name, after: members) else {
                index = start
                throw error("the name \"\(name)\" a second time", "each name once in an object")
            }
            skipSpace()
            guard consume(UInt8(ascii: ":")) else { throw error(expected: "a colon") }
            skipSpace()
            members.append((name, try value()))
            skipSpace()
            if consume(UInt8(ascii: ",")) { continue }
            guard consume(UInt8(ascii: "}")) else { throw error(expected: "a comma or }") }
            return .object(JSONObject(unique: members))
        }
    }

    private mutating func array() throws(JSONError) -> JSON {
        index += 1
        var elements: [JSON] = []
        skipSpace()
        if consume(UInt8(ascii: "]")) { return .array([]) }
        while true {
            skipSpace()
            elements.append(try value())
            skipSpace()
            if consume(UInt8(ascii: ",")) { continue }
            guard consume(UInt8(ascii: "]")) else { throw error(expected: "a comma or ]") }
            return .array(elements)
        }
    }

    private mutating func word(_ text: String, _ value: JSON) throws(JSONError) -> JSON {
        // Such a word is seldom a misspelt `null` or `true`: more often a text without quotes, or a file that is not JSON.
        guard bytes[index...].starts(with: text.utf8) else { throw error(expected: "a value") }
        index += text.utf8.count
        return value
    }

    mutating func number() throws(JSONError) -> JSONNumber {
        let start = index
        _ = consume(UInt8(ascii: "-"))
        if consume(UInt8(ascii: "0")) {
            if peek?.isDigit == true { throw error(expected: "no digit after a leading 0") }
        } else {
            try digits()
        }
        if consume(UInt8(ascii: ".")) { try digits() }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            index += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { index += 1 }
            try digits()
        }
        return JSONNumber(checked: String(decoding: bytes[start..<index], as: UTF8.self))
    }

    private mutating func digits() throws(JSONError) {
        guard peek?.isDigit == true else { throw error(expected: "a digit") }
        while peek?.isDigit == true { index += 1 }
    }

    private struct NamesSeen {
        /// All of them, once there are more than a few.
        private var names: Set<String> = []

        mutating func isNew(_ name: String, after members: [(key: String, value: JSON)]) -> Bool {
            if members.count <= 16 { return !members.contains { $0.key == name } }
            if names.isEmpty { names = Set(members.map(\.key)) }
            return names.insert(name).inserted
        }
    }

    // MARK: bytes

    var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func consume(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        index += 1
        return true
    }

    mutating func skipSpace() {
        while let byte = peek, byte.isBlank { index += 1 }
    }

    func error(_ found: String? = nil, expected: String) -> JSONError { error(found ?? foundHere, expected) }

    func error(_ found: String, _ expected: String) -> JSONError {
        let before = bytes[..<min(index, bytes.count)]
        let line = 1 + before.count { $0 == 0x0A }
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let column = 1 + String(decoding: before[lineStart...], as: UTF8.self).count
        return JSONError(line: line, column: column, found: found, expected: expected)
    }

    private var foundHere: String {
        guard let byte = peek else { return "the end of the text" }
        guard byte >= 0x20, byte < 0x7F else { return "byte 0x\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))" }
        let word = bytes[index...].prefix { $0 > 0x20 && $0 < 0x7F }.prefix(12)
        return "\(String(decoding: word.isEmpty ? bytes[index...index] : word, as: UTF8.self))"
    }
}

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
        guard let text = String(validUTF8: units) else {
            throw error("bytes that are not UTF-8", "UTF-8 (RFC 8259 §8.1)")
        }
        return text
    }

    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        index += 1
        guard let byte = peek else { throw error(expected: "an escape") }
        if let plain = Escapes.json[byte] {
            index += 1
            return Unicode.Scalar(plain)
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
