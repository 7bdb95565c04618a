package import BankModel
package import Contracts
import DriverProtocol
package import Foundation

/// A contract run: a driver against the cases, each in its own session, several at once.
package struct TestRun: Sendable {
    let bank: any TestBank
    let command: DriverCommand
    var options: RunOptions
    let clock: any Clock<Duration>
    let folder: URL
    let label: String
    let progress: @Sendable (Progress) -> Void

    /// - Parameters:
    ///   - label: the beginning of the names of its sessions; several runs at once on one bank need labels that differ.
    ///   - folder: where drivers may write; made if it is not there, and left to the caller to remove.
    ///   - progress: called from any thread.
    package init(
        bank: any TestBank, command: DriverCommand, options: RunOptions, clock: any Clock<Duration> = ContinuousClock(), folder: URL,
        label: String = "c", progress: @escaping @Sendable (Progress) -> Void = { _ in }
    ) {
        self.bank = bank
        self.command = command
        self.options = options
        self.clock = clock
        self.folder = folder
        self.label = label
        self.progress = progress
    }

    /// The same run with another driver, on the same bank with the same seed: its sessions have different names, and it announces
    /// no failure.
    package func baseline(_ command: DriverCommand, folder: URL, progress: @escaping @Sendable (Progress) -> Void) -> TestRun {
        var options = options
        options.knownFailing = KnownFailing()
        options.failFast = false
        options.repetitions = 1
        return TestRun(bank: bank, command: command, options: options, clock: clock, folder: folder, label: "b\(label)", progress: progress)
    }

    /// All instances of the suites on the banks, in the order of files and banks.
    package static func instances(_ suites: [Suite], on banks: [BankFacts], _ complaints: Complaints) -> [Instance] {
        suites.flatMap(\.cases).flatMap { contract in banks.flatMap { contract.instances(on: $0, complaints) } }
    }

    /// Runs the instances and judges them. A cancelled run reports that as its trouble: missing cases could have failed.
    package func run(_ instances: [Instance]) async -> RunReport {
        let began = monotonicNanoseconds()
        var report = RunReport(client: RunReport.unknownClient, command: command.text, options: optionsText, seed: options.seed)
        let trouble = await withDrivers { drivers in
            guard !instances.isEmpty else { return }
            let hello = try await Greeting(run: self, drivers: drivers).hello(for: instances)
            report.client = hello.client
            var tryOut = TryOutReport(total: instances.count)
            if options.triesOut { tryOut.tries = await tries(instances, hello, drivers, reads: .one) }
            report.trouble = tryOut.obstacle
            if report.trouble == nil { report.results = await runAll(instances, hello, drivers) }
            if Task.isCancelled { report.trouble = "the run was interrupted before all cases were tested" }
        }
        report.trouble = report.trouble ?? trouble
        report.duration = .nanoseconds(monotonicNanoseconds() - began)
        return report
    }

    /// The options that a run needs to be repeated, as words of a shell.
    var optionsText: String {
        [command.optionsText, options.processPerCase ? "--process-per-case" : ""].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// Lends drivers to the body, and ends them after it.
    ///
    /// - Returns: what the body has thrown, or else how a driver has broken the protocol after its last case.
    func withDrivers(_ body: (DriverPool) async throws -> Void) async -> String? {
        let home = folder.appending(path: "drivers")
        let drivers = DriverPool(command, home: home, limits: options.limits, seed: options.seed, clock: clock)
        var trouble: String?
        do {
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            try await body(drivers)
        } catch {
            trouble = "\(error)"
        }
        let breach = await drivers.shutDown()
        return trouble ?? breach.map { "\($0) (after its last case)" }
    }

    private func runAll(_ instances: [Instance], _ hello: DriverHello, _ drivers: DriverPool) async -> [InstanceResult] {
        let runs = (1...max(1, options.repetitions)).flatMap { repetition in instances.map { (instance: $0, repetition: repetition) } }
        progress(.began(client: hello.client, total: runs.count))
        var results: [IndexedResults] = []
        var failed: Set<String> = []
        let concurrency = options.concurrency(for: hello)
        let isBesideOthers = concurrency.most > 1
        var waiting = order(runs.map(\.instance), isBesideOthers).makeIterator()
        await concurrency.run(of: IndexedResults.self) {
            var following = waiting.next()
            while let next = following, options.hasEnded(runs[next].instance.caseID, by: failed) { following = waiting.next() }
            guard !Task.isCancelled, let index = following else { return nil }
            let run = runs[index]
            return {
                let results = await self.results(
                    of: run.instance, repetition: run.repetition, number: index + 1, isBesideOthers: isBesideOthers, hello, drivers)
                return IndexedResults(index: index, results: results)
            }
        } take: { came in
            results.append(came)
            // A broken invariant is reported under its own name, and counts with the case.
            if let worst = came.results.last { progress(.finished(worst, done: results.count, total: runs.count)) }
            failed.formUnion(came.results.filter { $0.judgement.verdict == .fail }.flatMap(\.instance.provedNames))
            if options.failFast, came.results.contains(where: { $0.counts(options.demands.level) }) {
                waiting = [].makeIterator()
            }
        }
        if isBesideOthers, !options.failFast, options.endsCaseAtFailureOf == nil {
            results = await TestRun.rerunningUncertain(results) { index in
                await self.results(
                    of: runs[index].instance, repetition: runs[index].repetition, number: index + 1, isBesideOthers: false, hello, drivers)
            }
        }
        return results.sorted { $0.index < $1.index }.flatMap(\.results)
    }

    /// The indexes of the instances in the order in which they begin. Beside others the long ones, which wait most of their time, are spread
    /// over the first half of the run: then the others use the machine meanwhile, and none is waited for alone at the end. Otherwise as they
    /// are written, for runs that end at the first failure.
    private func order(_ instances: [Instance], _ isBesideOthers: Bool) -> [Int] {
        guard isBesideOthers, !options.failFast, options.endsCaseAtFailureOf == nil else { return Array(instances.indices) }
        return TestRun.spread(instances.map(\.length))
    }

    /// The indexes of these lengths, the long ones spread over the first half, the longest first.
    static func spread(_ lengths: [Duration]) -> [Int] {
        var long = lengths.indices.filter { lengths[$0] >= .seconds(1) }.sorted { (lengths[$1], $0) < (lengths[$0], $1) }[...]
        let short = lengths.indices.filter { lengths[$0] < .seconds(1) }
        let pace = max(1, short.count / (2 * max(1, long.count)))
        var order: [Int] = []
        for (number, index) in short.enumerated() {
            if number.isMultiple(of: pace), let next = long.popFirst() { order.append(next) }
            order.append(index)
        }
        return order + long
    }

    /// Runs an instance: its result, and one for each invariant that was broken in it.
    func results(
        of instance: Instance, repetition: Int, number: Int, isBesideOthers: Bool, _ hello: DriverHello, _ drivers: DriverPool
    ) async -> [InstanceResult] {
        var result = await result(
            of: instance.fitting(hello), repetition: repetition, number: number, isBesideOthers: isBesideOthers, hello, drivers)
        guard ![.unsupported, .harnessError].contains(result.judgement.verdict) else { return [result] }
        let verdicts = InvariantVerdicts(options.invariants, of: result.instance, result.evidence)
        let broken = verdicts.broken.map { invariant, unmet in
            let instance = result.instance.brokenBy(invariant)
            return InstanceResult(
                instance, result.evidence, Judgement(.fail, unmet).unlessClockWasSet(in: result.evidence), duration: result.duration,
                repetition: repetition,
                known: options.knownFailing.line(for: instance.name, on: options.today))
        }
        result.held = verdicts.held
        // A case that passes is not a stale announcement if the line also covers an invariant that was broken in it.
        if result.judgement.verdict == .pass, broken.contains(where: { $0.known != nil }) { result.known = nil }
        return [result] + broken
    }

    private func result(
        of instance: Instance, repetition: Int, number: Int, isBesideOthers: Bool, _ hello: DriverHello, _ drivers: DriverPool
    ) async -> InstanceResult {
        let began = monotonicNanoseconds()
        func finished(_ evidence: Evidence, _ judgement: Judgement, as tested: Instance) -> InstanceResult {
            InstanceResult(
                tested, evidence, judgement, duration: .nanoseconds(monotonicNanoseconds() - began), repetition: repetition,
                known: options.knownFailing.line(for: instance.name, on: options.today))
        }
        if let reason = instance.unsupported(by: hello) {
            return finished(
                Evidence(),
                Judgement(.unsupported, [UnmetExpectation(.notExercised, .unsupported(reason))]),
                as: instance)
        }
        let isAlone = isAlone(instance, hello)
        let sharesProcess = !isAlone && hello.features.contains(DriverFeature.parallel.rawValue)
        var run = await runOnce(instance, id: "\(label)\(number)", drivers, isAlone: isAlone)
        // If cases share a process, one that breaks it may have broken the others, so each is repeated alone.
        if !run.isUsable, sharesProcess, isBesideOthers {
            run = await runOnce(instance, id: "\(label)\(number)-alone", drivers, isAlone: true)
        }
        var tested = options.tested(instance, run.evidence)
        var judgement = judge(tested, run.evidence)
        // A run without its preconditions shows nothing about the client; the machine may have been too busy.
        if isUndecided(judgement, tested, run.evidence), !Task.isCancelled {
            // Alone too: a crash in another case must not pass for one in this.
            let id = "\(label)\(number)-again"
            run = await runOnce(instance, id: id, drivers, isAlone: isAlone || sharesProcess, announcesEnds: false)
            tested = options.tested(instance, run.evidence)
            judgement = judge(tested, run.evidence)
        }
        return finished(run.evidence, judgement, as: tested)
    }

    /// Whether a run is inconclusive, or an invariant that was broken in it is.
    private func isUndecided(_ judgement: Judgement, _ instance: Instance, _ evidence: Evidence) -> Bool {
        if judgement.verdict == .inconclusive { return true }
        guard evidence.isClockUnreliable, ![.unsupported, .harnessError].contains(judgement.verdict) else { return false }
        return !InvariantVerdicts(options.invariants, of: instance, evidence).broken.isEmpty
    }

    /// The seed of an instance's session: it follows from the run's seed and the instance's name, not from the order.
    package static func seed(_ seed: UInt64, of instance: Instance) -> UInt64 { SeededGenerator.hash(seed, instance.name) }

    /// Whether a case gets its own process: because of what is done in it, or because the client keeps state between cases.
    func isAlone(_ instance: Instance, _ hello: DriverHello) -> Bool {
        instance.needsOwnProcess || options.processPerCase || hello.features.contains(DriverFeature.fresh.rawValue)
    }

    /// - Parameter announcesEnds: whether a response after which a connection of HTTP/2 ends is preceded by GOAWAY. There are clients that
    ///   fail such a request; where a case is not about that, they get another run.
    func runOnce(
        _ instance: Instance, id: String, _ drivers: DriverPool, isAlone: Bool, limits: Limits? = nil, announcesEnds: Bool = true
    ) async -> (evidence: Evidence, isUsable: Bool) {
        let parameters = SessionParameters(
            bank: instance.bank.name, name: id, seed: TestRun.seed(options.seed, of: instance),
            wireProtocol: instance.given.wireProtocol, clock: instance.given.clock, isRefusing: instance.given.address == .refused,
            challenges: instance.given.challenges)
        let session: any TestSession
        do {
            session = try await bank.openSession(parameters)
        } catch {
            return (Evidence(harnessTrouble: "no session of the bank \(instance.bank.name) could be opened: \(error)"), true)
        }
        let run = CaseRun(
            instance, id: id, session: session, caFile: bank.caFile, pins: bank.pins, drivers: drivers, isAlone: isAlone,
            folder: folder.appending(path: "state/\(id)"),
            limits: limits ?? options.limits, clock: clock, announcesEnds: announcesEnds)
        let evidence = await run.perform()
        await session.close()
        // All its messages have been gathered, and thousands of cases would fill the folder.
        try? FileManager.default.removeItem(at: run.folder)
        return (evidence, await run.isUsable)
    }
}

extension RunOptions {
    /// The case that a run was: without the kills that did not come, if they may be missed.
    fileprivate func tested(_ instance: Instance, _ evidence: Evidence) -> Instance {
        mayMissKills ? instance.without(kills: evidence.missedKills) : instance
    }

    /// Whether the rest of a case can be left out after these failures.
    fileprivate func hasEnded(_ caseID: String, by failed: Set<String>) -> Bool {
        guard let wanted = endsCaseAtFailureOf?.filter({ MutantRecord.caseID(of: $0) == caseID }) else { return false }
        return wanted.isEmpty ? failed.contains(caseID) : failed.isSuperset(of: wanted)
    }
}

extension InstanceResult {
    /// Whether it ends a run that ends at the first failure.
    fileprivate func counts(_ level: ContractCase.Level) -> Bool {
        judgement.verdict == .harnessError || (judgement.verdict == .fail && known == nil && (instance.level == .must || level == .should))
    }
}
