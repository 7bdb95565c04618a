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
        var (line, lineStart, read) = (1, 0, 0)
        for start in RowScan.elementStarts(bytes, at: member.map { $0.split(separator: ".").map(String.init) } ?? []) {
            for position in read..<start where bytes[position] == UInt8(ascii: "\n") { (line, lineStart) = (line + 1, position + 1) }
            read = start
            // A column counts characters, as in a JSON error: continuation bytes are not counted.
            let column = bytes[lineStart..<start].count { $0 & 0xC0 != 0x80 } + 1
            positions.append(SourcePosition(file: file, line: line, column: column))
        }
    }

    /// The position of the row at that index, from 0; the file's first line if it is not known.
    subscript(_ index: Int) -> SourcePosition {
        positions.indices.contains(index) ? positions[index] : SourcePosition(file: file, line: 1, column: 1)
    }
}
