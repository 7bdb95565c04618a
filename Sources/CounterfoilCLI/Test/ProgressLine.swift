import BankModel
import Contracts
import Harness
import Platform

/// Shows on a terminal how far a run is; elsewhere in a line for each minute, because some CI systems end a job that prints nothing for long.
final class ProgressLine: Sendable {
    private let line = StatusLine()
    private let failures = Locked(0)
    private let minutes = Locked(Minutes(since: MachineTime.monotonic()))

    func show(_ progress: Progress) {
        switch progress {
        case .began(let client, let total): line.show("\(client): 0 of \(total)")
        case .finished(let result, let done, let total):
            let failed = failures.withLock { failures in
                failures += result.judgement.verdict == .fail ? 1 : 0
                return failures
            }
            show(done, of: total, (failed > 0 ? ", \(failed) failed" : "") + "  \(result.name)", failed > 0 ? .red : .green)
        }
    }

    /// Shows how much is done, and what of.
    func show(_ done: Int, of total: Int, _ what: String, _ style: Style = .green) {
        guard line.isShown else {
            let isDue = minutes.withLock { $0.isDue(at: MachineTime.monotonic()) }
            if isDue { Output.errors.line(ProgressLine.text(done, of: total, what, bar: 0)) }
            return
        }
        let width = ProgressLine.barWidth(room: line.room)
        line.show(ProgressLine.text(done, of: total, what, bar: width), bar: (length: width, style: style))
    }

    /// Removes the line, before results are written.
    func clear() { line.clear() }

    /// The bar's columns: a third of a narrow terminal, at most 24.
    static func barWidth(room: Int) -> Int { min(24, room / 3) }

    /// `██████░░░░ 6 of 10, 1 failed  auth.refresh@toy`
    ///
    /// - Parameter bar: the bar's columns; without any, the line begins with the count.
    static func text(_ done: Int, of total: Int, _ what: String, bar: Int) -> String {
        let filled = total == 0 ? bar : done * bar / total
        let drawn = String(repeating: "█", count: filled) + String(repeating: "░", count: bar - filled)
        return "\(drawn)\(bar > 0 ? " " : "")\(done) of \(total)\(what)"
    }

    /// At most one time in each minute.
    struct Minutes: Sendable {
        private var last: Int64

        /// - Parameter start: when the first minute begins, in nanoseconds of the monotonic clock.
        init(since start: Int64) { last = start }

        /// Whether a minute has passed since the last time that it was due.
        mutating func isDue(at now: Int64) -> Bool {
            guard now - last >= 60_000_000_000 else { return false }
            last = now
            return true
        }
    }
}
