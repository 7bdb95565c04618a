import BankModel
import Foundation
import GRDB

/// Keeps wishes in a SQLite file; each is on the disk when ``put(_:)`` returns (`synchronous = FULL`).
public final class SQLiteOutbox: Outbox {
    private let database: DatabaseQueue

    /// Opens the file, or makes it, for its owner only.
    public init(path: String) throws(StoreError) {
        do {
            let folder = (path as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            if !FileManager.default.fileExists(atPath: path) {
                let made = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
                guard made else { throw StoreError("\(path) cannot be made") }
            }
            var configuration = Configuration()
            configuration.prepareDatabase { database in try database.execute(sql: "PRAGMA synchronous = FULL") }
            database = try DatabaseQueue(path: path, configuration: configuration)
            try SQLiteOutbox.migrator.migrate(database)
        } catch {
            throw StoreError("\(path): \(error)")
        }
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
        return migrator
    }

    public func entry(_ intent: String) async throws(StoreError) -> OutboxEntry? {
        do {
            return try await database.read { database in
                try Row.fetchOne(database, sql: "SELECT * FROM outbox WHERE intent = ?", arguments: [intent]).map(SQLiteOutbox.entry)
            }
        } catch {
            throw StoreError("the outbox cannot be read: \(error)")
        }
    }

    public func put(_ entry: OutboxEntry) async throws(StoreError) {
        let (state, payment, detail): (String, String?, String?) =
            switch entry.state {
            case .open: ("open", nil, nil)
            case .done(let receipt): (receipt.state.rawValue, receipt.id, nil)
            case .refused(let detail): ("refused", nil, detail)
            }
        let values: StatementArguments = [
            entry.intent, entry.order.from, entry.order.to, entry.order.amount.minorUnits, entry.order.amount.currency.code,
            entry.key, Data(entry.body), entry.mayHaveLeft, state, payment, detail,
        ]
        do {
            try await database.write { database in
                try database.execute(sql: "INSERT OR REPLACE INTO outbox VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", arguments: values)
            }
        } catch {
            throw StoreError("the outbox cannot be written: \(error)")
        }
    }

    private static func entry(_ row: Row) throws -> OutboxEntry {
        guard let currency = Currency(row["currency"] as String) else { throw StoreError("the outbox holds an unknown currency") }
        let amount = Money(minorUnits: row["minor_units"], currency: currency)
        let state: OutboxEntry.State
        switch row["state"] as String {
        case "open": state = .open
        case "refused": state = .refused((row["detail"] as String?) ?? "")
        case let text:
            guard let known = PaymentReceipt.State(rawValue: text) else { throw StoreError("the outbox holds an unknown state") }
            state = .done(PaymentReceipt(id: row["payment"], state: known))
        }
        return OutboxEntry(
            intent: row["intent"], order: PaymentOrder(from: row["payer"], to: row["payee"], amount: amount), key: row["key"],
            body: Array(row["body"] as Data), mayHaveLeft: row["may_have_left"], state: state)
    }
}
