import BankModel

/// The positions of a fixture's rows: one scan of the bytes, made only for a complaint about a row.
struct RowPositions {
    private let file: String
    private var positions: [SourcePosition] = []

    /// - Parameters:
    ///   - bytes: JSON that was parsed already; in anything else no row is found.
    ///   - member: the dotted path of the array; nil for the document itself.
    init(file: String, bytes: [UInt8], at member: String?) {
        self.file = file
        var scanner = Scanner(bytes: bytes)
        guard scanner.enter(member.map { $0.split(separator: ".").map(String.init) } ?? []) else { return }
        positions = scanner.elementStarts().map { SourcePosition(file: file, line: $0.line, column: $0.column) }
    }

    /// The position of the row at that index, from 0; the file's first line if it is not known.
    subscript(_ index: Int) -> SourcePosition {
        positions.indices.contains(index) ? positions[index] : SourcePosition(file: file, line: 1, column: 1)
    }
}

/// Skips JSON values without parsing them.
private struct Scanner {
    let bytes: [UInt8]
    private var index = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Enters the value of the member on that path.
    mutating func enter(_ path: [String]) -> Bool {
        skipSpace()
        guard let step = path.first else { return true }
        guard take("{") else { return false }
        while true {
            skipSpace()
            let start = index
            skipValue()
            let name = bytes[start..<index]
            skipSpace()
            guard take(":") else { return false }
            if name.elementsEqual("\"\(step)\"".utf8) { return enter(Array(path.dropFirst())) }
            skipSpace()
            skipValue()
            skipSpace()
            guard take(",") else { return false }
        }
    }

    /// The line and column at which each element of the array begins.
    mutating func elementStarts() -> [(line: Int, column: Int)] {
        guard take("[") else { return [] }
        var starts: [Int] = []
        repeat {
            skipSpace()
            guard index < bytes.count, bytes[index] != UInt8(ascii: "]") else { break }
            starts.append(index)
            skipValue()
            skipSpace()
        } while take(",")
        var (line, lineStart, read) = (1, 0, 0)
        return starts.map { start in
            for position in read..<start where bytes[position] == UInt8(ascii: "\n") { (line, lineStart) = (line + 1, position + 1) }
            read = start
            // A column counts characters, as in a JSON error: continuation bytes are not counted.
            return (line, bytes[lineStart..<start].count { $0 & 0xC0 != 0x80 } + 1)
        }
    }

    /// A text, a number or word up to the next structural character, or a whole object or array.
    private mutating func skipValue() {
        var depth = 0
        repeat {
            guard index < bytes.count else { return }
            switch bytes[index] {
            case UInt8(ascii: "\""): skipText()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                index += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"), 0x09, 0x0A, 0x0D, 0x20: index += 1
            default:
                while index < bytes.count, !",:]} \t\r\n".utf8.contains(bytes[index]) { index += 1 }
            }
        } while depth > 0
    }

    private mutating func skipText() {
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
        index += 1
    }

    private mutating func skipSpace() {
        while index < bytes.count, [0x09, 0x0A, 0x0D, 0x20].contains(bytes[index]) { index += 1 }
    }

    private mutating func take(_ sign: Character) -> Bool {
        guard index < bytes.count, bytes[index] == sign.asciiValue else { return false }
        index += 1
        return true
    }
}
