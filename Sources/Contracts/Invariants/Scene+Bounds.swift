import BankModel
import Faults
import DriverProtocol

/// Nothing goes on for ever.
extension Scene {
    /// A request that was sent before a result was told may be read by the bank a little later, in nanoseconds.
    private static let onItsWay: Int64 = 250_000_000

    /// No step causes more requests than these, a list more pages, or one page more requests; and none comes when no step is
    /// under way.
    func bounded(requests: Int, pages: Int) -> Findings {
        var findings = Findings()
        let asked = steps.filter { $0.action.asked != nil && evidence.steps[$0.n] != nil }
        for step in asked {
            let own = exchanges(during: step.n).filter { $0.method != nil }
            let isList = [.accounts, .transactions, .goals, .atms].contains(step.action.asked)
            let most = isList ? pages : requests
            // Each list is asked for in pages of its own; what else a step asks for besides is counted by itself.
            let count = isList ? Scene.most(own.map(\.path)) : own.count
            let same = Scene.most(own.map { "\($0.method ?? "") \($0.path)?\($0.query ?? "")" })
            if count > most {
                findings.add(Unmet(.breach, .tooMany(step.named, count, most: most, isSame: false)))
            } else {
                findings.add(same > requests ? Unmet(.breach, .tooMany(step.named, same, most: requests, isSame: true)) : nil)
            }
        }
        guard !wasSlowed, let stray = strays.first else { return findings }
        findings.add(Unmet(.breach, .strayRequest(stray)))
        return findings
    }

    /// How often the text that comes most often does.
    private static func most(_ texts: [String]) -> Int { Dictionary(grouping: texts) { $0 }.values.map(\.count).max() ?? 0 }

    /// The client never ends a step in this way.
    func never(_ end: StepOutcome) -> Findings {
        var findings = Findings()
        for step in steps where step.action.asked != nil {
            guard let outcome = outcome(of: step.n) else { continue }
            findings.add(outcome == end ? Unmet(.violation, .stepUnanswered(step.named, isHang: end == .hung)) : nil)
        }
        return findings
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
        exchanges.contains { $0.hasFault(.delaysConnection) }
    }
}
