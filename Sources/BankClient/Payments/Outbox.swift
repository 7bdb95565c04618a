package import BankModel
import Platform

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
    private let entries = Locked<[Name: OutboxEntry]>([:])

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

/// Replaces an outbox that could not be opened. Each call tries again: a disk may be full, or a store locked, for a while only.
///
/// Until then every payment fails with the reason; reading from the bank works.
package final class ReopeningOutbox: Outbox {
    private let path: String
    private let opened = Locked<SQLiteOutbox?>(nil)

    package init(path: String) { self.path = path }

    package func entry(_ intent: String, of owner: String) throws(StorageError) -> OutboxEntry? { try outbox().entry(intent, of: owner) }
    package func owners(of intent: String) throws(StorageError) -> Set<String> { try outbox().owners(of: intent) }
    package func put(_ entry: OutboxEntry) throws(StorageError) { try outbox().put(entry) }
    package func claim(_ entry: OutboxEntry, replacing key: String?) throws(StorageError) -> OutboxEntry {
        try outbox().claim(entry, replacing: key)
    }

    private func outbox() throws(StorageError) -> SQLiteOutbox {
        try opened.withLock { opened throws(StorageError) in
            if let opened { return opened }
            let outbox = try SQLiteOutbox(path: path)
            opened = outbox
            return outbox
        }
    }
}

extension SQLiteOutbox {
    /// The outbox of that file; a ``ReopeningOutbox`` if it cannot be opened now. The file is never replaced: it may hold the keys of
    /// payments whose outcome is unknown.
    package static func opened(_ path: String) -> any Outbox {
        do throws(StorageError) { return try SQLiteOutbox(path: path) } catch { return ReopeningOutbox(path: path) }
    }
}

/// The time for which a bank remembers an idempotency key. A key sent after it starts a new payment.
package struct KeyWindow: Sendable, Hashable {
    /// Counted from the key's first arrival at the bank, such as 24 h; nil if as long as the bank remembers the payment.
    package var length: Duration?
    /// Subtracted at both ends: for the attempts themselves and for inaccurate clocks.
    package var margin: Duration = .seconds(300)

    package init(_ length: Duration?) { self.length = length }

    /// Whether a key may still be sent as the same payment.
    ///
    /// A key from the future means that the clock was set back: its age is unknown, and it may not be sent.
    /// - Parameter sent: the earliest time at which the key may have reached the bank; nil if it has not.
    package func allows(_ sent: Instant?, now: Instant) -> Bool {
        guard let length, let sent else { return true }
        let age = now - sent
        return age >= .zero - margin && age < length - margin
    }
}
