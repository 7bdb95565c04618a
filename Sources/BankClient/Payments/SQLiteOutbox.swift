import BankModel
import Foundation
import Platform
import SQLiteFile

/// Stores payments in a SQLite file; each is durable when ``put(_:)`` returns (`synchronous = FULL`). Several processes may share it.
package final class SQLiteOutbox: Outbox {
    private let database: Locked<SQLiteDatabase>

    /// Opens the file, or creates it, for its owner only.
    ///
    /// - Parameter pages: the file's limit in pages of 4096 bytes; nil if only the disk limits it.
    /// - Throws: ``StorageError`` if it cannot be opened, is not an outbox, is damaged, or has another version.
    package init(path: String, pages: Int? = nil) throws(StorageError) {
        do {
            let folder = (path as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            if !FileManager.default.fileExists(atPath: path) {
                let made = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
                guard made else { throw StorageError("\(path) cannot be created") }
            }
            let database = try SQLiteDatabase(path, busyMilliseconds: 3000)
            try database.script("PRAGMA synchronous = FULL")
            // Apple's fsync leaves the bytes in the drive's cache; elsewhere these two change nothing (sqlite.org/pragma.html#pragma_fullfsync).
            try database.script("PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
            if let pages { try database.script("PRAGMA max_page_count = \(pages)") }
            try SQLiteOutbox.prepare(database)
            self.database = Locked(database)
        } catch let error as StorageError {
            throw StorageError("\(path): \(error)")
        } catch {
            throw StorageError("\(path) cannot be used as an outbox: \(error)")
        }
    }

    /// The version of the table (`PRAGMA user_version`).
    private static let version: Int64 = 5

    /// Validates the file before anything is changed, and creates the table in an empty one.
    private static func prepare(_ database: SQLiteDatabase) throws {
        let verdict = try database.run("PRAGMA quick_check(1)").first?.first?.text ?? "nothing"
        if verdict != "ok" { throw StorageError("found a damaged outbox (\(verdict)), expected a valid one") }
        if try foundVersion(database) == version { return }
        try database.transaction {
            // Another process may have created it while this one waited for the lock.
            let found = try foundVersion(database)
            if found == version { return }
            let names = try database.run("SELECT name FROM sqlite_master").compactMap { $0.first?.text }
            guard found == 0, names.isEmpty else {
                guard names.contains("outbox") else { throw StorageError("found another program's database, expected an outbox") }
                throw StorageError(
                    "found an outbox of version \(found), expected \(version): use the version of the client that wrote it, "
                        + "or check what it paid and delete the file")
            }
            try database.script(
                """
                CREATE TABLE outbox (
                    owner TEXT NOT NULL, intent TEXT NOT NULL, payer TEXT NOT NULL, payee TEXT NOT NULL,
                    minor_units INTEGER NOT NULL, currency TEXT NOT NULL, key TEXT NOT NULL, body BLOB NOT NULL,
                    sent_at INTEGER, state TEXT NOT NULL, payment TEXT, detail TEXT, quote TEXT, PRIMARY KEY (owner, intent)
                ) STRICT;
                CREATE INDEX outbox_intent ON outbox (intent);
                PRAGMA user_version = \(version);
                """)
        }
    }

    private static func foundVersion(_ database: SQLiteDatabase) throws -> Int64 {
        try database.run("PRAGMA user_version").first?.first?.integer ?? 0
    }

    package func entry(_ intent: String, of owner: String) throws(StorageError) -> OutboxEntry? {
        let row = try read("SELECT \(SQLiteOutbox.columns) FROM outbox WHERE owner = ? AND intent = ?", [.text(owner), .text(intent)]).first
        guard let row else { return nil }
        do throws(StorageError) { return try SQLiteOutbox.entry(row) } catch { throw SQLiteOutbox.unread(error) }
    }

    package func owners(of intent: String) throws(StorageError) -> Set<String> {
        Set(try read("SELECT owner FROM outbox WHERE intent = ?", [.text(intent)]).compactMap(\.first?.text))
    }

    private func read(_ sql: String, _ values: [SQLiteValue]) throws(StorageError) -> [[SQLiteValue]] {
        do throws(SQLiteError) {
            return try database.withLock { database throws(SQLiteError) in try database.run(sql, values) }
        } catch { throw SQLiteOutbox.unread(error) }
    }

    private static func unread(_ error: any Error) -> StorageError { StorageError("the outbox cannot be read: \(error)") }

    private func write(_ sql: String, _ values: [SQLiteValue]) throws(StorageError) {
        do throws(SQLiteError) {
            try database.withLock { database throws(SQLiteError) in _ = try database.run(sql, values) }
        } catch { throw StorageError("the outbox cannot be written: \(error)") }
    }

    package func put(_ entry: OutboxEntry) throws(StorageError) { try write(SQLiteOutbox.replacement, SQLiteOutbox.values(entry)) }

    package func claim(_ entry: OutboxEntry, replacing key: String?) throws(StorageError) -> OutboxEntry {
        try write(SQLiteOutbox.claiming, SQLiteOutbox.values(entry) + [SQLiteValue(key)])
        return try self.entry(entry.intent, of: entry.owner) ?? entry
    }

    private static func values(_ entry: OutboxEntry) -> [SQLiteValue] {
        let (state, payment, detail): (String, String?, String?) =
            switch entry.state {
            case .open: ("open", nil, nil)
            case .done(let receipt): (receipt.state.rawValue, receipt.id, nil)
            case .rejected(let detail): ("refused", nil, detail)
            }
        let order = entry.order
        return [
            .text(entry.owner), .text(entry.intent), .text(order.from), .text(order.to), .integer(order.amount.minorUnits),
            .text(order.amount.currency.code), .text(entry.key), .blob(entry.body), .text(state), SQLiteValue(payment),
            SQLiteValue(detail), SQLiteValue(entry.sentAt?.nanoseconds), SQLiteValue(order.quote),
        ]
    }

    private static let columns = "owner, intent, payer, payee, minor_units, currency, key, body, state, payment, detail, sent_at, quote"
    /// Without a row: inserts one. Over a row: replaces it only if it has the key in the last parameter.
    private static let claiming = """
        INSERT INTO outbox (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (owner, intent) DO UPDATE SET
            payer = excluded.payer, payee = excluded.payee, minor_units = excluded.minor_units, currency = excluded.currency,
            key = excluded.key, body = excluded.body, state = excluded.state, payment = excluded.payment, detail = excluded.detail,
            sent_at = excluded.sent_at, quote = excluded.quote
        WHERE outbox.key = ?
        """
    private static let replacement = "INSERT OR REPLACE INTO outbox (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
}

/// Decodes a row: any content gives a value or an error.
extension SQLiteOutbox {
    private static func entry(_ row: [SQLiteValue]) throws(StorageError) -> OutboxEntry {
        let code = try text(row, 5, "currency")
        guard let currency = Currency(code) else { throw StorageError("found the currency \(code), expected one of ISO 4217") }
        guard let minorUnits = row[4].integer else { throw missing("whole number", "minor_units") }
        guard let body = row[7].blob else { throw missing("bytes", "body") }
        let amount = Money(minorUnits: minorUnits, currency: currency)
        let order = PaymentOrder(from: try text(row, 2, "payer"), to: try text(row, 3, "payee"), amount: amount, quote: row[12].text)
        return OutboxEntry(
            owner: try text(row, 0, "owner"), intent: try text(row, 1, "intent"), order: order, key: try text(row, 6, "key"), body: body,
            sentAt: row[11].integer.map(Instant.init(nanoseconds:)), state: try state(row))
    }

    private static func state(_ row: [SQLiteValue]) throws(StorageError) -> OutboxEntry.State {
        let text = try text(row, 8, "state")
        switch text {
        case "open": return .open
        case "refused": return .rejected(row[10].text ?? "")
        default:
            guard let known = PaymentReceipt.State(rawValue: text) else {
                throw StorageError("found the state \(text), expected open, refused or one of a receipt")
            }
            return .done(PaymentReceipt(id: row[9].text, state: known))
        }
    }

    private static func text(_ row: [SQLiteValue], _ index: Int, _ column: String) throws(StorageError) -> String {
        guard let text = row[index].text else { throw missing("text", column) }
        return text
    }

    private static func missing(_ kind: String, _ column: String) -> StorageError {
        StorageError("found no \(kind) as \(column) of a payment, expected one")
    }
}
