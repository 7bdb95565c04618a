import BankFiles
import BankModel
import Contracts
import DriverProtocol
import Faults
import Testing

/// Factories: what a test does not say is as in a run where all went well.
enum Make {
    static let bank = BankFacts(
        name: "toy", customers: [.init(login: "ava", password: "secret")], operations: [.login, .accounts, .balance, .pay, .status, .atms])

    /// A node of YAML.
    static func node(_ yaml: String, _ complaints: Complaints = Complaints()) -> Node {
        Node.parse(yaml: yaml, file: "t.yaml", complaints) ?? Node(.mapping([]), at: SourcePosition())
    }

    /// The complaints about a suite.
    static func complaints(_ yaml: String, name: String = "toy") -> [String] {
        let complaints = Complaints()
        _ = Suite(node(yaml, complaints), name: name, complaints)
        return complaints.all.map(\.description)
    }

    /// The exchange of step 1, whose response arrived.
    static var signIn: JournalEntry {
        var entry = exchange(1, seq: 0)
        entry.receipt = Receipt(headBytes: 9, end: .kept)
        return entry
    }

    /// What is complained of in one case.
    static func complaints(needs: String, steps: String, expect: String = "[{control: 1}]") -> [String] {
        complaints(
            "contract: 1\nsuite: toy\ncases:\n- id: toy.a\n  why: because\n  needs: \(needs)\n  steps: \(steps)\n  expect: \(expect)")
    }

    /// The instances of one case, whose keys are given from `needs` on.
    static func instances(_ yaml: String, on bank: BankFacts = bank) -> [Instance] {
        let complaints = Complaints()
        let indented = yaml.split(separator: "\n", omittingEmptySubsequences: false).map { "  " + $0 }.joined(separator: "\n")
        let suite = Suite(
            node("contract: 1\nsuite: toy\ncases:\n- id: toy.case\n  why: because\n" + indented, complaints), name: "toy", complaints)
        let instances = suite?.cases.flatMap { $0.instances(on: bank, complaints) } ?? []
        return complaints.all.isEmpty ? instances : []
    }

    /// A case of `login, accounts, accounts` that expects this.
    static func reading(_ expectations: String..., steps: String = "[login, accounts, accounts]") -> Instance? {
        instances("needs: [login, accounts]\nsteps: \(steps)\nexpect:\n" + expectations.map { "- " + $0 }.joined(separator: "\n")).first
    }

    /// A case that pays A (step 2) and B (step 3) and expects this.
    static func paying(_ expectations: String...) -> Instance? {
        let pays = "[login, pay: {intent: A, amount: \"10.00\"}, pay: {intent: B, amount: \"10.00\"}]"
        return instances("needs: [login, pay]\nsteps: \(pays)\nexpect:\n" + expectations.map { "- " + $0 }.joined(separator: "\n")).first
    }

    /// Step n lasts from `n * 100` to `n * 100 + 50`.
    static func steps(_ outcomes: [Int: StepOutcome]) -> [Int: StepReport] {
        Dictionary(
            uniqueKeysWithValues: outcomes.map { (number: Int, outcome: StepOutcome) -> (Int, StepReport) in
                let started = Int64(number * 100)
                return (number, StepReport(outcome, started: started, ended: started + 50))
            })
    }

    /// Three steps that went well, each with one exchange.
    static func allWell() -> Evidence { allWell { _ in } }

    static func allWell(_ changes: (inout Evidence) throws -> Void) rethrows -> Evidence {
        var evidence = Evidence(
            steps: steps([1: .ok(view: [:]), 2: .ok(view: [:]), 3: .ok(view: [:])]),
            journal: (1...3).map { exchange($0) })
        try changes(&evidence)
        return evidence
    }

    /// An exchange in the middle of step n.
    static func exchange(
        _ n: Int, seq: Int? = nil, at: Int64? = nil, roles: [String] = [], token: String? = "token#1", key: String? = nil,
        sha: String = "", status: Int? = 200, response: String? = nil, path: String = "/", query: String? = nil, connection: Int = 1
    ) -> JournalEntry {
        JournalEntry(
            seq: seq ?? n, monoNanoseconds: at ?? Int64(n * 100 + 10), durationMicroseconds: 0, requestOnConnection: connection, path: path,
            query: query, roles: roles, token: token, key: key, attempt: 1, bodySHA256: sha, status: status, response: response)
    }

    static func movement(key: String?, state: Movement.State = .settled) throws -> Movement {
        Movement(
            id: "m", operation: "pay", key: key, customer: "ava", state: state, from: .init(table: "t", id: "1"),
            to: .init(table: "t", id: "2"),
            amount: Money(minorUnits: 1000, currency: try #require(Currency("GBP"))), at: Instant(seconds: 0))
    }

    static func rule(_ yaml: String, applied: Int = 0, step: Int = 1) -> Evidence.ArmedRule? {
        Rule(node(yaml), Complaints()).map { Evidence.ArmedRule(step: step, id: "rule-1", rule: $0, applied: applied) }
    }
}

extension UnmetExpectation {
    /// An expectation in words of a test.
    init(_ weight: Weight = .failure, expected: Phrase, seen: Phrase, exchange: Int? = nil, mistake: Finding.Mistake? = nil) {
        self.init(weight, Finding(seen, expected, requests: exchange.map { [RequestRef(number: $0)] } ?? [], mistake: mistake))
    }

    var expected: String { finding.expected.text }
    var seen: String { finding.seen.text }
}
