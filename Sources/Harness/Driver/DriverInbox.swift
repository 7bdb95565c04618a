import BankModel
import DriverProtocol
import Synchronization

/// What the harness waits for.
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
    /// The process went away; how.
    case gone(String)
    /// The process could not be started at all.
    case cannotStart(String)
    /// It wrote something that is no message, or one that nobody asked for.
    case protocolBroken(String)
    case cancelled

    package var description: String {
        switch self {
        case .hung(let limit): "no answer within \(limit.shortText)"
        case .gone(let how): "the driver \(how)"
        case .cannotStart(let why): "the driver cannot be started: \(why)"
        case .protocolBroken(let what): "the driver breaks the protocol: \(what)"
        case .cancelled: "the run was cancelled"
        }
    }
}

/// Sorts a driver's lines to those who wait for them. Only what was asked for is taken; all else breaks the protocol.
final class DriverInbox: Sendable {
    /// A message and when its line was read, by the monotonic clock.
    struct Received: Sendable {
        var message: DriverMessage?
        var at: Int64
    }

    private typealias Waiter = CheckedContinuation<Result<Received, DriverFault>, Never>

    private struct State {
        var asked: Set<Awaited> = []
        /// Asked for and given up: an answer that comes late is passed over.
        var abandoned: Set<Awaited> = []
        var received: [Awaited: Received] = [:]
        /// Several may wait for one thing: for a process to be gone, above all.
        var waiting: [Awaited: [Int: Waiter]] = [:]
        var lastWaiter = 0
        var end: DriverFault?
    }

    private let state = Mutex(State())
    private let clock: any Clock<Duration>

    init(clock: any Clock<Duration>) { self.clock = clock }

    /// Says that an answer will be waited for; to be called before the question is sent.
    func ask(_ key: Awaited) {
        state.withLock { state in
            state.asked.insert(key)
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
            return deliver(message.key, Received(message: message, at: now), line)
        } catch {
            end(.protocolBroken("\(error); the line was `\(line.prefix(200))`"))
            return false
        }
    }

    /// Takes a message that was not read from a line.
    func take(_ message: DriverMessage) { _ = deliver(message.key, Received(message: message, at: monotonicNanoseconds()), message.line) }

    /// What ended it, if that was the driver's own fault against the protocol.
    var breach: DriverFault? {
        guard case .protocolBroken(let what) = state.withLock({ $0.end }) else { return nil }
        return .protocolBroken(what)
    }

    private func deliver(_ key: Awaited, _ received: Received, _ line: String) -> Bool {
        let (waiters, isKnown) = state.withLock { state -> ([Waiter], Bool) in
            if state.asked.remove(key) != nil {
                if let waiters = state.waiting.removeValue(forKey: key) { return (Array(waiters.values), true) }
                state.received[key] = received
                return ([], true)
            }
            return ([], state.abandoned.remove(key) != nil)
        }
        for waiter in waiters { waiter.resume(returning: .success(received)) }
        if !isKnown { end(.protocolBroken("nobody asked for `\(line.prefix(200))`")) }
        return isKnown
    }

    /// Ends everything: whoever waits is told why. The first end stands.
    func end(_ fault: DriverFault) {
        let waiters = state.withLock { state in
            state.end = state.end ?? fault
            defer { state.waiting = state.waiting.filter { $0.key == .exit } }
            return state.waiting.filter { $0.key != .exit }.values.flatMap(\.values)
        }
        let told = state.withLock { $0.end } ?? fault
        waiters.forEach { $0.resume(returning: .failure(told)) }
    }

    /// Says that the process is gone.
    func exited(_ fault: DriverFault) {
        end(fault)
        let waiters = state.withLock { state in
            state.received[.exit] = Received(message: nil, at: 0)
            return state.waiting.removeValue(forKey: .exit)
        }
        for waiter in waiters?.values.map(\.self) ?? [] { waiter.resume(returning: .success(Received(message: nil, at: 0))) }
    }

    /// Waits for an answer, at most so long.
    func wait(for key: Awaited, within limit: Duration) async throws(DriverFault) -> Received {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let timer = Task { [clock] in
            do { try await clock.sleep(for: limit) } catch { return }
            self.giveUp(key, number, .hung(limit))
        }
        defer { timer.cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = state.withLock { state -> Result<Received, DriverFault>? in
                    if let received = state.received[key] { return .success(received) }
                    if key != .exit, let end = state.end { return .failure(end) }
                    if Task.isCancelled { return .failure(.cancelled) }
                    state.waiting[key, default: [:]][number] = continuation
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            giveUp(key, number, .cancelled)
        }
        return try result.get()
    }

    private func giveUp(_ key: Awaited, _ number: Int, _ fault: DriverFault) {
        let waiter = state.withLock { state -> Waiter? in
            guard let waiter = state.waiting[key]?.removeValue(forKey: number) else { return nil }
            guard state.waiting[key]?.isEmpty == true else { return waiter }
            state.waiting[key] = nil
            if state.asked.remove(key) != nil { state.abandoned.insert(key) }
            return waiter
        }
        waiter?.resume(returning: .failure(fault))
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
