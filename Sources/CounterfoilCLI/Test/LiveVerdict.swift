import Contracts

/// Tells what a watched session's journal shows: a line for each verdict as it falls, and on a terminal one more below them,
/// kept up to date, so that a person sees that requests arrive.
struct LiveVerdict {
    let output: Output

    /// Tells what is new.
    func show(_ report: AttachedReport, since last: AttachedReport?) {
        let news = report.news(since: last)
        guard output.isTerminal else { return news.forEach(output.line) }
        if !news.isEmpty {
            clear()
            news.forEach(output.line)
        }
        output.steer("\r\u{1B}[K" + report.tally.prefix(110))
    }

    /// Takes the last line away, before results are written.
    func clear() {
        if output.isTerminal { output.steer("\r\u{1B}[K") }
    }
}
