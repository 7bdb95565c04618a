import BankModel
import DriverProtocol

/// Nothing goes on for ever.
extension Scene {
    /// A request that was sent before a result was told may be read by the bank a little later, in nanoseconds.
    private static let onItsWay: Int64 = 250_000_000

    /// No step causes more requests than these, and none comes when no step is under way.
    func bounded(requests: Int, pages: Int) -> InvariantFinding {
        var finding = InvariantFinding()
        let asked = instance.allSteps.filter { $0.action.asked != nil && evidence.steps[$0.n] != nil }
        for step in asked {
            let isList = [.accounts, .transactions, .goals, .atms].contains(step.action.asked)
            let most = isList ? pages : requests
            let count = exchanges(during: step.n).count { $0.method != nil }
            let expected = "step \(step.n) (\(step.action.asked?.rawValue ?? "")) causes at most \(most) requests"
            finding.look(count > most ? Unmet(.breach, expected: expected, seen: "\(count)") : nil)
        }
        guard !wasSlowed, let stray = strays.first else { return finding }
        finding.look(
            Unmet(
                .breach, expected: "no request comes when the client has told the result of all it was asked for",
                seen: "exchange \(stray.seq), \(stray.method ?? "") \(stray.path)"))
        return finding
    }

    /// The client never ends a step in this way.
    func never(_ end: StepOutcome) -> InvariantFinding {
        var finding = InvariantFinding()
        for step in instance.allSteps where step.action.asked != nil {
            guard let outcome = outcome(of: step.n) else { continue }
            let expected = "the client answers step \(step.n) (\(step.action))"
            finding.look(outcome == end ? Unmet(.violation, expected: expected, seen: "\(outcome)") : nil)
        }
        return finding
    }

    /// The requests that came when nothing was asked for; to sign out at the bank may take its time.
    private var strays: [JournalEntry] {
        let reports = evidence.steps.values
        return exchanges.filter { exchange in
            exchange.method != nil && !exchange.roles.contains(Role.logout.rawValue)
                && !reports.contains { report in
                    exchange.monoNanoseconds >= report.started
                        && exchange.monoNanoseconds <= max(report.started, report.ended) + Scene.onItsWay
                }
        }
    }

    /// Whether the bank itself may have read requests late.
    private var wasSlowed: Bool {
        exchanges.contains { $0.faults.contains { $0.applied && ["delay", "bandwidth", "blackhole"].contains($0.kind) } }
    }
}
