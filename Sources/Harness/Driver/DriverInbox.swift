import BankModel
import DriverProtocol
import Platform

/// A message that the harness waits for.
package enum Awaited: Sendable, Hashable {
    case hello
    case ready(String)
    case result(String, Int)
    case ended(String)
    /// The process is gone.
    case exit
}

/// Why what was waited for did not come.
package enum DriverFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// No answer within the limit.
    case hung(Duration)
    /// The process went away by itself; how.
    case gone(String)
    /// The harness ended the process, such as for another case that shared it.
    case ended
    /// The process could not be started at all.
    case cannotStart(String)
    /// It wrote something that is not a message, or one that nobody asked for.
    case protocolBroken(String)
    /// Its response to one message is invalid; it can be sent the next.
    case mistake(String)
    case cancelled

    /// It can no longer respond, but its process has not ended.
    static let closedOutput = DriverFault.gone("closed its stdout and still runs")

    package var description: String {
        switch self {
        case .hung(let limit): "no response within \(limit.shortText)"
        case .gone(let how): "the driver \(how)"
        case .ended: "the harness ended the driver's process"
        case .cannotStart(let why): "the driver cannot be started: \(why)"
        case .protocolBroken(let what): "the driver violates the protocol: \(what)"
        case .mistake(let what): "an error of the driver, not of the client: \(what)"
        case .cancelled: "the run was cancelled"
        }
    }
}

/// Hands a driver's lines to the code that waits for them. An unrequested line breaks the protocol.
final class DriverInbox: Sendable {
    /// A message and when its line was read, by the monotonic clock.
    struct Received: Sendable {
        var message: DriverMessage?
        var at: Int64
        /// As it was read.
        var line = ""
        /// The free text beside a result, of which the message has only the beginning.
        var freeText: String?
    }

    private typealias Waiter = CheckedContinuation<Result<Received, DriverFault>, Never>

    private struct State {
        var asked: Set<Awaited> = []
        /// Requested and given up: a late response is ignored.
        var abandoned: Set<Awaited> = []
        var received: [Awaited: Result<Received, DriverFault>] = [:]
        /// By case: the unrequested messages about it. Other cases are not affected.
        var unasked: [String: DriverFault] = [:]
        /// The cases that have begun and not ended.
        var open: Set<String> = []
        /// Several may wait for one message, above all for the end of a process.
        var waiting: [Awaited: [Int: Waiter]] = [:]
        var lastWaiter = 0
        var hasOutputEnded = false
        var end: DriverFault?
    }

    private let state = Locked(State())
    private let clock: any Clock<Duration>

    init(clock: any Clock<Duration>) { self.clock = clock }

    /// Registers a response to wait for; to be called before the request is sent.
    func ask(_ key: Awaited) {
        state.withLock { state in
            state.asked.insert(key)
            if case .ready(let id) = key { state.open.insert(id) }
            state.received[key] = nil
        }
    }

    /// Takes a line of the driver's stdout.
    ///
    /// - Returns: false if it breaks the protocol; nothing more will be taken then.
    func take(line: String) -> Bool {
        let now = monotonicNanoseconds()
        do throws(ProtocolError) {
            let message = try DriverMessage(line: line)
            return deliver(message, at: now, line)
        } catch {
            let what = "\("\(error)".ofDriver); the line was `\(line.prefix(300))`"
            // An unreadable response that names its step fails only that step.
            if let (id, n) = DriverMessage.address(ofResult: line), isAsked(.result(id, n)) {
                return deliver(.result(id, n), .failure(.mistake(what)), line)
            }
            end(.protocolBroken(what))
            return false
        }
    }

    /// Takes a message that was not read from a line.
    func take(_ message: DriverMessage) { _ = deliver(message, at: monotonicNanoseconds(), message.line) }

    /// Fails the wait for a response, because what the driver sent is not one.
    func reject(_ key: Awaited, _ mistake: String) { _ = deliver(key, .failure(.mistake(mistake.ofDriver)), mistake) }

    /// How the driver has broken the protocol, if that ended it or has not been reported yet.
    var breach: DriverFault? {
        state.withLock { state in
            if case .protocolBroken(let what) = state.end { return .protocolBroken(what) }
            return state.unasked.min { $0.key < $1.key }?.value
        }
    }

    private func isAsked(_ key: Awaited) -> Bool { state.withLock { $0.asked.contains(key) || $0.abandoned.contains(key) } }

    /// Hands over a message with its texts cut.
    private func deliver(_ message: DriverMessage, at time: Int64, _ line: String) -> Bool {
        let received = Received(message: message.bounded, at: time, line: line, freeText: message.freeText)
        return deliver(message.key, .success(received), line)
    }

    /// Resumes those who wait for a response; an unrequested one fails those who wait for another response of the same case.
    private func deliver(_ key: Awaited, _ received: Result<Received, DriverFault>, _ line: String) -> Bool {
        let (waiters, isKnown) = state.withLock { state -> ([Waiter], Bool) in
            if state.asked.remove(key) != nil {
                if case .ended(let id) = key { state.open.remove(id) }
                if let waiters = state.waiting.removeValue(forKey: key) { return (Array(waiters.values), true) }
                state.received[key] = received
                return ([], true)
            }
            return ([], state.abandoned.remove(key) != nil)
        }
        for waiter in waiters { waiter.resume(returning: received) }
        return isKnown || blame(key, line)
    }

    /// Attributes an unrequested response to its case.
    ///
    /// - Returns: false if that case is not open: later messages cannot be trusted then.
    private func blame(_ key: Awaited, _ line: String) -> Bool {
        let open = state.withLock { state in state.asked.filter { $0.caseID != nil } }
        let mine = open.filter { $0.caseID == key.caseID }
        let expected = (mine.isEmpty ? open : mine).map(\.text).sorted().prefix(3).joined(separator: " or ")
        let what =
            "found the line `\(line.prefix(300))`, which is \(key.text) and was not requested; expected "
            + (expected.isEmpty ? "nothing" : expected)
        guard let id = key.caseID, state.withLock({ $0.open.contains(id) }) else {
            end(.protocolBroken(what))
            return false
        }
        let waiters = state.withLock { state in
            let keys = state.waiting.keys.filter { $0.caseID == id }
            if keys.isEmpty { state.unasked[id] = state.unasked[id] ?? .protocolBroken(what) }
            return keys.flatMap { state.waiting.removeValue(forKey: $0).map { Array($0.values) } ?? [] }
        }
        for waiter in waiters { waiter.resume(returning: .failure(.protocolBroken(what))) }
        return true
    }

    /// Ends everything: all waits fail with this reason. Only the first end counts.
    func end(_ fault: DriverFault) {
        let waiters = state.withLock { state in
            state.end = state.end ?? fault
            defer { state.waiting = state.waiting.filter { $0.key == .exit } }
            return state.waiting.filter { $0.key != .exit }.values.flatMap(\.values)
        }
        let failure = state.withLock { $0.end } ?? fault
        waiters.forEach { $0.resume(returning: .failure(failure)) }
    }

    /// Notes that no further line will come: if a wait now ends without a message, the client does not hang.
    func outputEnded() { state.withLock { $0.hasOutputEnded = true } }

    func exited(_ fault: DriverFault) {
        end(fault)
        let waiters = state.withLock { state in
            state.received[.exit] = .success(Received(message: nil, at: 0))
            return state.waiting.removeValue(forKey: .exit)
        }
        for waiter in waiters?.values.map(\.self) ?? [] { waiter.resume(returning: .success(Received(message: nil, at: 0))) }
    }

    /// Waits for a response, at most for that time.
    func wait(for key: Awaited, within limit: Duration) async throws(DriverFault) -> Received {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = state.withLock { state -> Result<Received, DriverFault>? in
                    if let id = key.caseID, let fault = state.unasked.removeValue(forKey: id) { return .failure(fault) }
                    if let received = state.received[key] { return received }
                    if key != .exit, let end = state.end { return .failure(end) }
                    if Task.isCancelled { return .failure(.cancelled) }
                    state.waiting[key, default: [:]][number] = continuation
                    return nil
                }
                if let now { return continuation.resume(returning: now) }
                // Only now, as a timer that ends before the waiter stands in the list would find nobody.
                timer = Task { [clock] in
                    do { try await clock.sleep(for: limit) } catch { return }
                    self.giveUp(key, number, .hung(limit))
                }
            }
        } onCancel: {
            giveUp(key, number, .cancelled)
        }
        return try result.get()
    }

    private func giveUp(_ key: Awaited, _ number: Int, _ fault: DriverFault) {
        let (waiter, hasOutputEnded) = state.withLock { state -> (Waiter?, Bool) in
            guard let waiter = state.waiting[key]?.removeValue(forKey: number) else { return (nil, false) }
            guard state.waiting[key]?.isEmpty == true else { return (waiter, state.hasOutputEnded) }
            state.waiting[key] = nil
            if state.asked.remove(key) != nil { state.abandoned.insert(key) }
            return (waiter, state.hasOutputEnded)
        }
        let isHung = if case .hung = fault { true } else { false }
        waiter?.resume(returning: .failure(isHung && hasOutputEnded ? .closedOutput : fault))
    }
}

extension Awaited {
    fileprivate var caseID: String? {
        switch self {
        case .ready(let id), .result(let id, _), .ended(let id): id
        case .hello, .exit: nil
        }
    }

    /// `the result of step 2 of the case c1`
    fileprivate var text: String {
        switch self {
        case .hello: "a hello"
        case .ready(let id): "ready for the case \(id)"
        case .result(let id, let n): "the result of step \(n) of the case \(id)"
        case .ended(let id): "the end of the case \(id)"
        case .exit: "the driver's exit"
        }
    }
}

extension DriverMessage {
    fileprivate var key: Awaited {
        switch self {
        case .hello: .hello
        case .ready(let id): .ready(id)
        case .result(let id, let n, _, _): .result(id, n)
        case .ended(let id): .ended(id)
        }
    }
}

/// The machine's monotonic clock, in nanoseconds: the very clock by which the bank notes when heads arrive.
func monotonicNanoseconds() -> Int64 { MachineTime.monotonic() }
