/// The objects of a large JSON array, found without reading them: where each begins and ends, and where some of its members'
/// values stand.
///
/// It takes exactly what ``JSON/init(parsing:)-(Sequence<UInt8>)`` takes, at ten times its speed; for anything else it gives
/// nil, and the parser says what is wrong with it and where.
package struct RowScan: Sendable {
    package let bytes: [UInt8]
    /// Each object, from its brace to its brace.
    package private(set) var rows: [Range<Int>] = []
    /// For each of the names asked for, the value in each row; an empty range where there is none.
    private var columns: [String: [Range<Int>]] = [:]

    /// - Parameters:
    ///   - bytes: a JSON document.
    ///   - member: the path of the array in it; empty: it is the document.
    ///   - names: members of the objects that will be asked for.
    package init?(_ bytes: [UInt8], at member: [String] = [], columns names: [String]) {
        guard RowScan.isUTF8(bytes) else { return nil }
        self.bytes = bytes
        var found: (rows: [Range<Int>], columns: [[Range<Int>]])?
        bytes.withUnsafeBufferPointer { buffer in
            var skipper = JSONSkipper(buffer, columns: names.map { Array($0.utf8) })
            if skipper.document(at: member[...]) { found = (skipper.rows, skipper.values) }
        }
        guard let found else { return nil }
        rows = found.rows
        for (name, values) in zip(names, found.columns) { columns[name] = values }
    }

    /// The object of that place, read.
    package subscript(_ row: Int) -> JSONObject { (try? JSON(parsing: bytes[rows[row]]))?.object ?? JSONObject() }

    /// A member's value in a row: of a name that was asked for at once, of any other by reading the row.
    package func value(_ name: String, _ row: Int) -> JSON? {
        guard let column = columns[name] else { return JSON.object(self[row]).at(name) }
        return column[row].isEmpty ? nil : try? JSON(parsing: bytes[column[row]])
    }

    /// As ``value(_:_:)``, if it is a text without escapes: its bytes, at the cost of nothing.
    package func plainBytes(_ name: String, _ row: Int) -> ArraySlice<UInt8>? {
        guard let range = columns[name]?[row], range.count >= 2, bytes[range.lowerBound] == UInt8(ascii: "\"") else { return nil }
        let inner = bytes[range.lowerBound + 1..<range.upperBound - 1]
        return inner.contains(UInt8(ascii: "\\")) ? nil : inner
    }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        if #available(macOS 26, *) { return (try? UTF8Span(validating: bytes.span)) != nil }
        return String(validating: bytes, as: UTF8.self) != nil
    }
}

/// Steps over JSON, keeping to the grammar (RFC 8259) as strictly as the parser, but building nothing.
private struct JSONSkipper {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let columns: [[UInt8]]
    private var index = 0
    private var depth = 0
    /// The names of the objects that are open, one object after the other.
    private var names: [Range<Int>] = []
    private(set) var rows: [Range<Int>] = []
    private(set) var values: [[Range<Int>]]

    init(_ bytes: UnsafeBufferPointer<UInt8>, columns: [[UInt8]]) {
        (self.bytes, self.columns) = (bytes, columns)
        values = Array(repeating: [], count: columns.count)
    }

    /// The whole document, with the rows at that path.
    mutating func document(at path: ArraySlice<String>) -> Bool {
        skipSpace()
        guard enter(path) else { return false }
        skipSpace()
        return index == bytes.count
    }

    private mutating func enter(_ path: ArraySlice<String>) -> Bool {
        guard let step = path.first else { return rowArray() }
        var isFound = false
        let isObject = object { skipper, name in
            guard skipper.bytes[name].elementsEqual("\"\(step)\"".utf8), !isFound else { return skipper.value() }
            isFound = true
            return skipper.enter(path.dropFirst())
        }
        return isObject && isFound
    }

    private mutating func rowArray() -> Bool {
        guard take(UInt8(ascii: "[")) else { return false }
        skipSpace()
        if take(UInt8(ascii: "]")) { return true }
        while true {
            skipSpace()
            guard row() else { return false }
            skipSpace()
            if take(UInt8(ascii: ",")) { continue }
            return take(UInt8(ascii: "]"))
        }
    }

    private mutating func row() -> Bool {
        let start = index
        for column in columns.indices { values[column].append(0..<0) }
        let row = rows.count
        let isObject = object { skipper, name in
            let start = skipper.index
            guard skipper.value() else { return false }
            for column in skipper.columns.indices where skipper.isName(name, skipper.columns[column]) {
                skipper.values[column][row] = start..<skipper.index
            }
            return true
        }
        rows.append(start..<index)
        return isObject
    }

    private func isName(_ range: Range<Int>, _ name: [UInt8]) -> Bool {
        range.count == name.count + 2 && bytes[range.lowerBound + 1..<range.upperBound - 1].elementsEqual(name)
    }

    // MARK: values

    private mutating func value() -> Bool {
        guard let byte = peek else { return false }
        switch byte {
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "{"): return object { skipper, _ in skipper.value() }
        case UInt8(ascii: "["): return array()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return number()
        case UInt8(ascii: "t"): return word("true")
        case UInt8(ascii: "f"): return word("false")
        case UInt8(ascii: "n"): return word("null")
        default: return false
        }
    }

    /// - Parameter member: steps over a member's value; it gets the range of the name with its quotes.
    private mutating func object(_ member: (inout JSONSkipper, Range<Int>) -> Bool) -> Bool {
        guard take(UInt8(ascii: "{")), depth < JSON.maximumDepth else { return false }
        depth += 1
        let first = names.count
        defer {
            depth -= 1
            names.removeSubrange(first...)
        }
        skipSpace()
        if take(UInt8(ascii: "}")) { return true }
        while true {
            skipSpace()
            let start = index
            guard string() else { return false }
            let name = start..<index
            // An escape may spell a name in two ways: the parser will tell.
            guard !isTaken(name, from: first), !bytes[name].contains(UInt8(ascii: "\\")) else { return false }
            names.append(name)
            skipSpace()
            guard take(UInt8(ascii: ":")) else { return false }
            skipSpace()
            guard member(&self, name) else { return false }
            skipSpace()
            if take(UInt8(ascii: ",")) { continue }
            return take(UInt8(ascii: "}"))
        }
    }

    private func isTaken(_ name: Range<Int>, from first: Int) -> Bool {
        for other in names[first...] where other.count == name.count && bytes[other].elementsEqual(bytes[name]) { return true }
        return false
    }

    private mutating func array() -> Bool {
        guard take(UInt8(ascii: "[")), depth < JSON.maximumDepth else { return false }
        depth += 1
        defer { depth -= 1 }
        skipSpace()
        if take(UInt8(ascii: "]")) { return true }
        while true {
            skipSpace()
            guard value() else { return false }
            skipSpace()
            if take(UInt8(ascii: ",")) { continue }
            return take(UInt8(ascii: "]"))
        }
    }

    private mutating func string() -> Bool {
        guard take(UInt8(ascii: "\"")) else { return false }
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\"") { return true }
            if byte < 0x20 { return false }
            if byte == UInt8(ascii: "\\"), !escape() { return false }
        }
        return false
    }

    private mutating func escape() -> Bool {
        guard let byte = peek else { return false }
        index += 1
        guard byte == UInt8(ascii: "u") else { return "\"\\/bfnrt".utf8.contains(byte) }
        guard let high = fourHexDigits() else { return false }
        guard (0xD800..<0xE000).contains(high) else { return true }
        guard high < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")), let low = fourHexDigits() else { return false }
        return (0xDC00..<0xE000).contains(low)
    }

    private mutating func fourHexDigits() -> UInt32? {
        guard index + 4 <= bytes.count, let value = UInt32(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16),
            bytes[index] != UInt8(ascii: "+")
        else { return nil }
        index += 4
        return value
    }

    private mutating func number() -> Bool {
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { guard digits() else { return false } }
        if take(UInt8(ascii: ".")) { guard digits() else { return false } }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard digits() else { return false }
        }
        return true
    }

    private mutating func digits() -> Bool {
        let start = index
        while let byte = peek, byte &- UInt8(ascii: "0") < 10 { index += 1 }
        return index > start
    }

    private mutating func word(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard index + count <= bytes.count else { return false }
        for offset in 0..<count where bytes[index + offset] != text.utf8Start[offset] { return false }
        index += count
        return true
    }

    // MARK: bytes

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() {
        while index < bytes.count, bytes[index] == 0x20 || bytes[index] == 0x0A || bytes[index] == 0x0D || bytes[index] == 0x09 {
            index += 1
        }
    }
}
