import Synchronization

/// Where wishes lie until they are fulfilled or refused, and after.
public protocol Outbox: Sendable {
    /// The wish of that name.
    func entry(_ intent: String) async throws(StoreError) -> OutboxEntry?
    /// Keeps the wish in place of any other of its name. When this returns it survives a crash, if the outbox lasts.
    func put(_ entry: OutboxEntry) async throws(StoreError)
}

/// Keeps wishes as long as the process lives.
public final class MemoryOutbox: Outbox {
    private let entries = Mutex<[String: OutboxEntry]>([:])

    public init() {}

    public func entry(_ intent: String) -> OutboxEntry? { entries.withLock { $0[intent] } }
    public func put(_ entry: OutboxEntry) { entries.withLock { $0[entry.intent] = entry } }
}
