import BankModel
import Contracts

/// Shows a watched session's journal: a line for each verdict as it falls, and on a terminal one more below them, kept up to
/// date, so that a user sees that requests arrive.
struct LiveVerdict {
    private let line = StatusLine()
    /// The session, before each verdict; nil for the only one, which has a separate last line.
    var name: String?

    /// Shows what is new.
    func show(_ report: JournalReport, since last: JournalReport?) {
        let news = report.news(since: last)
        if !news.isEmpty {
            line.clear()
            for verdict in news { Output.errors.line((name.map { "\($0): " } ?? "") + verdict) }
        }
        if name == nil { line.show(report.tally) }
    }

    /// Removes the last line, before results are written.
    func clear() { line.clear() }
}
