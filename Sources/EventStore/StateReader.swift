import BankEngine
import SQLiteFile

/// Examines and reads a state file. A damaged file may contain anything: nothing is assumed.
struct StateReader: Sendable {
    let path: String

    // MARK: the whole file

    /// Rejects a file with SQL of its own, before any statement could run it: a view in place of a table need never end, and a trigger could
    /// lose what was acknowledged (sqlite.org/security.html §1.1). SQLite parses the text of an entry, whatever its type says.
    ///
    /// - Throws: ``StoreError/damaged(path:faults:)``, and what SQLite throws.
    func requireTablesAlone(_ database: SQLiteDatabase) throws {
        let others = try database.run(
            """
            SELECT name FROM sqlite_master WHERE sql IS NOT NULL AND sql NOT LIKE 'CREATE TABLE %' AND sql NOT LIKE 'CREATE INDEX %'
            AND sql NOT LIKE 'CREATE UNIQUE INDEX %'
            """)
        guard others.isEmpty else {
            throw StoreError.damaged(path: path, faults: ["found a view, a trigger or a virtual table, expected tables and indexes alone"])
        }
    }

    /// The damage of the file itself, a sentence each with its location: SQLite's own check of its pages, rows of sessions, numbers that no
    /// server has counted up to, and commands and checkpoints that are missing. Altered commands are reported by ``session(_:_:)``.
    func damage(_ database: SQLiteDatabase) throws(SQLiteError) -> [String] {
        var damage = try database.run("PRAGMA integrity_check").compactMap(\.first?.text).filter { $0 != "ok" }
        for table in ["command", "checkpoint"] {
            let strays = try database.run("SELECT count(*) FROM \(table) WHERE session NOT IN (SELECT number FROM session)")
            if let count = strays.first?.first?.integer, count > 0 {
                damage.append("found \(count) \(count == 1 ? "row" : "rows") of \(table) without a session, expected none")
            }
        }
        for row in try database.run("SELECT \(SessionRow.columns) FROM session ORDER BY number") {
            guard let session = SessionRow(row) else {
                damage.append("session \(row[0].asNumber): found a row that is not a session, expected one")
                continue
            }
            for (name, value) in [("number", session.number), ("last", session.last)] where value > StateSchema.largestNumber {
                damage.append("session \(session.id): found \(value) for its \(name), expected \(StateSchema.largestNumber) at most")
            }
            if row.last?.integer != session.sum { damage.append(.changed("session \(session.id)", row.last?.integer, session.sum)) }
            if !session.isRemoved, let fault = try end(of: session, database) { damage.append("session \(session.id): \(fault)") }
        }
        let sequence = try database.run("SELECT seq FROM sqlite_sequence WHERE name = 'session'").first?.first
        if let sequence, sequence.integer.map({ $0 > StateSchema.largestNumber }) ?? true {
            let found = sequence.integer.map { "\($0)" } ?? "no whole number"
            damage.append("sqlite_sequence: found \(found) for session, expected \(StateSchema.largestNumber) at most")
        }
        return damage
    }

    /// The complaint about a session whose last command is missing or another.
    private func end(of session: SessionRow, _ database: SQLiteDatabase) throws(SQLiteError) -> String? {
        let row = try database.run(
            "SELECT seq, sum FROM command WHERE session = ? ORDER BY seq DESC LIMIT 1", [.integer(session.number)]
        ).first
        let (last, sum) = (row?[0].integer, row?[1].integer)
        let end = max(last ?? 0, session.upto)
        guard end == session.last else { return "found its last command to be \(end), expected \(session.last)" }
        return last == session.last && sum != session.lastSum ? .changed("record \(session.last)", sum, session.lastSum) : nil
    }

    // MARK: sessions

    /// The row ids of all sessions that are not removed, in the order in which they were opened.
    func numbers(_ database: SQLiteDatabase) throws(SQLiteError) -> [Int64] {
        // A damaged table may have another key; every row has a rowid, and it is a whole number.
        try database.run("SELECT rowid FROM session WHERE removed = 0 ORDER BY number").compactMap { $0[0].integer }
    }

    /// The session of that row id; nil if there is none.
    ///
    /// - Throws: ``StoreError`` for an unreadable row; an altered or missing one is reported in the session's ``StoredSession/faults``.
    func session(_ row: Int64, _ database: SQLiteDatabase) throws -> StoredSession? {
        let found = try database.run(
            "SELECT number, id, bank, opening, upto, parts FROM session WHERE rowid = ? AND removed = 0", [.integer(row)]
        ).first
        guard let columns = found.map({ Columns(row: $0, path: path, location: "session \(row)") }) else { return nil }
        let (number, upto, parts) = (try columns.int(0, "number"), try columns.int(4, "upto"), try columns.int(5, "parts"))
        var session = StoredSession(
            id: try columns.text(1, "id"), bank: try columns.text(2, "bank"), opening: try columns.bytes(3, "opening"))
        let seed = RowSum.ofSession(number: number, id: session.id, bank: session.bank, opening: session.opening)
        if parts != 0 { session.checkpoint = try checkpoint(database, number, upto, parts, seed, &session) }
        try readCommands(database, number, seed, &session)
        return session
    }

    private func checkpoint(
        _ database: SQLiteDatabase, _ number: Int64, _ upto: Int64, _ parts: Int64, _ seed: Int64, _ session: inout StoredSession
    ) throws -> StoredSession.Checkpoint {
        let rows = try database.run(
            "SELECT part, bytes, sum FROM checkpoint WHERE session = ? AND upto = ? ORDER BY part", [.integer(number), .integer(upto)])
        // The expected numbers are not listed: a damaged row may claim any number of parts.
        if Int64(rows.count) != parts || !rows.enumerated().allSatisfy({ $1[0].integer == Int64($0) }) {
            let expected = parts > 0 ? "parts 0 to \(parts - 1)" : "\(parts) of them"
            session.faults.append("the checkpoint: found \(rows.count) parts, expected \(expected)")
        }
        var state: [UInt8] = []
        for row in rows {
            let columns = Columns(row: row, path: path, location: "session \(session.id), part \(row[0].asNumber) of the checkpoint")
            let (part, bytes) = (try columns.int(0, "part"), try columns.bytes(1, "bytes"))
            let made = RowSum.of(part: part, upto: upto, bytes, seed: seed)
            if columns.sum(2) != made { session.faults.append(.changed("part \(part) of the checkpoint", columns.sum(2), made)) }
            state += bytes
        }
        return StoredSession.Checkpoint(seq: upto, state: state)
    }

    private func readCommands(_ database: SQLiteDatabase, _ number: Int64, _ seed: Int64, _ session: inout StoredSession) throws {
        let rows = try database.run(
            "SELECT seq, at, text, changes, reply, sum FROM command WHERE session = ? AND seq > ? ORDER BY seq",
            // Those that a checkpoint replaces are deleted little by little.
            [.integer(number), .integer(session.checkpoint?.seq ?? 0)])
        for row in rows {
            let columns = Columns(row: row, path: path, location: "session \(session.id), record \(row[0].asNumber)")
            let command = StoredCommand(
                session: session.id, seq: try columns.int(0, "seq"), at: try columns.int(1, "at"), command: try columns.text(2, "text"),
                changes: try columns.bytes(3, "changes"), response: columns.isNull(4) ? nil : try columns.bytes(4, "reply"))
            let made = RowSum.of(command, seed: seed)
            if columns.sum(5) != made { session.faults.append(.changed("record \(command.seq)", columns.sum(5), made)) }
            session.commands.append(command)
        }
    }
}

extension String {
    /// The complaint about an altered row.
    fileprivate static func changed(_ row: String, _ found: Int64?, _ made: Int64) -> String {
        func shown(_ sum: Int64) -> String { String(UInt64(bitPattern: sum), radix: 16) }
        return
            "\(row): found the checksum \(found.map(shown) ?? "none"), expected \(shown(made)), the checksum of its content: it was changed after it was written"
    }
}

extension SQLiteValue {
    /// The number of a row, for a complaint about it.
    fileprivate var asNumber: String { integer.map { "\($0)" } ?? "of no number" }
}

/// A row's columns, each validated for its type.
private struct Columns {
    let row: [SQLiteValue]
    let path: String
    let location: String

    func isNull(_ index: Int) -> Bool { row[index] == .null }

    func int(_ index: Int, _ name: String) throws(StoreError) -> Int64 { try value(row[index].integer, index, name, "a whole number") }

    func text(_ index: Int, _ name: String) throws(StoreError) -> String { try value(row[index].text, index, name, "a text") }

    func bytes(_ index: Int, _ name: String) throws(StoreError) -> [UInt8] { try value(row[index].blob, index, name, "bytes") }

    /// A checksum; nil if there is none.
    func sum(_ index: Int) -> Int64? { row[index].integer }

    private func value<Value>(_ value: Value?, _ index: Int, _ name: String, _ expected: String) throws(StoreError) -> Value {
        if let value { return value }
        let found =
            switch row[index] {
            case .null: "nothing"
            case .integer: "a whole number"
            case .real: "a fraction"
            case .text: "a text"
            case .blob: "bytes"
            }
        throw .damaged(path: path, faults: ["\(location): found \(found) for its \(name), expected \(expected)"])
    }
}
