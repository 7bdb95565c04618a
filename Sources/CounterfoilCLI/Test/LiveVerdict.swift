import Contracts

/// Shows a watched session's journal: a line for each verdict as it falls, and on a terminal one more below them, kept up to
/// date, so that a person sees that requests arrive.
struct LiveVerdict {
    private let output: Output
    private let line: StatusLine

    init(output: Output) {
        self.output = output
        line = StatusLine(output)
    }

    /// Shows what is new.
    func show(_ report: AttachedReport, since last: AttachedReport?) {
        let news = report.news(since: last)
        if !news.isEmpty {
            line.clear()
            news.forEach(output.line)
        }
        line.show(report.tally)
    }

    /// Removes the last line, before results are written.
    func clear() { line.clear() }
}
