import BankEngine
import Platform
import SQLiteFile

/// Examines a state file before anything in it is changed: SQLite folds the write-ahead log into the file when it is closed,
/// and missing files could then no longer be put back.
struct StateLook {
    /// The file, opened read-only.
    let database: SQLiteDatabase
    /// The version of its schema; 0 if it is empty.
    let form: Int
    /// Whether it has sessions.
    let hasSessions: Bool
    /// The damage, a sentence each with its place.
    let damage: [String]
    /// Files that SQLite created beside the file to read it.
    let strays: [String]

    /// - Throws: ``StoreError`` if it is not a state file, or one of a newer version.
    init(_ path: String) throws {
        strays = ["-wal", "-shm"].map { path + $0 }.filter { access($0, F_OK) != 0 }
        // Without a log nothing changes it while it is locked.
        let hasLog = !strays.contains(path + "-wal")
        database = try SQLiteDatabase(path, readOnly: true, isImmutable: !hasLog)
        form = try StateLook.form(database, path)
        hasSessions = try form > 0 && StateLook.number(database, "SELECT count(*) FROM session") != 0
        let slots = try StateMark.slots(beside: path)
        var damage = try database.run("PRAGMA integrity_check").compactMap(\.first?.text).filter { $0 != "ok" }
        if form > 0 {
            let strays = try StateLook.number(database, "SELECT count(*) FROM command WHERE session NOT IN (SELECT number FROM session)")
            if strays > 0 { damage.append("found \(strays) commands of no session, expected none") }
            if form >= StateForm.firstWithSums { damage += try StateLook.ends(database, slots, path) }
        } else {
            damage += StateLook.missing([:], slots ?? [:], path)
        }
        self.damage = damage
    }

    private static func form(_ database: SQLiteDatabase, _ path: String) throws -> Int {
        let id = try number(database, "PRAGMA application_id")
        if id == 0, try number(database, "SELECT count(*) FROM sqlite_master") == 0 { return 0 }
        guard id == StateForm.applicationID else { throw StoreError.notOurs(path: path) }
        guard let form = try StateForm.schema.version(of: database) else { throw StoreError.newer(path: path) }
        // The table of versions is created before all others: without it, or its rows, a file with others would be taken for an empty one.
        let others = try number(database, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name <> 'grdb_migrations'")
        guard form > 0 || others == 0 else {
            throw StoreError.damaged(
                path: path, faults: ["found \(others) tables and no version of their form, expected its row in grdb_migrations"])
        }
        return form
    }

    /// The number that the statement yields; 0 if it yields none.
    private static func number(_ database: SQLiteDatabase, _ sql: String) throws(SQLiteError) -> Int64 {
        try database.run(sql).first?.first?.integer ?? 0
    }

    /// Closes the file and removes the files that SQLite created beside it.
    func close() {
        database.close()
        for stray in strays { _ = unlink(stray) }
    }

    // MARK: completeness

    /// A session's last row.
    private struct End {
        let id: String
        let slot: StateMark.Slot
    }

    private static func ends(_ database: SQLiteDatabase, _ slots: [Int64: StateMark.Slot]?, _ path: String) throws -> [String] {
        var damage: [String] = []
        var ends: [Int64: End] = [:]
        let sessions = try database.run(
            "SELECT number, id, bank, opening, seed, ends.seq, ends.sum FROM session JOIN (\(StateForm.ends)) AS ends USING (number)")
        for row in sessions {
            guard let number = row[0].integer, let id = row[1].text, let bank = row[2].text, let opening = row[3].blob,
                let seq = row[5].integer
            else {
                damage.append("session \(row[0].asNumber): found a row that is none of a session, expected one")
                continue
            }
            let found = row[4].integer
            let made = RowSum.seed(number: number, id: id, bank: bank, opening: opening)
            if found != made { damage.append(.changed("session \(id)", found, made)) }
            ends[number] = End(id: id, slot: .init(seq: seq, sum: row[6].integer ?? 0))
        }
        let version = try number(database, "PRAGMA user_version")
        switch version {
        case StateForm.closed: damage += try tails(database, ends)
        case StateForm.open where slots == nil:
            damage.append(
                "found no \(StateMark.path(beside: path)) beside a file that was not closed, expected it: without it and \(path)-wal the acknowledged commands cannot be determined"
            )
        case StateForm.open: break
        default: damage.append("found \(version) for PRAGMA user_version, expected \(StateForm.open) or \(StateForm.closed)")
        }
        return try damage + missing(ends, slots ?? [:], path) + replaced(database, ends, slots ?? [:])
    }

    /// Sessions and records that existed when the file was closed, and are missing.
    private static func tails(_ database: SQLiteDatabase, _ ends: [Int64: End]) throws -> [String] {
        var rest = ends
        var damage: [String] = []
        for row in try database.run("SELECT session, seq, sum FROM tail") {
            guard let number = row[0].integer, let seq = row[1].integer, let sum = row[2].integer else {
                damage.append("found a row that is none of tail, expected one")
                continue
            }
            guard let end = rest.removeValue(forKey: number) else {
                damage.append("found no session of the number \(number), expected one with \(seq) commands, as when the file was closed")
                continue
            }
            guard end.slot.seq == seq else {
                damage.append(
                    "session \(end.id): found its last command to be \(end.slot.seq), expected \(seq), as when the file was closed")
                continue
            }
            if end.slot.sum != sum { damage.append("session \(end.id): \(String.changed("record \(seq)", end.slot.sum, sum))") }
        }
        return damage + rest.values.map { "session \($0.id): found it in no row of tail, expected it there" }.sorted()
    }

    /// Acknowledged commands that are missing.
    private static func missing(_ ends: [Int64: End], _ slots: [Int64: StateMark.Slot], _ path: String) -> [String] {
        slots.sorted { $0.key < $1.key }.compactMap { number, slot in
            let lost = "the end of the write-ahead log is lost (\(path)-wal)"
            if slot == .removed {
                return ends[number].map { "session \($0.id): found the session, expected none, as its removal was acknowledged: \(lost)" }
            }
            guard let end = ends[number] else {
                return "found no session of the number \(number), expected one with \(slot.seq) commands, which were acknowledged: \(lost)"
            }
            guard end.slot.seq < slot.seq else { return nil }
            return "session \(end.id): found its last command to be \(end.slot.seq), expected \(slot.seq), which was acknowledged: \(lost)"
        }
    }

    /// Acknowledged commands that were replaced by other rows.
    private static func replaced(_ database: SQLiteDatabase, _ ends: [Int64: End], _ slots: [Int64: StateMark.Slot]) throws -> [String] {
        try slots.sorted { $0.key < $1.key }.compactMap { number, slot in
            let row = try database.run(
                "SELECT sum FROM command WHERE session = ? AND seq = ?", [.integer(number), .integer(slot.seq)]
            ).first
            guard let row, let end = ends[number] else { return nil }
            let found = row[0].integer
            return found == slot.sum ? nil : "session \(end.id): \(String.changed("record \(slot.seq)", found, slot.sum))"
        }
    }

    /// The end of each session, or of one, as a mark records it.
    static func slots(_ database: SQLiteDatabase, of session: Int64? = nil) throws -> [Int64: StateMark.Slot] {
        var slots: [Int64: StateMark.Slot] = [:]
        let rows = try database.run(
            StateForm.ends + (session == nil ? "" : " WHERE number = ?"), session.map { [SQLiteValue.integer($0)] } ?? [])
        for row in rows {
            guard let number = row[0].integer, let seq = row[1].integer, let sum = row[2].integer else { continue }
            slots[number] = StateMark.Slot(seq: seq, sum: sum)
        }
        return slots
    }
}
