import Synchronization

/// Where wishes lie until they are fulfilled or refused, and after.
public protocol Outbox: Sendable {
    /// The customer's wish of that name.
    func entry(_ intent: String, of owner: String) async throws(StoreError) -> OutboxEntry?
    /// The customers who have a wish of that name; an empty text stands for one whose customer is not known.
    func owners(of intent: String) async throws(StoreError) -> Set<String>
    /// Keeps the wish in place of any other of its name and customer. When this returns it survives a crash, if the outbox lasts.
    func put(_ entry: OutboxEntry) async throws(StoreError)
}

/// Keeps wishes as long as the process lives.
public final class MemoryOutbox: Outbox {
    private struct Name: Hashable { var owner, intent: String }
    private let entries = Mutex<[Name: OutboxEntry]>([:])

    public init() {}

    public func entry(_ intent: String, of owner: String) -> OutboxEntry? {
        entries.withLock { $0[Name(owner: owner, intent: intent)] }
    }

    public func owners(of intent: String) -> Set<String> {
        entries.withLock { Set($0.keys.filter { $0.intent == intent }.map(\.owner)) }
    }

    public func put(_ entry: OutboxEntry) {
        entries.withLock { $0[Name(owner: entry.owner, intent: entry.intent)] = entry }
    }
}
