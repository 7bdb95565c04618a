import BankModel

/// Columns of text for a terminal: as wide as need be, amounts to the right.
struct TextTable {
    private var header: [String]
    private var alignRight: Set<Int>
    private var rows: [[String]] = []

    /// - Parameter right: the columns whose text stands to the right, from 0.
    init(_ header: String..., right: Set<Int> = []) {
        self.header = header
        alignRight = right
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

    var text: String {
        guard !rows.isEmpty else { return "(none)\n" }
        let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
        let lines = ([header] + rows).map { row in
            let cells = row.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - row[column].count)
                return alignRight.contains(column) ? space + row[column] : row[column] + space
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
