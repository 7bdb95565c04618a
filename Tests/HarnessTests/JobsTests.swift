import BankModel
import Contracts
import DriverProtocol
import Testing

@testable import Harness

/// How many cases run at once.
@Suite struct JobsTests {
    private func jobs(_ features: [String], processPerCase: Bool = false, inOneProcess: Int? = 32) -> Int {
        var options = RunOptions(jobs: 8, today: CivilDate(daysSinceEpoch: 0))
        options.jobsInOneProcess = inOneProcess
        options.processPerCase = processPerCase
        return options.jobs(for: DriverHello(nonce: "n", client: "toy", banks: nil, operations: [], features: features))
    }

    @Test func `a driver that takes all cases in one process gets more of them`() {
        #expect(jobs(["parallel", "together"]) == 32)
        #expect(jobs(["together"]) == 8)
    }

    @Test func `a process for each case is work, whoever wants it`() {
        #expect(jobs(["parallel", "fresh"]) == 8)
        #expect(jobs(["parallel"], processPerCase: true) == 8)
    }

    @Test func `a number that is given counts for every driver`() {
        #expect(jobs(["parallel"], inOneProcess: nil) == 8)
    }
}

/// Cases in which the client hung beside others.
@Suite struct RepeatedHangTests {
    @Test func `no more than three are repeated in vain, and a hang that is none is replaced`() async throws {
        var hung = try #require(try await DriverTroubleTests.run("honest").results.first)
        let passed = hung
        hung.evidence.steps[2] = StepReport(.hung, started: 0, ended: 1)
        let results = (0..<8).map { TestRun.Came(index: $0, results: [$0 == 1 ? passed : hung]) }
        var repeated: [Int] = []

        let believed = await TestRun.repeatingHangs(results) { index in
            repeated.append(index)
            return [index == 2 ? passed : hung]
        }

        #expect(repeated == [0, 2, 3, 4])
        #expect(believed.map { $0.results[0].evidence.steps[2]?.outcome == .hung } == [true, false, false, true, true, true, true, true])
    }
}
