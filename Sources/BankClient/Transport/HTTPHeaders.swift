/// Header lines in order; names compare without case (RFC 9110 §5.1).
///
/// The lines remain the bytes that came over the wire; only values that are read become strings.
package struct HTTPHeaders: Sendable {
    /// One line of a head.
    package struct Line: Sendable, Hashable {
        package var name: String
        package var value: String
    }

    /// The ranges of a line's name and value in the bytes.
    private struct Position: Sendable {
        var name: Range<Int>
        var value: Range<Int>
    }

    /// The usual number of lines of a bank's response, for which memory is reserved.
    private static let usualLines = 12

    private var bytes: [UInt8]
    private var positions: [Position] = []

    package init() { bytes = [] }

    /// No lines yet; ``addLine(name:value:)`` adds their ranges in the bytes.
    init(in bytes: [UInt8]) { self.bytes = bytes }

    /// Adds the line whose name and value have those ranges in the bytes.
    mutating func addLine(name: Range<Int>, value: Range<Int>) {
        if positions.isEmpty { positions.reserveCapacity(HTTPHeaders.usualLines) }
        positions.append(Position(name: name, value: value))
    }

    package var isEmpty: Bool { positions.isEmpty }

    package var lines: [Line] { positions.map { Line(name: text($0.name), value: text($0.value)) } }

    package mutating func append(_ name: String, _ value: String) {
        let start = bytes.count
        bytes.append(contentsOf: name.utf8)
        let middle = bytes.count
        bytes.append(contentsOf: value.utf8)
        addLine(name: start..<middle, value: middle..<bytes.count)
    }

    /// The first value of that name. Setting replaces all lines of the name; nil removes them.
    package subscript(_ name: String) -> String? {
        get { positions.first { isNamed(name, $0) }.map { text($0.value) } }
        set {
            let others = positions.filter { !isNamed(name, $0) }
            if others.count < positions.count {
                // Rebuilt: no byte of a removed line remains, as it may be a token.
                let before = self
                self = HTTPHeaders()
                for position in others { append(before.text(position.name), before.text(position.value)) }
            }
            if let newValue { append(name, newValue) }
        }
    }

    /// All values of that name, in order.
    package func values(_ name: String) -> [String] { positions.lazy.filter { isNamed(name, $0) }.map { text($0.value) } }

    /// Names are ASCII: `A` to `Z` count as `a` to `z`, every other byte as itself.
    private func isNamed(_ name: String, _ position: Position) -> Bool {
        guard position.name.count == name.utf8.count else { return false }
        let lower = { (byte: UInt8) in 0x41 <= byte && byte <= 0x5A ? byte | 0x20 : byte }
        var name = name
        return name.withUTF8 { name in
            bytes.withUnsafeBufferPointer { bytes in
                name.indices.allSatisfy { lower(name[$0]) == lower(bytes[position.name.lowerBound + $0]) }
            }
        }
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

extension HTTPHeaders: Hashable {
    package static func == (one: HTTPHeaders, other: HTTPHeaders) -> Bool { one.lines == other.lines }
    package func hash(into hasher: inout Hasher) { hasher.combine(lines) }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, String)...) {
        self.init()
        for (name, value) in elements { append(name, value) }
    }
}
