import BankCore
import BankModel
import Platform

/// The body of a response that consists of events: it waits for the next ones.
final class EventStreamBody: UpstreamBody {
    private let session: BankSession
    private let number: Int
    private let heartbeat: Duration

    init(_ session: BankSession, _ number: Int, heartbeat: Duration) {
        self.session = session
        self.number = number
        self.heartbeat = heartbeat
    }

    func next() async -> UpstreamPiece {
        let silent = session.clock.monotonic() + heartbeat.nanoseconds
        while true {
            let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let (next, ticket) = session.nextOfStream(number) { wake.yield() }
            switch next {
            case .end: return .end
            case .bytes(let bytes):
                do { try await ticket?.wait() } catch {
                    // The change could not be stored, and was undone: nobody must see it.
                    session.restartStreams()
                    return .end
                }
                return .bytes(bytes)
            case .wait(let limit):
                let left = silent - session.clock.monotonic()
                guard left > 0 else { return .bytes(Array(": still here\n\n".utf8)) }
                // Slightly late, so that what is due then is done.
                let wait = min(left, (limit.map { $0 + .milliseconds(1) } ?? .nanoseconds(left)).nanoseconds)
                let timer = Task {
                    try? await Task.sleep(for: .nanoseconds(wait))
                    wake.yield()
                }
                defer { timer.cancel() }
                for await _ in wakes { break }
                if Task.isCancelled { return .end }
            }
        }
    }

    func cancel() { session.closeStream(number) }

    var isEndless: Bool { true }
}

extension BankSession {
    fileprivate func nextOfStream(
        _ number: Int, wake: @escaping @Sendable () -> Void
    ) -> (next: EventStreams.Next, ticket: CommitTicket?) {
        inner.withLock { inner in
            let now = inner.processDueEvents(clock)
            guard !inner.isClosed else { return (.end, nil) }
            return (inner.streams.next(number, inner.state, at: now, wake: wake), inner.log?.pending)
        }
    }

    fileprivate func closeStream(_ number: Int) { inner.withLock { $0.streams.close(number) } }

    fileprivate func restartStreams() { inner.withLock { $0.streams.restart() }.forEach { $0() } }

    /// Makes the open streams look for events.
    func wakeStreams() { inner.withLock { inner in inner.streams.changed(inner.state) }.forEach { $0() } }
}
