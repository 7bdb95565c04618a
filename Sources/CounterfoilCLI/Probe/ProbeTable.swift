import BankModel
import ProviderCheck

/// The verdicts as a table, whose last column is folded.
struct ProbeTable {
    private let rows: [(kind: String, verdict: String, found: String)]

    init(_ report: ProbeReport, withTolerated: Bool) {
        rows = report.rows.map { ($0.kind, $0.verdict, $0.found(withTolerated: withTolerated)) }
    }

    /// - Parameter columns: the width to keep to.
    func text(columns: Int) -> String {
        let kind = max(4, rows.map(\.kind.columns).max() ?? 0)
        let verdict = max(7, rows.map(\.verdict.columns).max() ?? 0)
        let room = max(20, columns - kind - verdict - 4)
        var table = TextTable("KIND", "VERDICT", "FOUND")
        for row in rows { table.add(row.kind, row.verdict, ProbeTable.folded(row.found, to: room)) }
        return table.text(columns: nil)
    }

    /// The text in lines, cut between words.
    private static func folded(_ text: String, to columns: Int) -> String {
        var lines = [""]
        for word in text.split(separator: " ").map(String.init) {
            let last = lines[lines.count - 1]
            if last.isEmpty {
                lines[lines.count - 1] = word
            } else if last.columns + 1 + word.columns <= columns {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(word)
            }
        }
        return lines.joined(separator: "\n")
    }
}
