import BankModel

/// Columns of text: as wide as need be, on a terminal no wider than it; amounts to the right.
struct TextTable {
    private var header: [String]
    private var alignRight: Set<Int>
    private var shortened: [Int]
    private var shortenedLast: [Int]
    private var rows: [[String]] = []

    /// - Parameters:
    ///   - right: the columns whose text stands to the right, from 0.
    ///   - shortening: the columns that may be cut off on a narrow terminal.
    ///   - last: those that are cut off only if that is not enough.
    init(_ header: String..., right: Set<Int> = [], shortening: [Int] = [], last: [Int] = []) {
        self.header = header
        alignRight = right
        shortened = shortening
        shortenedLast = last
    }

    /// A text of several lines shows its further lines below, in its column; one of the first column, where they would be lines of
    /// the table, in one line.
    mutating func add(_ cells: String...) { add(cells) }

    /// As ``add(_:)``, the cells in an array.
    mutating func add(_ cells: [String]) {
        let lines = cells.enumerated().map { column, cell in
            column == 0 ? [cell.inOneLine] : cell.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).inOneLine }
        }
        for line in 0..<(lines.map(\.count).max() ?? 0) {
            rows.append(lines.map { line < $0.count ? $0[line] : "" })
        }
    }

    var text: String { text(columns: nil) }

    /// The table for a stream: no line is wider than its terminal, if cutting off helps.
    func text(for output: Output) -> String { text(columns: output.columns) }

    /// - Parameter columns: the width to keep to; nil if any is fine.
    func text(columns: Int?) -> String {
        guard !rows.isEmpty else { return "(none)\n" }
        var widths = header.indices.map { column in ([header] + rows).map { $0[column].columns }.max() ?? 0 }
        if let columns { shrink(&widths, to: columns) }
        let lines = ([header] + rows).map { row in
            let cells = row.indices.map { column in
                let cell = row[column].clipped(toColumns: widths[column])
                let space = String(repeating: " ", count: widths[column] - cell.columns)
                return alignRight.contains(column) ? space + cell : cell + space
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Makes the columns that may be cut off narrower, always the widest of them, until the lines fit or each is as narrow as its
    /// header. The others stay whole, because a user copies ids and addresses from the terminal.
    private func shrink(_ widths: inout [Int], to columns: Int) {
        var excess = widths.reduce(0, +) + 2 * (widths.count - 1) - columns
        for cut in [shortened, shortenedLast] {
            while excess > 0 {
                let wide = cut.filter { widths[$0] > max(header[$0].columns, 8) }
                guard let widest = wide.max(by: { widths[$0] < widths[$1] }) else { break }
                widths[widest] -= 1
                excess -= 1
            }
        }
    }
}

extension String {
    /// The text in at most `limit` columns; `…` stands for what was cut off.
    func clipped(toColumns limit: Int) -> String {
        guard columns > limit else { return self }
        var text = ""
        var used = 1
        for character in self {
            used += character.columns
            if used > limit { break }
            text.append(character)
        }
        return limit > 0 ? text + "…" : ""
    }
}
