import BankModel
import Contracts
import Testing

/// Which of several causes decides the verdict: [the order](../../docs/verdicts.md#which-one-is-reported).
@Suite struct PrecedenceTests {
    /// A cause of a verdict, and what of the evidence shows it.
    private struct Cause: Sendable {
        let name: String
        let verdict: Verdict
        var counts = Counts.always
        let add: @Sendable (inout Evidence) -> Void
    }

    /// When a cause counts at all.
    private enum Counts: Sendable {
        case always
        case unlessTheClientEnded
        /// Only if a cause that counts always is there: it may explain that one.
        case besideAnother
    }

    private static let clientEnded = "client ended"

    /// The decision table: the first cause decides.
    private static let table: [Cause] = [
        Cause(name: "harness", verdict: .harnessError) { $0.harnessTrouble = "the driver violates the protocol" },
        Cause(name: "machine", verdict: .unsupported) { $0.beyondMachine = "run it on Linux" },
        Cause(name: "step", verdict: .unsupported, counts: .unlessTheClientEnded) { $0.steps[5]?.outcome = .unsupported },
        Cause(name: clientEnded, verdict: .fail) { $0.clientTrouble = "the client crashed" },
        Cause(name: "never", verdict: .fail) { $0.journal[0].token = "empty" },
        Cause(name: "dropped", verdict: .inconclusive) { $0.dropped = 3 },
        Cause(name: "control", verdict: .inconclusive) { $0.steps[2]?.outcome = .error("offline", detail: nil) },
        Cause(name: "limit", verdict: .inconclusive, counts: .besideAnother) { $0.journal[3].response = "rate-limited" },
        Cause(name: "disk", verdict: .fail) {
            $0.foundSecrets = [Evidence.FoundSecret(token: "token#1", location: .disk, path: "store", encoding: "raw", after: 5)]
        },
        Cause(name: "optional step", verdict: .notExercised) { $0.steps[3]?.outcome = .error("offline", detail: nil) },
        Cause(name: "bound token", verdict: .notExercised, counts: .besideAnother) {
            $0.journal[4].requestHeaders = [JournalEntry.Header("DPoP", "…")]
            $0.journal[4].responseBody = Array("{\"access_token\":\"token#2\",\"token_type\":\"Bearer\"}".utf8)
            $0.journal[4].faults = [FaultRecord(rule: "rule-1", kind: "status", point: "request", applied: true)]
        },
        Cause(name: "failure", verdict: .fail) { $0.steps[4]?.outcome = .error("offline", detail: nil) },
        Cause(name: "unsearched log", verdict: .inconclusive) {
            let log = Evidence.FoundSecret.log
            $0.unsearched = [Evidence.Unsearched(path: log, reason: "too long", mayHoldSecret: true, after: Evidence.FoundSecret.atEnd)]
        },
        Cause(name: "no key", verdict: .notExercised) { $0.journal.removeAll { $0.key != nil } },
    ]

    /// A run in which all goes well: a sign-in, four reads, and a request with a key.
    private static var allWell: Evidence {
        let outcomes = Dictionary(uniqueKeysWithValues: (1...5).map { (number: Int) -> (Int, StepOutcome) in (number, .ok(view: [:])) })
        let keyed = Make.exchange(1, seq: 6, at: 120, roles: ["balance"], key: "0f4e6a52-9d1c-4b1e-8a55-3c2f7d6b9e01")
        return Evidence(steps: Make.steps(outcomes), journal: (1...5).map { Make.exchange($0) } + [keyed])
    }

    /// The verdict by the table. A failure is inconclusive if the machine's clock was set.
    private func verdict(of causes: [Cause], isClockSet: Bool) -> Verdict {
        let hasEnded = causes.contains { $0.name == PrecedenceTests.clientEnded }
        let hasAnother = causes.contains { $0.counts == .always }
        let first = causes.first { cause in
            switch cause.counts {
            case .always: true
            case .unlessTheClientEnded: !hasEnded
            case .besideAnother: hasAnother
            }
        }
        guard let first else { return .pass }
        return first.verdict == .fail && isClockSet ? .inconclusive : first.verdict
    }

    @Test func `the first of the causes that a run has decides, whatever else it has`() throws {
        let instance = try #require(
            Make.reading(
                "{never: {sends: empty-bearer}}", "{control: 2}", "{control: 3, otherwise: not-exercised}", "{step: 4, outcome: ok}",
                "{disk: {lacks: $tokens}}", "{log: {lacks: $tokens}}", "{key: {format: uuid, role: balance}}",
                steps: "[login, accounts, accounts, accounts, accounts]"))
        var wrong: [String] = []
        for combination in 0..<1 << PrecedenceTests.table.count {
            let causes = PrecedenceTests.table.enumerated().filter { combination >> $0.offset & 1 == 1 }.map(\.element)
            var evidence = PrecedenceTests.allWell
            for cause in causes { cause.add(&evidence) }
            for isClockSet in [false, true] {
                evidence.clockWasSet = isClockSet ? .seconds(2) : .zero
                let (seen, expected) = (judge(instance, evidence).verdict, verdict(of: causes, isClockSet: isClockSet))
                if seen != expected { wrong.append("\(causes.map(\.name)), clock set: \(isClockSet): \(seen) in place of \(expected)") }
            }
        }

        let examples = Array(wrong.prefix(3))
        #expect(examples == [])
    }
}
