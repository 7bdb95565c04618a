import BankFiles
import BankModel
import Contracts
import DriverProtocol
import Foundation
import Harness
import TestBanks
import Testing

/// Every way in which a driver can break: each gets a verdict that names it, and nothing ever hangs.
@Suite(.timeLimit(.minutes(10))) struct DriverTroubleTests {
    static let reading = "needs: [login, accounts]\nsteps: [login, accounts]\nexpect: [{control: 2}, {step: 2, outcome: ok}]"

    /// Runs one case with a scripted driver.
    ///
    /// - Parameter scripts: where the script of `command` is, if it is in a separate folder.
    static func run(
        _ mode: String, features: [String] = [], steps yaml: String = reading, command: String? = nil, kind: DriverCommand.Kind = .loop,
        jobs: Int = 1,
        copies: Int = 1, failFast: Bool = false, endsCaseAtFailure: Bool = false, hasLoginCall: Bool = true,
        progress: @escaping @Sendable (Harness.Progress) -> Void = { _ in }, scripts: URL? = nil, triesOut: Bool = false,
        processPerCase: Bool = false, mayMissKills: Bool = false, invariants: [Invariant] = [],
        clockWasSet: @escaping @Sendable (String) -> Duration = { _ in .zero },
        endings: (([String]) -> Void)? = nil
    ) async throws -> RunReport {
        let home = try TestFolder()
        defer { home.remove() }
        let folder = home.url
        let bank = FakeBank(folder: folder, hasLoginCall: hasLoginCall, clockWasSet: clockWasSet)
        let complaints = Complaints()
        let indented = yaml.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")
        let node = Node.parse(
            yaml: "contract: 1\nsuite: toy\ncases:\n- id: toy.case\n  why: because\n" + indented, file: "t.yaml", complaints)
        let suite = try #require(node.flatMap { Suite($0, name: "toy", complaints) })
        try #require(complaints.all.isEmpty, "\(complaints.all)")
        var options = RunOptions(jobs: jobs, repetitions: copies, failFast: failFast, today: CivilDate(daysSinceEpoch: 0))
        options.endsCaseAtFailureOf = endsCaseAtFailure ? [] : nil
        options.triesOut = triesOut
        options.processPerCase = processPerCase
        options.mayMissKills = mayMissKills
        options.invariants = invariants
        options.limits.beforeScan = .zero
        let driver = try command.map { try DriverCommand($0, kind) } ?? ScriptedDriver.command(mode, features: features, in: folder)
        let test = TestRun(
            bank: bank, command: driver, options: options, clock: HangingClock(folder: scripts ?? folder), folder: folder,
            progress: progress)
        let report = await test.run(TestRun.instances([suite], on: bank.banks, complaints))
        #expect(bank.opened.value == 0, "sessions left open")
        endings?(bank.endings.all)
        return report
    }

    @Test func `a conforming driver passes`() async throws {
        let report = try await Self.run("conforming")

        #expect(report.client == "bash 1")
        #expect(report.trouble == nil)
        #expect(report.results.map(\.judgement) == [Judgement(.pass)])
    }

    // MARK: before any case: the run cannot be made

    @Test(
        arguments: [
            ("crash-at-hello", "exited with status 3; its stderr:\nno config found"),
            ("crash-at-hello-loudly", "its stderr:\nline 1\nline 2\n"), ("crash-at-hello-loudly", "line 12\n\\u001b[31mred"),
            ("noise-at-hello", "the driver violates the protocol: found a line that is not JSON"),
            ("wrong-nonce", "found the nonce `guessed` in its hello, expected"),
            ("claims-all", "the driver claims the operation `op_"),
        ])
    func `a driver that cannot be used ends the run`(mode: String, expected: String) async throws {
        let report = try await Self.run(mode)

        #expect(report.trouble?.contains(expected) == true, "\(report.trouble ?? "none")")
        #expect(report.document.exitCode(Demands()) == .noVerdict)
    }

    @Test func `a driver that hangs at hello ends the run`() async throws {
        let report = try await Self.run("hang-at-hello")

        #expect(report.trouble == "the driver sent no hello within 10s")
    }

    @Test(arguments: ["/nonexistent/driver --drive", "counterfoil-no-such-program", "true"])
    func `a program that is no driver is reported`(command: String) async throws {
        let report = try await Self.run("", command: command)

        let trouble = try #require(report.trouble)
        #expect(trouble.contains("cannot be started") || trouble.contains("exited with status 0"), "\(trouble)")
    }

    // MARK: within a case

    @Test(
        arguments: [
            ("crash", Verdict.fail, "the client crashed in step 2 (accounts): the driver exited with status 139"),
            ("half-line", .harnessError, "stdout ends within the line"),
            ("noise", .harnessError, "the driver violates the protocol: found a line that is not JSON"),
            ("unasked", .harnessError, "was not requested"),
            ("flood", .harnessError, "was not requested"),
            ("flood-without-lines", .harnessError, "a line of over"),
            ("falsifier", .fail, "reported ok, but the bank received no request"),
            ("silent", .inconclusive, "silent (the client showed nothing"),
            ("no-operation", .unsupported, ") as unsupported"),
            ("exits-at-end", .fail, "the client crashed at the end of the case"),
            ("crash-before-ready", .harnessError, "the driver was not ready for the case: the driver exited with status 4"),
        ])
    func `a broken driver gets a verdict that names the fault`(mode: String, verdict: Verdict, expected: String) async throws {
        let report = try await Self.run(mode)

        let judgement = try #require(report.results.first?.judgement)
        #expect(judgement.verdict == verdict)
        #expect(judgement.reasons.first?.finding.seen.text.contains(expected) == true, "\(judgement)")
    }

    @Test func `a note beside a result stands in the timeline`() async throws {
        let report = try await Self.run("silent")

        let result = try #require(report.results.first)
        #expect(result.evidence.steps[2]?.note == "an empty page")
        #expect(report.document.results.first?.timeline.contains { $0.hasSuffix("step 2  note: an empty page") } == true)
    }

    @Test func `a driver that hangs in a step fails`() async throws {
        let report = try await Self.run("hang")

        let judgement = try #require(report.results.first?.judgement)
        #expect(judgement.verdict == .fail)
        #expect(judgement.reasons.first?.finding.seen.text == "the client hung in step 2 (accounts): no response within 20s")
    }

    /// Runs a case whose client hangs until all cases have ended.
    ///
    /// - Parameter isBusyAfterwards: whether it hangs then too.
    private func whileBusy(jobs: Int, isBusyAfterwards: Bool = false) async throws -> RunReport {
        let home = try TestFolder()
        defer { home.remove() }
        let folder = home.url
        let command = try ScriptedDriver.command("hangs-while-busy", in: folder)
        return try await Self.run(
            "", command: command.text, jobs: jobs,
            progress: { progress in
                guard case .finished = progress else { return }
                try? FileManager.default.removeItem(at: folder.appending(path: "hangs"))
                if !isBusyAfterwards { try? Data().write(to: folder.appending(path: "idle")) }
            }, scripts: folder)
    }

    @Test func `a client that hangs beside others is asked again when they have ended`() async throws {
        #expect(try await whileBusy(jobs: 2).results.map(\.judgement.verdict) == [.pass])
    }

    @Test func `a client that hangs by itself fails`() async throws {
        #expect(try await whileBusy(jobs: 2, isBusyAfterwards: true).results.map(\.judgement.verdict) == [.fail])
        #expect(try await whileBusy(jobs: 1).results.map(\.judgement.verdict) == [.fail])
    }

    @Test func `a driver that hangs before it is ready is a harness error`() async throws {
        let report = try await Self.run("hang-before-ready")

        #expect(report.results.first?.judgement.verdict == .harnessError)
    }

    @Test func `stderr is kept to a bound and its end shown`() async throws {
        let report = try await Self.run("flood-stderr")

        let result = try #require(report.results.first)
        #expect(result.judgement.verdict == .pass)
        #expect(result.evidence.stderr.utf8.count == 64 * 1024)
        #expect(!result.evidence.stderr.contains("noise 0 "))
        #expect(result.stderrTail.count == 20)
        #expect(result.stderrTail.last?.hasPrefix("noise 1") == true)
    }

    @Test func `a run that is ended from outside has no verdict`() async throws {
        let report = try await Self.run(
            "conforming", copies: 4,
            progress: { progress in
                if case .finished = progress { withUnsafeCurrentTask { $0?.cancel() } }
            })

        #expect(report.results.count == 1)
        #expect(report.trouble == "the run was interrupted before all cases were tested")
        #expect(report.document.exitCode(Demands()) == .noVerdict)
    }

    @Test func `a rule that the bank rejects is a harness error`() async throws {
        let yaml = "needs: [login]\nsteps: [login, fault: close]\nexpect: [{control: 1}, {fired: 1}]"

        let report = try await Self.run("conforming", steps: yaml)

        #expect(report.results.first?.judgement.verdict == .harnessError)
        #expect(report.results.first?.judgement.reasons.first?.finding.seen.text.contains("was rejected by the bank") == true)
    }
}
