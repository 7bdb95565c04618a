/// Skips JSON, as strict about the grammar (RFC 8259) as the parser, but without building values.
struct JSONSkipper {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let columns: [[UInt8]]
    /// Whether the parser has accepted the document: rows may be values of any kind, and names are not examined.
    private let isParsed: Bool
    private var index = 0
    private var depth = 0
    /// The names of the objects that are open, one object after the other.
    private var names: [Range<Int>] = []
    private(set) var rows: [Range<Int>] = []
    private(set) var values: [[Range<Int>]]

    init(_ bytes: UnsafeBufferPointer<UInt8>, columns: [[UInt8]], isParsed: Bool = false) {
        self.bytes = bytes
        self.columns = columns
        self.isParsed = isParsed
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
        guard let step = path.first else { return array { $0.row() } }
        var isFound = false
        let isObject = object { skipper, name in
            guard skipper.bytes[name].elementsEqual("\"\(step)\"".utf8), !isFound else { return skipper.value() }
            isFound = true
            return skipper.enter(path.dropFirst())
        }
        return isObject && isFound
    }

    private mutating func row() -> Bool {
        let start = index
        if isParsed {
            guard value() else { return false }
            rows.append(start..<index)
            return true
        }
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

    /// The range of the value at a dotted path, as ``JSON/at(_:)`` finds it: a member with the whole path as its name takes
    /// precedence.
    mutating func value(at path: ArraySlice<UInt8>, from start: Int) -> Range<Int>? {
        index = start
        if path.isEmpty { return value() ? start..<index : nil }
        let step = path.prefix { $0 != UInt8(ascii: ".") }
        var whole: Range<Int>?
        var first: Int?
        let isObject = object { skipper, name in
            let start = skipper.index
            guard skipper.value() else { return false }
            if skipper.isName(name, path) { whole = start..<skipper.index }
            if step.count < path.count, skipper.isName(name, step) { first = start }
            return true
        }
        guard isObject, whole == nil, let first else { return whole }
        return value(at: path[(step.endIndex + 1)...], from: first)
    }

    private func isName(_ range: Range<Int>, _ name: some Collection<UInt8>) -> Bool {
        range.count == name.count + 2 && bytes[range.lowerBound + 1..<range.upperBound - 1].elementsEqual(name)
    }

    // MARK: values

    private mutating func value() -> Bool {
        guard let byte = peek else { return false }
        switch byte {
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "{"): return object { skipper, _ in skipper.value() }
        case UInt8(ascii: "["): return array { $0.value() }
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return number()
        case UInt8(ascii: "t"): return word("true")
        case UInt8(ascii: "f"): return word("false")
        case UInt8(ascii: "n"): return word("null")
        default: return false
        }
    }

    /// - Parameter member: skips a member's value; it receives the range of the name with its quotes.
    private mutating func object(_ member: (inout JSONSkipper, Range<Int>) -> Bool) -> Bool {
        guard consume(UInt8(ascii: "{")), depth < JSON.maximumDepth else { return false }
        depth += 1
        let first = names.count
        defer {
            depth -= 1
            names.removeSubrange(first...)
        }
        skipSpace()
        if consume(UInt8(ascii: "}")) { return true }
        while true {
            skipSpace()
            let start = index
            guard string() else { return false }
            let name = start..<index
            // An escape can spell a name in two ways: the parser decides.
            if !isParsed {
                guard !isTaken(name, from: first), !bytes[name].contains(UInt8(ascii: "\\")) else { return false }
                names.append(name)
            }
            skipSpace()
            guard consume(UInt8(ascii: ":")) else { return false }
            skipSpace()
            guard member(&self, name) else { return false }
            skipSpace()
            if consume(UInt8(ascii: ",")) { continue }
            return consume(UInt8(ascii: "}"))
        }
    }

    private func isTaken(_ name: Range<Int>, from first: Int) -> Bool {
        for other in names[first...] where other.count == name.count && bytes[other].elementsEqual(bytes[name]) { return true }
        return false
    }

    private mutating func array(_ element: (inout JSONSkipper) -> Bool) -> Bool {
        guard consume(UInt8(ascii: "[")), depth < JSON.maximumDepth else { return false }
        depth += 1
        defer { depth -= 1 }
        skipSpace()
        if consume(UInt8(ascii: "]")) { return true }
        while true {
            skipSpace()
            guard element(&self) else { return false }
            skipSpace()
            if consume(UInt8(ascii: ",")) { continue }
            return consume(UInt8(ascii: "]"))
        }
    }

    private mutating func string() -> Bool {
        let start = index
        guard consume(UInt8(ascii: "\"")) else { return false }
        var isPlain = true
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\"") { return isPlain || isString(bytes[start..<index]) }
            if byte < 0x20 { return false }
            guard byte == UInt8(ascii: "\\") else { continue }
            isPlain = false
            index += 1
        }
        return false
    }

    /// Whether the parser accepts a text with escapes: they are rare.
    private func isString(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var parser = JSONParser(bytes: Array(text))
        return (try? parser.string()) != nil
    }

    private mutating func number() -> Bool {
        _ = consume(UInt8(ascii: "-"))
        if !consume(UInt8(ascii: "0")) { guard digits() else { return false } }
        if consume(UInt8(ascii: ".")) { guard digits() else { return false } }
        if consume(UInt8(ascii: "e")) || consume(UInt8(ascii: "E")) {
            if !consume(UInt8(ascii: "+")) { _ = consume(UInt8(ascii: "-")) }
            guard digits() else { return false }
        }
        return true
    }

    private mutating func digits() -> Bool {
        let start = index
        while let byte = peek, byte &- UInt8(ascii: "0") < 10 { index += 1 }
        return index > start
    }

    private mutating func word(_ text: String) -> Bool {
        guard bytes[index...].starts(with: text.utf8) else { return false }
        index += text.utf8.count
        return true
    }

    // MARK: bytes

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func consume(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() {
        while index < bytes.count, bytes[index].isBlank { index += 1 }
    }
}
