import BankModel
import DriverProtocol
import Harness
import Testing

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
