import BankModel
import Foundation
import GRDB

/// Stores payments in a SQLite file; each is durable when ``put(_:)`` returns (`synchronous = FULL`).
package final class SQLiteOutbox: Outbox {
    private let database: DatabaseQueue

    /// Opens the file, or creates it, for its owner only.
    ///
    /// - Parameter pages: the file's limit in pages of 4096 bytes; nil if only the disk limits it.
    /// - Throws: ``StorageError`` if it cannot be opened, is not an outbox, is damaged, or was written by a newer version.
    package init(path: String, pages: Int? = nil) throws(StorageError) {
        do {
            let folder = (path as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            if !FileManager.default.fileExists(atPath: path) {
                let made = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
                guard made else { throw StorageError("\(path) cannot be made") }
            }
            var configuration = Configuration()
            configuration.prepareDatabase { database in
                try database.execute(sql: "PRAGMA synchronous = FULL")
                // Apple's fsync leaves the bytes in the drive's cache; elsewhere these two change nothing (sqlite.org/pragma.html#pragma_fullfsync).
                try database.execute(sql: "PRAGMA fullfsync = ON")
                try database.execute(sql: "PRAGMA checkpoint_fullfsync = ON")
                if let pages { try database.execute(sql: "PRAGMA max_page_count = \(pages)") }
            }
            database = try DatabaseQueue(path: path, configuration: configuration)
            try database.read(SQLiteOutbox.check)
            try SQLiteOutbox.migrator.migrate(database)
        } catch let error as StorageError {
            throw StorageError("\(path): \(error)")
        } catch {
            throw StorageError("\(path) cannot be used as an outbox: \(error)")
        }
    }

    /// Validates the file before anything is changed.
    private static func check(_ database: Database) throws {
        if try migrator.hasBeenSuperseded(database) {
            throw StorageError("found an outbox of a newer version, expected at most \(migrator.migrations.last ?? "none")")
        }
        let verdict = try String.fetchOne(database, sql: "PRAGMA quick_check(1)") ?? "nothing"
        if verdict != "ok" { throw StorageError("found a damaged outbox (\(verdict)), expected a sound one") }
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE outbox (
                        intent TEXT PRIMARY KEY NOT NULL, payer TEXT NOT NULL, payee TEXT NOT NULL, minor_units INTEGER NOT NULL,
                        currency TEXT NOT NULL, key TEXT NOT NULL, body BLOB NOT NULL, may_have_left INTEGER NOT NULL,
                        state TEXT NOT NULL, payment TEXT, detail TEXT
                    ) STRICT
                    """)
        }
        migrator.registerMigration("2") { database in
            // An older version did not store the time of sending: the oldest possible time, so that no key with a window is
            // sent again.
            try database.execute(
                sql: """
                    ALTER TABLE outbox ADD COLUMN sent_at INTEGER;
                    UPDATE outbox SET sent_at = ? WHERE may_have_left;
                    ALTER TABLE outbox DROP COLUMN may_have_left;
                    """, arguments: [Int64.min])
        }
        migrator.registerMigration("3") { database in
            // The customers of older payments are unknown, and need not be the one who is signed in now: the payments remain
            // without a customer, so that they are neither sent nor shown, nor counted as paid or unpaid.
            try database.execute(
                sql: """
                    CREATE TABLE owned (
                        owner TEXT NOT NULL, intent TEXT NOT NULL, payer TEXT NOT NULL, payee TEXT NOT NULL,
                        minor_units INTEGER NOT NULL, currency TEXT NOT NULL, key TEXT NOT NULL, body BLOB NOT NULL,
                        sent_at INTEGER, state TEXT NOT NULL, payment TEXT, detail TEXT, PRIMARY KEY (owner, intent)
                    ) STRICT;
                    INSERT INTO owned SELECT '', intent, payer, payee, minor_units, currency, key, body, sent_at, state, payment, detail
                        FROM outbox;
                    DROP TABLE outbox;
                    ALTER TABLE owned RENAME TO outbox;
                    CREATE INDEX outbox_intent ON outbox (intent);
                    """)
        }
        return migrator
    }

    package func entry(_ intent: String, of owner: String) async throws(StorageError) -> OutboxEntry? {
        try await read { database in
            let sql = "SELECT * FROM outbox WHERE owner = ? AND intent = ?"
            return try Row.fetchOne(database, sql: sql, arguments: [owner, intent]).map(SQLiteOutbox.entry)
        }
    }

    package func owners(of intent: String) async throws(StorageError) -> Set<String> {
        try await read { try String.fetchSet($0, sql: "SELECT owner FROM outbox WHERE intent = ?", arguments: [intent]) }
    }

    private func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws(StorageError) -> Value {
        do { return try await database.read(body) } catch { throw StorageError("the outbox cannot be read: \(error)") }
    }

    package func put(_ entry: OutboxEntry) async throws(StorageError) {
        let (state, payment, detail): (String, String?, String?) =
            switch entry.state {
            case .open: ("open", nil, nil)
            case .done(let receipt): (receipt.state.rawValue, receipt.id, nil)
            case .refused(let detail): ("refused", nil, detail)
            }
        let order = entry.order
        let values: StatementArguments = [
            entry.owner, entry.intent, order.from, order.to, order.amount.minorUnits, order.amount.currency.code, entry.key,
            Data(entry.body), state,
            payment, detail, entry.sentAt?.nanoseconds,
        ]
        do {
            try await database.write { database in
                try database.execute(sql: SQLiteOutbox.replacement, arguments: values)
            }
        } catch {
            throw StorageError("the outbox cannot be written: \(error)")
        }
    }

    private static let replacement = """
        INSERT OR REPLACE INTO outbox
            (owner, intent, payer, payee, minor_units, currency, key, body, state, payment, detail, sent_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
}

/// Decodes a row: any content gives a value or an error.
extension SQLiteOutbox {
    private static func entry(_ row: Row) throws -> OutboxEntry {
        let code: String = try value(row, "currency")
        guard let currency = Currency(code) else { throw StorageError("found the currency \(code), expected one of ISO 4217") }
        let amount = Money(minorUnits: try value(row, "minor_units"), currency: currency)
        let order = PaymentOrder(from: try value(row, "payer"), to: try value(row, "payee"), amount: amount)
        let body: Data = try value(row, "body")
        let sent = Int64.fromDatabaseValue(row["sent_at"]).map(Instant.init(nanoseconds:))
        return OutboxEntry(
            owner: try value(row, "owner"), intent: try value(row, "intent"), order: order, key: try value(row, "key"),
            body: Array(body), sentAt: sent, state: try state(row))
    }

    private static func state(_ row: Row) throws -> OutboxEntry.State {
        let text: String = try value(row, "state")
        switch text {
        case "open": return .open
        case "refused": return .refused(String.fromDatabaseValue(row["detail"]) ?? "")
        default:
            guard let known = PaymentReceipt.State(rawValue: text) else {
                throw StorageError("found the state \(text), expected open, refused or one of a receipt")
            }
            return .done(PaymentReceipt(id: String.fromDatabaseValue(row["payment"]), state: known))
        }
    }

    private static func value<Value: DatabaseValueConvertible>(_ row: Row, _ column: String) throws -> Value {
        guard let value = Value.fromDatabaseValue(row[column]) else {
            throw StorageError("found no \(Value.self) as \(column) of a payment, expected one")
        }
        return value
    }
}
