import BankModel
import Contracts
import Foundation
import Harness
import Platform
import Testing

/// Files whose access fails for a while, and two processes on one folder, with a driver that stores a line at each reading.
@Suite(.timeLimit(.minutes(10))) struct DiskFailureTests {
    @Test(.enabled(if: FileSizeLimit.isSettable), arguments: ["disk: {refuses: write}", "disk: {refuses: write, for: 1d}"])
    func `writes of a running process and of the next fail until a step ends it`(rejection: String) async throws {
        let yaml = """
            needs: [login, accounts]
            steps: [login, accounts, \(rejection), accounts, restart, accounts, disk: {refuses: nothing}, accounts]
            expect:
            - {step: 2, outcome: ok}
            - {step: 4, error: unavailable, detail: write}
            - {step: 6, error: unavailable, detail: write}
            - {step: 8, outcome: ok}
            """

        let report = try await DriverTroubleTests.run("stores", steps: yaml)

        #expect(report.results.map(\.judgement) == [Judgement(.pass)])
    }

    @Test(.enabled(if: FileSizeLimit.isSettable)) func `a failure for a time ends by itself`() async throws {
        let yaml = """
            needs: [login, accounts]
            steps: [login, disk: {refuses: write, for: 1ms}, wait: 900ms, accounts]
            expect: [{step: 4, outcome: ok}]
            """

        let report = try await DriverTroubleTests.run("stores", steps: yaml)

        #expect(report.results.map(\.judgement) == [Judgement(.pass)])
    }

    @Test(.enabled(if: FileSizeLimit.isSettable || getuid() != 0))
    func `reads fail until a step ends it and the files are as before`() async throws {
        let yaml = """
            needs: [login, accounts, status]
            steps: [login, accounts, disk: {refuses: read}, accounts, disk: {refuses: nothing}, accounts, restart, status]
            expect:
            - {step: 2, outcome: ok}
            - {step: 4, error: unavailable, detail: read}
            - {step: 6, outcome: ok}
            - {step: 8, view: {signed: "yes"}}
            """

        let report = try await DriverTroubleTests.run("stores", steps: yaml)

        #expect(report.results.map(\.judgement) == [Judgement(.pass)])
    }

    @Test(.enabled(if: !FileSizeLimit.isSettable)) func `a system that cannot limit files is reported and fails no test`() async throws {
        let report = try await DriverTroubleTests.run(
            "stores", steps: "needs: [login]\nsteps: [login, disk: {refuses: write}]\nexpect: [{step: 1, error: timeout}]")

        #expect(report.results.first?.judgement.verdict == .unsupported)
    }

    @Test func `a second process starts when it is named and shares the folder`() async throws {
        let yaml = """
            needs: [login, accounts, status]
            steps: [login, status, {status: , process: 2}, {restart: , process: 2}, {status: , process: 2}, status]
            expect: [{step: 3, view: {signed: "yes"}}, {step: 5, view: {signed: "yes"}}]
            """

        let report = try await DriverTroubleTests.run("conforming", features: ["processes"], steps: yaml)

        let result = try #require(report.results.first)
        let views = [2, 3, 5, 6].compactMap { n -> JSON? in
            guard case .ok(let view) = result.evidence.steps[n]?.outcome else { return nil }
            return view
        }
        #expect(result.judgement == Judgement(.pass))
        #expect(Set(views.compactMap { $0["home"]?.string }).count == 1)
        let pids = views.compactMap { $0["pid"]?.string }
        #expect(pids.count == 4)
        #expect(Set(pids).count == 3)
        #expect(pids.first == pids.last)
    }

    @Test func `a client of one process is not asked`() async throws {
        let yaml = "needs: [login, status]\nsteps: [login, {status: , process: 2}]\nexpect: [{control: 1}]"

        let report = try await DriverTroubleTests.run("conforming", steps: yaml)

        #expect(report.results.first?.judgement.verdict == .unsupported)
    }
}

@Suite struct FileSizeLimitTests {
    @Test(.enabled(if: FileSizeLimit.isSettable)) func `a group that is not there is reported`() {
        // Above the highest number of a process (proc(5), pid_max).
        #expect(!FileSizeLimit.zero.set(onGroup: 1 << 23))
    }
}
