import BankModel
import Contracts
import Harness
import Synchronization

/// Shows on a terminal how far a run is; elsewhere nothing.
final class ProgressLine: Sendable {
    private let output: Output
    private let failures = Mutex(0)

    init(_ output: Output) { self.output = output }

    func show(_ progress: Progress) {
        guard output.isTerminal else { return }
        switch progress {
        case .began(let client, let total): line("\(client): 0 of \(total)")
        case .finished(let result, let done, let total):
            let failed = failures.withLock { failures in
                failures += result.judgement.verdict == .fail ? 1 : 0
                return failures
            }
            show(done, of: total, (failed > 0 ? ", \(failed) failed" : "") + "  \(result.name)")
        }
    }

    /// Shows how much is done, and what of.
    func show(_ done: Int, of total: Int, _ what: String) {
        guard output.isTerminal else { return }
        let width = 24
        let filled = total == 0 ? width : done * width / total
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        line("\(bar) \(done) of \(total)\(what)")
    }

    /// Takes the line away, before results are written.
    func clear() {
        if output.isTerminal { output.steer("\r\u{1B}[K") }
    }

    private func line(_ text: String) { output.steer("\r\u{1B}[K" + text.inOneLine.prefix(110)) }
}
