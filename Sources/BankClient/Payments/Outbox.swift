import Synchronization

/// Stores payments until they are settled or rejected, and after.
package protocol Outbox: Sendable {
    /// The customer's payment of that intent.
    func entry(_ intent: String, of owner: String) async throws(StorageError) -> OutboxEntry?
    /// The customers who have a payment of that intent; an empty text means an unknown customer.
    func owners(of intent: String) async throws(StorageError) -> Set<String>
    /// Stores the payment, replacing any other of its intent and customer. Durable when this returns, if the outbox is
    /// persistent.
    func put(_ entry: OutboxEntry) async throws(StorageError)
    /// Stores a new payment, unless another process has stored one of its intent and customer: that one counts.
    ///
    /// - Parameter key: the key of the rejected or unsent payment that it replaces; nil if there is none.
    /// - Returns: the stored payment.
    func claim(_ entry: OutboxEntry, replacing key: String?) async throws(StorageError) -> OutboxEntry
}

extension Outbox {
    /// In an outbox of one process the sender itself makes sure that an intent is begun once; it stores the payment when it sends it.
    package func claim(_ entry: OutboxEntry, replacing key: String?) async throws(StorageError) -> OutboxEntry { entry }
}

/// Stores payments for as long as the process lives.
package final class MemoryOutbox: Outbox {
    private struct Name: Hashable { var owner, intent: String }
    private let entries = Mutex<[Name: OutboxEntry]>([:])

    package init() {}

    package func entry(_ intent: String, of owner: String) -> OutboxEntry? {
        entries.withLock { $0[Name(owner: owner, intent: intent)] }
    }

    package func owners(of intent: String) -> Set<String> {
        entries.withLock { Set($0.keys.filter { $0.intent == intent }.map(\.owner)) }
    }

    package func put(_ entry: OutboxEntry) {
        entries.withLock { $0[Name(owner: entry.owner, intent: entry.intent)] = entry }
    }
}
