import BankModel
import Contracts
import DriverProtocol
import Testing

@testable import Contracts

/// What `counterfoil explore` reports.
@Suite struct ExploreReportTests {
    private static let steps: [JSON] = ["login", "accounts"]
    private static let scenario = Scenario(name: "never-hangs-1234", bank: "toy", steps: steps)

    private static func hung() throws -> [InstanceResult] {
        let instance = try #require(scenario.instance(on: Make.bank, views: []))
        let evidence = Evidence(steps: Make.steps([1: .ok(view: [:]), 2: .hung]), clientTrouble: "the client hung in step 2 (accounts)")
        let broken = InvariantVerdicts(Make.invariants, of: instance, evidence).broken
        return [InstanceResult(instance, evidence, judge(instance, evidence))]
            + broken.map { InstanceResult(instance.brokenBy($0.invariant), evidence, Judgement(.fail, $0.unmet)) }
    }

    private static func report() throws -> ExploreReport {
        let failure = try #require(ExploredFailure.all(in: hung()).first)
        var report = ExploreReport(client: "acme 2.1", command: "./driver", options: "--contracts explored", seed: 7)
        report.banks = ["toy"]
        report.duration = .seconds(2)
        report.exercised.runs = 40
        report.exercised.steps = 200
        var found = ExploreReport.Found(
            failure: failure, original: Scenario(name: "run-3", bank: "toy", steps: Array(repeating: "accounts", count: 9)),
            scenario: scenario, run: 3, tried: 12, words: scenario.words(on: Make.bank),
            file: try #require(scenario.file(on: Make.bank, views: [])))
        found.path = "explored/explored.never-hangs-1234.yaml"
        report.found = [found]
        return report
    }

    @Test func `a failure is shown with its steps in words, its contract and the command that repeats it`() throws {
        let text = try Self.report().text

        for line in [
            "FAIL  invariant.never-hangs@toy in explored.never-hangs-1234", "  The client hung in step 2 (accounts).",
            "  oracle    never-hangs", "  found     in run 3: 9 steps; shrunk to 2 steps in 12 attempts", "    1  the client signs in",
            "    2  the client shows the accounts", "  contract  explored/explored.never-hangs-1234.yaml",
            "  again     counterfoil test --client ./driver --contracts explored --filter explored.never-hangs-1234@toy --seed 7",
            "40 runs in 2.0 s (20.0 a second): 200 steps, 0 faults, 0 pairs of operation, fault and point; 1 failure (acme 2.1, toy, seed 7)",
        ] { #expect(text.contains(line), "\(line)") }
    }

    @Test func `the JSON lists oracle, steps, seed and contract`() throws {
        let failure = try #require(Self.report().json["failures"]?.array?.first)

        #expect(failure["oracle"] == "never-hangs")
        #expect(failure["steps"] == .array(Self.steps))
        #expect(failure["seed"] == 7)
        #expect(failure["contract"] == "explored/explored.never-hangs-1234.yaml")
    }

    @Test func `the exit code counts repeated failures only`() throws {
        var report = try Self.report()
        let failure = try #require(report.found.first?.failure)
        #expect(report.exitCode == .failed)
        report.trouble = "the exploration was interrupted"
        #expect(report.exitCode == .failed)
        report.found = []
        #expect(report.exitCode == .noVerdict)
        report.trouble = nil
        report.unrepeated = [.init(failure: failure, run: 4, again: 1)]
        #expect(report.exitCode == .ok)
        #expect(report.text.hasPrefix("not reproducible  run 4, never-hangs, 1 of 3 further runs: The client hung in step 2 (accounts)."))
        report.exercised.withoutVerdict = [.init(.unsupported, "the client reported step … (pay) as unsupported"): 40]
        #expect(report.exitCode == .nothingExercised)
    }

    @Test func `runs without a verdict are reported by reason, the most frequent first`() throws {
        let instance = try #require(Self.scenario.instance(on: Make.bank, views: []))
        var report = ExploreReport(client: "acme 2.1", command: "./driver", seed: 7)
        report.banks = ["toy"]
        let ran = Evidence(steps: Make.steps([1: .ok(view: [:]), 2: .unsupported]))
        for evidence in [Evidence(harnessTrouble: "the port was lost"), ran, ran] {
            report.exercised.add(InstanceResult(instance, evidence, judge(instance, evidence)))
        }

        let text = """
            without a verdict
              2 runs  unsupported: the client reported step … (accounts) as unsupported
              1 run  harness error: the port was lost

            """
        #expect(report.text.hasPrefix(text))
        #expect(report.text.contains("3 of them without a verdict"))
        #expect(report.exitCode == .nothingExercised)
        let first = report.json["without_verdict"]?.array?.first
        #expect(first?["runs"] == 2)
        #expect(first?["reason"] == "the client reported step … (accounts) as unsupported")
    }

    @Test func `failures that differ in numbers alone have one signature, those in another operation another`() throws {
        let failure = try #require(ExploredFailure.all(in: Self.hung()).first)

        #expect(failure.signature == "never-hangs: the client hung in step … (accounts)")
        #expect(failure.name.hasPrefix("never-hangs-"))
    }

    /// Each by the name that docs/explore.md gives it.
    @Test func `what no invariant forbids has an oracle of its own`() throws {
        let instance = try #require(Self.scenario.instance(on: Make.bank, views: [.accounts]))
        let own: JSON = ["accounts": [["id": "a-1", "name": "Everyday", "currency": "GBP"]]]
        let other: JSON = ["accounts": [["id": "a-2", "name": "Everyday", "currency": "GBP"]]]
        func oracles(_ shown: JSON, _ change: (inout Evidence) -> Void = { _ in }) -> [String] {
            var evidence = Evidence(
                steps: Make.steps([1: .ok(view: ["signed_in": true]), 2: .ok(view: shown)]),
                journal: [Make.exchange(1, token: nil), Make.exchange(2)])
            evidence.expected = [.accounts: own]
            change(&evidence)
            return ExploredFailure.all(in: [InstanceResult(instance, evidence, judge(instance, evidence))]).map(\.oracle)
        }

        #expect(oracles(own) == [])
        #expect(oracles(other) == ["displayed-data"])
        #expect(oracles(own) { $0.journal = [Make.exchange(1, token: nil)] } == ["success-after-response"])
        #expect(oracles(own) { $0.clientTrouble = "the client crashed after its last step" } == ["client-ended"])
    }

    @Test func `what a case expects says nothing of a run that did not reach its end`() throws {
        let instance = try #require(Self.scenario.instance(on: Make.bank, views: [.accounts]))
        let unfinished = Evidence(steps: Make.steps([1: .ok(view: [:])]))
        let result = InstanceResult(instance, unfinished, judge(instance, unfinished))

        #expect(result.judgement.verdict == .fail)
        #expect(ExploredFailure.all(in: [result]).isEmpty)
    }
}
