import BankFiles
import BankModel
import Contracts
import Foundation
import Harness
import Testing

@Suite(.timeLimit(.minutes(10))) struct MutantHuntTests {
    /// The instances of cases `toy.a`, `toy.b`…, three of each.
    private func instances(_ letters: [String]) throws -> [Instance] {
        let complaints = Complaints()
        let cases = letters.map { letter in
            "- {id: toy.\(letter), why: w, needs: [login], matrix: {user: [x, y, z]}, steps: [login], expect: [{control: 1}]}\n"
        }
        let yaml = "contract: 1\nsuite: toy\ncases:\n" + cases.joined()
        let suite = Node.parse(yaml: yaml, file: "t.yaml", complaints).flatMap { Contracts.Suite($0, name: "toy", complaints) }
        return TestRun.instances([try #require(suite)], on: FakeBank(folder: FileManager.default.temporaryDirectory).banks, complaints)
    }

    private func mutant(_ name: String = "m", killedBy: [String], control: String) throws -> MutantRecord {
        let line: JSON = [
            "name": .string(name), "mistake": "does it wrong", "killed_by": .array(killedBy.map(JSON.string)), "control": .string(control),
        ]
        return try #require(MutantRecord(line, at: SourcePosition(), Complaints()))
    }

    @Test func `a mutant meets its own cases in turns and each other once`() throws {
        let all = try instances(["a", "b", "c", "d", "e"])
        let mutant = try mutant(killedBy: ["toy.d", "toy.b"], control: "toy.a")

        let own = mutant.instances(of: all, others: false, seed: 1).map(\.name)
        let more = (0..<20).map { seed in mutant.instances(of: all, others: true, seed: seed).map(\.name) }

        let turn = { (value: String) in ["a", "d", "b"].map { "toy.\($0)@toy[user=\(value)]" } }
        #expect(own == turn("x") + turn("y") + turn("z"))
        #expect(more.allSatisfy { Array($0.prefix(9)) == own && $0.count == 11 })
        #expect(more.allSatisfy { $0[9].hasPrefix("toy.c@") && $0[10].hasPrefix("toy.e@") })
        #expect(Set(more.map { $0[9] }).count == 3)
        #expect(more[0] == mutant.instances(of: all, others: true, seed: 0).map(\.name))
    }

    @Test func `a case that has failed once is not run on`() async throws {
        let yaml =
            "needs: [login, accounts]\nsteps: [login, accounts]\nexpect: [{requests: {operation: accounts, max: 9}}, {step: 2, error: offline}]"

        let report = try await DriverTroubleTests.run("conforming", steps: yaml, copies: 3, endsCaseAtFailure: true)
        let whole = try await DriverTroubleTests.run("conforming", steps: yaml, copies: 3)

        #expect(report.results.map(\.judgement.verdict) == [.fail])
        #expect(whole.results.map(\.judgement.verdict) == [.fail, .fail, .fail])
    }
}
