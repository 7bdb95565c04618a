import BankModel
import Contracts
import Testing

/// How the judge is judged.
@Suite struct MutationReportTests {
    private func mutant(
        _ text: String = #"{"name":"m","mistake":"is wrong","killed_by":["toy.case"],"control":"toy.control"}"#
    ) throws -> (
        MutantRecord?, [String]
    ) {
        let complaints = Complaints()
        let mutant = MutantRecord(try JSON(parsing: text), at: SourcePosition(file: "list", line: 3), complaints)
        return (mutant, complaints.all.map(\.description))
    }

    /// The outcome of a mutant with these verdicts of the case that must kill it, and of its control.
    private func outcome(_ named: [Verdict], control: [Verdict]) throws -> MutationReport.Outcome {
        var instance = try #require(Make.reading("{control: 2}"))
        instance.caseID = "toy.case"
        var control_ = instance
        control_.caseID = "toy.control"
        let results =
            named.map { InstanceResult(instance, Evidence(), Judgement($0)) }
            + control.map { InstanceResult(control_, Evidence(), Judgement($0)) }
        return MutationReport.Outcome(
            try #require(try mutant().0), RunReport(client: "m", command: "m", seed: 1, results: results))
    }

    @Test func `a mutant that one instance detects is killed`() throws {
        let outcome = try outcome([.pass, .fail, .unsupported], control: [.pass, .unsupported])

        #expect(outcome.isKilled)
        #expect(outcome.killer == "toy.case@toy")
        #expect(MutationReport([outcome], of: 1, unproved: []).exitCode == .ok)
    }

    /// A mistake that shows in each bank's own data is proved on each.
    @Test(arguments: [("toy", true), ("feed", false)])
    func `a case that is named with its bank must fail there`(_ bank: String, _ isKilled: Bool) throws {
        let text = #"{"name":"m","mistake":"is wrong","killed_by":["toy.case@BANK"],"control":"toy.control"}"#
        var outcome = try outcome([.fail], control: [.pass])
        outcome.mutant = try #require(try mutant(text.replacing("BANK", with: bank)).0)

        #expect(outcome.isKilled == isKilled)
        #expect(outcome.killer == (isKilled ? "toy.case@toy" : nil))
        #expect(MutantRecord.caseID(of: "toy.case@feed") == "toy.case")
    }

    @Test(arguments: [[Verdict.pass], [.inconclusive], [.notExercised, .unsupported], []])
    func `what no instance failed has escaped`(_ named: [Verdict]) throws {
        let report = MutationReport([try outcome(named, control: [.pass])], of: 1, unproved: [])

        #expect(report.killed == 0)
        #expect(report.exitCode == .failed)
        #expect(report.text.contains("ESCAPED   m  is wrong: toy.case did not fail it\n0 of 1 mutant killed"))
    }

    @Test func `a mutant that could not be run has not escaped`() throws {
        var outcome = try outcome([.pass], control: [.pass])
        outcome.report.trouble = "the driver sent no hello"

        let report = MutationReport([outcome], of: 1, unproved: [])

        #expect(report.exitCode == .noVerdict)
        #expect(report.text.hasPrefix("NOT RUN   m  is wrong: could not be run: the driver sent no hello\n"))
    }

    @Test(arguments: [
        ([Verdict.pass, .fail], "does not pass its control toy.control@toy (fail)"),
        ([.inconclusive], "does not pass its control toy.control@toy (inconclusive)"),
        ([.unsupported], "was not exercised by its control toy.control"), ([], "was not exercised by its control toy.control"),
        ([.harnessError], "breaks the harness in toy.control@toy"),
    ])
    func `what is broken is no mutant`(_ control: [Verdict], _ reason: String) throws {
        let report = MutationReport([try outcome([.fail], control: control)], of: 1, unproved: [])

        #expect(report.exitCode == .failed)
        #expect(report.text.contains(reason))
    }

    @Test func `a case that nobody names is not proved`() throws {
        let report = MutationReport(
            [try outcome([.fail], control: [.pass])], of: 1,
            unproved: MutationReport.unproved(named: ["toy.case"], cases: ["toy.case", "toy.other"], invariants: []))

        #expect(report.exitCode == .failed)
        #expect(report.text.contains("UNPROVED  toy.other: no mutant names it"))
    }

    @Test func `an invariant that two mutants name is not proved`() throws {
        let complaints = Complaints()
        let yaml = "contract: 1\ninvariants:\n- {id: invariant.bounded, why: w, authority: a, holds: {bounded: {requests: 9, pages: 9}}}"
        let invariants = Invariant.list(Make.node(yaml), complaints)
        let named = ["invariant.bounded in toy.a", "invariant.bounded in toy.b", "invariant.bounded-else in toy.c"]

        #expect(complaints.all.isEmpty)
        #expect(
            MutationReport.unproved(named: named, cases: [], invariants: invariants)
                == ["invariant.bounded: 2 mutants named it, expected at least 3"])
        #expect(MutationReport.unproved(named: named + named, cases: [], invariants: invariants).isEmpty)
    }

    @Test func `nothing run proves nothing`() throws {
        #expect(MutationReport([], of: 0, unproved: []).exitCode == .nothingExercised)
    }

    @Test func `what was ended before its end has no verdict`() throws {
        let report = MutationReport([try outcome([.fail], control: [.pass])], of: 2, unproved: [])

        #expect(report.exitCode == .noVerdict)
        #expect(report.text.contains("no verdict: the run ended after 1 of 2 mutants\n1 of 1 mutant killed"))
    }

    @Test func `faulty lists are reported`() throws {
        let (_, none) = try mutant()
        let (_, unknown) = try mutant(#"{"name":"m","mistake":"is","killed_by":["a.b"],"control":"a.c","kiled_by":[]}"#)
        let (_, empty) = try mutant(#"{"name":"m","mistake":"is","killed_by":[],"control":"a.c"}"#)
        let (_, own) = try mutant(#"{"name":"m","mistake":"is","killed_by":["a.c"],"control":"a.c"}"#)
        let complaints = Complaints()
        let known = try #require(try mutant().0)
        complaints.check([known, known], against: [], at: SourcePosition(file: "list"))

        #expect(none == [])
        try #require(unknown.count == 1)
        #expect(unknown[0].contains("kiled_by"))
        #expect(empty == ["list:3: found the mutant m without a case that kills it, expected ids in killed_by"])
        #expect(own == ["list:3: found a.c as control of m, expected a case that is not in killed_by"])
        #expect(complaints.all.contains { $0.description.contains("two mutants m") })
        #expect(complaints.all.contains { $0.description.contains("found the case toy.case, named by the mutant m") })
    }
}
