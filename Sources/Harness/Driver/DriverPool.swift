import BankModel
import Contracts
import DriverProtocol
import Foundation

/// A driver that has sent its hello.
struct GreetedDriver: Sendable {
    let process: any Driver
    let hello: DriverHello
}

/// Starts drivers and lends them to cases: one for all if the client runs cases in parallel, else one for each at a time.
actor DriverPool {
    private let command: DriverCommand
    let home: URL
    private let limits: Limits
    private let clock: any Clock<Duration>
    private var nonces: SeededNonces
    /// From the first hello.
    private var isParallel = false
    private var hasGreeted = false
    private var idle: [GreetedDriver] = []
    private var shared: Task<Result<GreetedDriver, DriverFault>, Never>?
    /// Whether the client reads ahead: it sends requests by itself after a step has ended.
    private(set) var readsAhead = false
    /// Every process not known to be gone.
    private var living: [ObjectIdentifier: any Driver] = [:]

    init(_ command: DriverCommand, home: URL, limits: Limits, seed: UInt64, clock: any Clock<Duration>) {
        self.command = command
        self.home = home
        self.limits = limits
        self.clock = clock
        nonces = SeededNonces(seed: seed)
    }

    func checkOut() async -> Result<GreetedDriver, DriverFault> {
        if isParallel {
            if let shared { return await shared.value }
            let task = Task { await self.start(DriverStart(home: self.home, stderr: StderrTail()), within: self.limits.start) }
            shared = task
            let started = await task.value
            // A driver that did not start is lent to nobody: the next case starts another.
            if case .failure = started, shared == task { shared = nil }
            return started
        }
        if let driver = idle.popLast() { return .success(driver) }
        let started = await start(DriverStart(home: home, stderr: StderrTail()), within: hasGreeted ? limits.start : limits.answer)
        if case .success(let driver) = started, driver.hello.features.contains(DriverFeature.parallel.rawValue), shared == nil {
            isParallel = true
            shared = Task { started }
        }
        return started
    }

    func noteReadingAhead() { readsAhead = true }

    /// Takes a driver back. One that broke the protocol is not lent again.
    func checkIn(_ driver: GreetedDriver, isUsable: Bool) async {
        if isUsable {
            if !isParallel { idle.append(driver) }
            return
        }
        if isParallel, case .success(let current) = await shared?.value, current.process === driver.process { shared = nil }
        living[ObjectIdentifier(driver.process)] = nil
        await driver.process.killAndWait()
    }

    /// Starts a process that no other case uses, with all it writes below its own folder.
    ///
    /// It is waited for longer than the first one: other cases keep the machine busy now.
    func startOwn(_ wanted: DriverStart) async -> Result<GreetedDriver, DriverFault> { await start(wanted, within: limits.start) }

    /// Ends a process that ``startOwn(_:)`` gave.
    ///
    /// - Returns: how it has broken the protocol up to its end, unless that was reported before.
    func end(_ driver: GreetedDriver, isUsable: Bool) async -> DriverFault? {
        living[ObjectIdentifier(driver.process)] = nil
        guard isUsable else {
            await driver.process.killAndWait()
            return nil
        }
        await driver.process.stop(within: limits.goodbye)
        return driver.process.inbox.breach
    }

    /// Ends all.
    ///
    /// - Returns: how a driver has broken the protocol after its last case.
    func shutDown() async -> DriverFault? {
        let all = living.values.map(\.self)
        living = [:]
        idle = []
        shared = nil
        await withTaskGroup { group in
            for process in all { group.addTask { [limits] in await process.stop(within: limits.goodbye) } }
        }
        return all.lazy.compactMap(\.inbox.breach).first
    }

    private func start(_ wanted: DriverStart, within limit: Duration) async -> Result<GreetedDriver, DriverFault> {
        let process: any Driver
        switch command.kind {
        case .loop:
            let command = wanted.mayBlockWrites ? self.command.blockingWrites(wanted.blocksWrites) : self.command
            process = DriverProcess(command, home: wanted.home, locale: wanted.locale, stderr: wanted.stderr, clock: clock)
        case .oneShot(let abilities):
            process = OneShotDriver(command, abilities, stderr: wanted.stderr, clock: clock)
            if wanted.mayBlockWrites { _ = process.blockWrites(wanted.blocksWrites) }
        }
        living[ObjectIdentifier(process)] = process
        let nonce = nonces.next()
        process.inbox.ask(.hello)
        process.send(.hello(version: DriverHello.currentVersion, nonce: nonce))
        do throws(DriverFault) {
            let received = try await process.inbox.wait(for: .hello, within: limit)
            guard case .hello(let hello) = received.message else { throw .protocolBroken("no hello") }
            guard hello.version == DriverHello.currentVersion else {
                throw .protocolBroken("found version \(hello.version), expected \(DriverHello.currentVersion)")
            }
            guard hello.nonce == nonce else {
                throw .protocolBroken("found the nonce `\(hello.nonce)` in its hello, expected `\(nonce)`")
            }
            hasGreeted = true
            return .success(GreetedDriver(process: process, hello: hello))
        } catch {
            living[ObjectIdentifier(process)] = nil
            await process.killAndWait()
            let tail = StderrEnd(wanted.stderr.printable).text
            guard case .gone(let how) = error, !tail.isEmpty else { return .failure(error) }
            let missing = command.missingFile(in: tail).map { "\n\($0)" } ?? ""
            return .failure(.gone("\(how); its stderr:\n\(tail)\(missing)"))
        }
    }
}

struct DriverStart: Sendable {
    /// Its working directory, `HOME` and `TMPDIR`.
    var home: URL
    var stderr: StderrTail
    /// The user's locale, which the process finds in `LANG` and `LC_ALL`; nil leaves these as they are.
    var locale: String?
    /// Whether writes to its files may fail: it then ignores the signal that the system sends with such a failure, which is not part of a
    /// full disk.
    var mayBlockWrites = false
    /// Whether they fail from the start.
    var blocksWrites = false
}

/// Strings that a driver cannot guess, from a seed.
struct SeededNonces {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: SeededGenerator.hash(seed, "nonces")) }

    mutating func next() -> String { "r" + String(generator.next(), radix: 36) }
}
