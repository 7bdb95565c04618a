import BankClient
import BankModel
import Foundation
import Platform

/// A store of tokens, what it does passed through a change.
struct AlteredStore: TokenStore {
    let base: any TokenStore
    var loading: @Sendable (any TokenStore) throws(StorageError) -> Token? = { store throws(StorageError) in try store.load() }
    /// The lock of the store; a change may leave it out.
    var processLock: ProcessLock?

    init(_ base: any TokenStore) {
        self.base = base
        processLock = base.processLock
    }

    func load() throws(StorageError) -> Token? { try loading(base) }
    func save(_ token: Token) throws(StorageError) { try base.save(token) }
    func clear() throws(StorageError) { try base.clear() }
}

/// An outbox, what it stores passed through a change.
struct AlteredOutbox: Outbox {
    let base: any Outbox
    /// Stores a payment by the outbox's own call, or does not; returns the one that counts.
    let storing: @Sendable (OutboxEntry, Store) async throws(StorageError) -> OutboxEntry

    /// The call of the outbox; returns the payment that is stored.
    typealias Store = @Sendable (OutboxEntry) async throws(StorageError) -> OutboxEntry

    func entry(_ intent: String, of owner: String) async throws(StorageError) -> OutboxEntry? { try await base.entry(intent, of: owner) }
    func owners(of intent: String) async throws(StorageError) -> Set<String> { try await base.owners(of: intent) }
    func put(_ entry: OutboxEntry) async throws(StorageError) {
        _ = try await storing(entry) { [base] entry throws(StorageError) in
            try await base.put(entry)
            return entry
        }
    }

    func claim(_ entry: OutboxEntry, replacing key: String?) async throws(StorageError) -> OutboxEntry {
        try await storing(entry) { [base] entry throws(StorageError) in try await base.claim(entry, replacing: key) }
    }
}

/// Stores payments in one JSON file that it reads when it is opened, and writes back whole.
final class WholeFileOutbox: Outbox {
    private let path: String
    private let entries: Locked<[[String]]>

    init(path: String) {
        self.path = path
        let stored = (try? Data(contentsOf: URL(filePath: path))).flatMap { try? JSONDecoder().decode([[String]].self, from: $0) }
        entries = Locked(stored ?? [])
    }

    func entry(_ intent: String, of owner: String) -> OutboxEntry? {
        entries.withLock { entries in entries.first { $0[0] == owner && $0[1] == intent }.flatMap(WholeFileOutbox.entry) }
    }

    func owners(of intent: String) -> Set<String> { entries.withLock { Set($0.filter { $0[1] == intent }.map { $0[0] }) } }

    func put(_ entry: OutboxEntry) throws(StorageError) {
        let data = entries.withLock { entries -> Data? in
            entries.removeAll { $0[0] == entry.owner && $0[1] == entry.intent }
            entries.append(WholeFileOutbox.row(entry))
            return try? JSONEncoder().encode(entries)
        }
        guard let data, (try? data.write(to: URL(filePath: path), options: .atomic)) != nil else {
            throw StorageError("\(path) cannot be written")
        }
        try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    private static func row(_ entry: OutboxEntry) -> [String] {
        let amount = entry.order.amount
        let done = if case .done(let receipt) = entry.state { [receipt.state.rawValue, receipt.id ?? ""] } else { [String]() }
        return [
            entry.owner, entry.intent, entry.order.from, entry.order.to, amount.major, amount.currency.code, entry.key,
            String(decoding: entry.body, as: UTF8.self), entry.sentAt.map { "\($0.nanoseconds)" } ?? "",
        ] + done
    }

    private static func entry(_ row: [String]) -> OutboxEntry? {
        guard row.count >= 9, let currency = Currency(row[5]), let amount = try? Money(major: row[4], currency: currency) else {
            return nil
        }
        let receipt = row.count > 10 ? PaymentReceipt.State(rawValue: row[9]).map { PaymentReceipt(id: row[10], state: $0) } : nil
        return OutboxEntry(
            owner: row[0], intent: row[1], order: PaymentOrder(from: row[2], to: row[3], amount: amount), key: row[6],
            body: Array(row[7].utf8), sentAt: Int64(row[8]).map(Instant.init(nanoseconds:)),
            state: receipt.map(OutboxEntry.State.done) ?? .open)
    }
}
