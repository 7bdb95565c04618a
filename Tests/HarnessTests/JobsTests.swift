import BankModel
import Contracts
import DriverProtocol
import Testing

@testable import Harness

/// How many cases run at once.
@Suite struct JobsTests {
    private func jobs(_ features: [String], processPerCase: Bool = false, inOneProcess: Int? = 32) -> ClosedRange<Int> {
        var options = RunOptions(jobs: 8, today: CivilDate(daysSinceEpoch: 0))
        options.jobsInOneProcess = inOneProcess
        options.processPerCase = processPerCase
        let concurrency = options.concurrency(for: DriverHello(nonce: "n", client: "toy", banks: nil, operations: [], features: features))
        return concurrency.least...concurrency.most
    }

    @Test func `a driver that takes all cases in one process gets more of them`() {
        #expect(jobs(["parallel", "together"]) == 8...32)
        #expect(jobs(["together"]) == 8...8)
    }

    @Test func `a process for each case is work, whatever wants it`() {
        #expect(jobs(["parallel", "fresh"]) == 8...8)
        #expect(jobs(["parallel"], processPerCase: true) == 8...8)
    }

    @Test func `a number that is given counts for every driver`() {
        #expect(jobs(["parallel"], inOneProcess: nil) == 8...8)
    }
}

/// How long a step may take.
@Suite struct StepLimitTests {
    @Test(
        arguments: [
            (20, 10, 10.0, 20.0), (99, 10, 100, 20), (1000, 0, 0, 20), (1000, 10, 0.05, 20), (1000, 10, 0.2, 40), (100, 10, 1.5, 30),
            (1000, 10, 1, 180), (.max, 10, 0.2, 40), (1000, 10, 9, 180),
        ])
    func `a step that may send hundreds of requests has twice the time that the client's own pace demands, within bounds`(
        most: Int, requests: Int, seconds: Double, expected: Double
    ) {
        #expect(Limits().step(of: most, requests: requests, in: .seconds(seconds)) == .seconds(expected))
    }

    @Test func `a limit that is longer than the longest stays as it is`() {
        var limits = Limits()
        limits.step = .seconds(300)
        #expect(limits.step(of: 1000, requests: 10, in: .seconds(1)) == .seconds(300))
    }
}

/// The number of cases at once follows the machine.
@Suite struct ConcurrencyLimitTests {
    @Test func `it rises one by one to the most while pauses end in time, and falls to the least while they do not`() {
        var concurrency = ConcurrencyLimit(least: 8, most: 32)
        #expect(concurrency.current == 16)

        for _ in 0..<5 { concurrency.paused(late: .milliseconds(1)) }
        #expect(concurrency.current == 21)
        for _ in 0..<50 { concurrency.paused(late: .milliseconds(1)) }
        #expect(concurrency.current == 32)

        concurrency.paused(late: .milliseconds(10))
        #expect(concurrency.current == 32, "neither early nor late")
        concurrency.paused(late: .milliseconds(21))
        #expect(concurrency.current == 24)
        for _ in 0..<50 { concurrency.paused(late: .seconds(1)) }
        #expect(concurrency.current == 8)
    }

    @Test(arguments: [1, 2, 3, 8]) func `a number that is given stays as it is`(jobs: Int) {
        var concurrency = ConcurrencyLimit(least: jobs, most: jobs)
        for late in [0, 0, 500, 500, 0, 500] { concurrency.paused(late: .milliseconds(late)) }

        #expect(concurrency.current == jobs)
    }

    @Test func `it falls to one at a time, and rises from there`() {
        var concurrency = ConcurrencyLimit(least: 1, most: 4)
        for _ in 0..<9 { concurrency.paused(late: .seconds(1)) }
        #expect(concurrency.current == 1)
        for _ in 0..<9 { concurrency.paused(late: .zero) }
        #expect(concurrency.current == 4)
    }
}

/// Cases in which the client hung beside others.
@Suite struct RepeatedHangTests {
    private func inconclusiveAreRepeated() async throws -> Bool {
        let passed = try #require(try await DriverTroubleTests.run("conforming").results.first)
        let inconclusive = InstanceResult(passed.instance, passed.evidence, Judgement(.inconclusive), duration: .zero)
        return await TestRun.rerunningUncertain([TestRun.IndexedResults(index: 0, results: [inconclusive])]) { _ in [passed] }
            .first?.results.first?.judgement.verdict == .pass
    }

    @Test func `a hang that is none is replaced, and no more than one is repeated in vain`() async throws {
        var hung = try #require(try await DriverTroubleTests.run("conforming").results.first)
        let passed = hung
        hung.evidence.steps[2] = StepReport(.hung, started: 0, ended: 1)
        let results = (0..<8).map { TestRun.IndexedResults(index: $0, results: [$0 == 1 ? passed : hung]) }
        var repeated: [Int] = []

        let confirmed = await TestRun.rerunningUncertain(results) { index in
            repeated.append(index)
            return [index == 3 ? hung : passed]
        }

        #expect(repeated == [0, 2, 3])
        #expect(try await inconclusiveAreRepeated())
        #expect(confirmed.map { $0.results[0].evidence.steps[2]?.outcome == .hung } == [false, false, false, true, true, true, true, true])
    }

    @Test func `an inconclusive run that is confirmed confirms no hang`() async throws {
        let passed = try #require(try await DriverTroubleTests.run("conforming").results.first)
        let inconclusive = InstanceResult(passed.instance, passed.evidence, Judgement(.inconclusive), duration: .zero)
        var hung = passed
        hung.evidence.steps[2] = StepReport(.hung, started: 0, ended: 1)
        let results = [inconclusive, hung, inconclusive].enumerated().map { TestRun.IndexedResults(index: $0, results: [$1]) }
        var repeated: [Int] = []

        let confirmed = await TestRun.rerunningUncertain(results) { index in
            repeated.append(index)
            return [index == 1 ? passed : inconclusive]
        }

        #expect(repeated == [0, 1])
        #expect(confirmed[1].results[0].evidence.steps[2]?.outcome != .hung)
    }

    @Test func `a failure by time is repeated, once for each case that fails again`() async throws {
        let passed = try #require(try await DriverTroubleTests.run("conforming").results.first)
        func failed(_ id: String, _ outcome: StepOutcome, _ message: Finding) -> InstanceResult {
            var result = InstanceResult(
                passed.instance, passed.evidence, Judgement(.fail, [UnmetExpectation(.failure, message)]), duration: .zero)
            result.instance.caseID = id
            result.evidence.steps[2] = StepReport(outcome, started: 0, ended: 1)
            return result
        }
        let slow = failed("retry.slow", .ok(view: [:]), Finding("it waited", "it must wait less", isAboutTime: true))
        let cut = failed("body.cut", .error("timeout", detail: nil), Finding("it ended", "otherwise"))
        let wrong = failed("body.cut", .error("decode", detail: nil), Finding("it ended", "otherwise"))
        var old = failed("wire.old", .ok(view: ["stale": true]), Finding("it showed old data", "otherwise"))
        old.evidence.steps[2]?.ended = Int64(old.instance.given.timeouts.totalMilliseconds) * 1_000_000
        var results = [slow, cut, wrong, slow, cut, slow, old].enumerated().map { TestRun.IndexedResults(index: $0, results: [$1]) }
        // An invariant may be broken by time in a case that passed.
        let bounded = failed("invariant.bounded", .ok(view: [:]), Finding("it sent more", "fewer", isAboutTime: true))
        results.append(TestRun.IndexedResults(index: 7, results: [passed, bounded]))
        var late = slow
        late.instance.caseID = "pay.late"
        late.judgement = Judgement(.notExercised, [UnmetExpectation(.notExercised, Finding("it came late", "earlier", isAboutTime: true))])
        var other = late
        other.judgement = Judgement(.notExercised, [UnmetExpectation(.notExercised, Finding("it sent nothing", "something"))])
        results += [TestRun.IndexedResults(index: 8, results: [late]), TestRun.IndexedResults(index: 9, results: [other])]
        var repeated: [Int] = []

        let confirmed = await TestRun.rerunningUncertain(results) { index in
            repeated.append(index)
            return [index == 3 ? slow : passed]
        }

        #expect(repeated == [0, 1, 3, 4, 6, 7, 8])
        let verdicts = confirmed.map { $0.results[0].judgement.verdict }
        #expect(verdicts == [.pass, .pass, .fail, .fail, .pass, .fail, .pass, .pass, .pass, .notExercised])
        #expect(confirmed[7].results.count == 1)
    }

    @Test func `a process that closes stdout and lives on is not waited for to the limit`() async throws {
        let driver = DriverProcess(
            try DriverCommand(#"/bin/sh -c "exec 1>&-; exec sleep 300""#), home: nil, clock: ContinuousClock())
        driver.inbox.ask(.hello)

        await #expect(throws: DriverFault.gone("closed its stdout and still runs")) {
            try await driver.inbox.wait(for: .hello, within: .seconds(300))
        }

        await driver.killAndWait()
    }

    @Test func `a wait that runs out after the end of stdout does not show that the client hangs`() async {
        let inbox = DriverInbox(clock: ContinuousClock())
        inbox.ask(.hello)
        inbox.outputEnded()

        await #expect(throws: DriverFault.closedOutput) { try await inbox.wait(for: .hello, within: .milliseconds(1)) }
    }

    @Test func `a failure by time that cannot be repeated is inconclusive`() async throws {
        let passed = try #require(try await DriverTroubleTests.run("conforming").results.first)
        let finding = Finding("it waited", "it must wait less", isAboutTime: true)
        let slow = InstanceResult(
            passed.instance, passed.evidence, Judgement(.fail, [UnmetExpectation(.failure, finding)]), duration: .zero)
        let results = [TestRun.IndexedResults(index: 0, results: [slow]), TestRun.IndexedResults(index: 1, results: [passed])]

        let interrupted = Task { () -> [Verdict] in
            withUnsafeCurrentTask { $0?.cancel() }
            return await TestRun.rerunningUncertain(results) { _ in [passed] }.map { $0.results[0].judgement.verdict }
        }

        let verdicts = await interrupted.value

        #expect(verdicts == [.inconclusive, .pass])
    }

    @Test func `a process that the harness ended is no crash`() async throws {
        let driver = DriverProcess(try DriverCommand("/bin/sleep 300"), home: nil, clock: ContinuousClock())
        driver.inbox.ask(.hello)
        let waiting = Task { () async throws(DriverFault) in try await driver.inbox.wait(for: .hello, within: .seconds(300)) }

        await driver.killAndWait()

        await #expect(throws: DriverFault.ended) { try await waiting.value }
    }
}
