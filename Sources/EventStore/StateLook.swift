import BankEngine
import Foundation
import GRDB
import Platform

/// Examines a state file before anything in it is changed: SQLite folds the write-ahead log into the file when it is closed,
/// and missing files could then no longer be put back.
struct StateLook {
    /// The file, opened read-only.
    let database: DatabaseQueue
    /// The version of its schema; 0 if it is empty.
    let form: Int
    /// The damage, a sentence each with its place.
    private(set) var damage: [String] = []
    private let path: String
    /// Files that SQLite created beside the file to read it.
    private let strays: [String]

    /// - Throws: ``StoreError`` if it is not a state file, or one of a newer version.
    init(_ path: String) throws {
        self.path = path
        strays = ["-wal", "-shm"].map { path + $0 }.filter { access($0, F_OK) != 0 }
        var configuration = Configuration()
        configuration.readonly = true
        database = try DatabaseQueue(path: path, configuration: configuration)
        form = try database.read { database in
            let id = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
            if id == 0, try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0 { return 0 }
            guard id == StateForm.applicationID else { throw StoreError.notOurs(path: path) }
            if try StateForm.migrator.hasBeenSuperseded(database) { throw StoreError.newer(path: path) }
            return try StateForm.number(in: database)
        }
        let (form, slots) = (form, try StateMark.slots(beside: path))
        damage = try database.read { database in
            var damage = try String.fetchAll(database, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
            guard form > 0 else { return damage + StateLook.missing([:], slots ?? [:], path) }
            let strays = try Int.fetchOne(database, sql: "SELECT count(*) FROM command WHERE session NOT IN (SELECT number FROM session)")
            if let strays, strays > 0 { damage.append("found \(strays) commands of no session, expected none") }
            if form >= StateForm.firstWithSums { damage += try StateLook.ends(database, slots, path) }
            return damage
        }
    }

    /// Closes the file and removes the files that SQLite created beside it.
    func close() {
        try? database.close()
        for stray in strays { _ = unlink(stray) }
    }

    // MARK: completeness

    /// A session's last row.
    private struct End {
        let id: String
        let slot: StateMark.Slot
    }

    private static func ends(_ database: Database, _ slots: [Int64: StateMark.Slot]?, _ path: String) throws -> [String] {
        var damage: [String] = []
        var ends: [Int64: End] = [:]
        let sessions = try Row.fetchAll(
            database,
            sql: "SELECT number, id, bank, opening, seed, ends.seq, ends.sum FROM session JOIN (\(StateForm.ends)) AS ends USING (number)")
        for row in sessions {
            guard let number = Int64.fromDatabaseValue(row[0]), let id = String.fromDatabaseValue(row[1]),
                let bank = String.fromDatabaseValue(row[2]), let opening = Data.fromDatabaseValue(row[3]),
                let seq = Int64.fromDatabaseValue(row[5])
            else {
                damage.append("session \(row[0] as DatabaseValue): found a row that is none of a session, expected one")
                continue
            }
            let (found, made) = (
                Int64.fromDatabaseValue(row[4]), RowSum.seed(number: number, id: id, bank: bank, opening: [UInt8](opening))
            )
            if found != made { damage.append(.changed("session \(id)", found, made)) }
            ends[number] = End(id: id, slot: .init(seq: seq, sum: Int64.fromDatabaseValue(row[6]) ?? 0))
        }
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version")
        switch version {
        case StateForm.closed: damage += try tails(database, ends)
        case StateForm.open where slots == nil:
            damage.append(
                "found no \(StateMark.path(beside: path)) beside a file that was not closed, expected it: without it and \(path)-wal the acknowledged commands cannot be determined"
            )
        case StateForm.open: break
        default: damage.append("found \(version ?? 0) for PRAGMA user_version, expected \(StateForm.open) or \(StateForm.closed)")
        }
        return try damage + missing(ends, slots ?? [:], path) + replaced(database, ends, slots ?? [:])
    }

    /// Sessions and records that existed when the file was closed, and are missing.
    private static func tails(_ database: Database, _ ends: [Int64: End]) throws -> [String] {
        var rest = ends
        var damage: [String] = []
        for row in try Row.fetchAll(database, sql: "SELECT session, seq, sum FROM tail") {
            guard let number = Int64.fromDatabaseValue(row[0]), let seq = Int64.fromDatabaseValue(row[1]),
                let sum = Int64.fromDatabaseValue(row[2])
            else {
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
    private static func replaced(_ database: Database, _ ends: [Int64: End], _ slots: [Int64: StateMark.Slot]) throws -> [String] {
        try slots.sorted { $0.key < $1.key }.compactMap { number, slot in
            let row = try Row.fetchOne(
                database, sql: "SELECT sum FROM command WHERE session = ? AND seq = ?", arguments: [number, slot.seq])
            guard let row, let end = ends[number] else { return nil }
            let found = Int64.fromDatabaseValue(row[0])
            return found == slot.sum ? nil : "session \(end.id): \(String.changed("record \(slot.seq)", found, slot.sum))"
        }
    }

    /// The end of each session, or of one, as a mark records it.
    static func slots(_ database: Database, of session: Int64? = nil) throws -> [Int64: StateMark.Slot] {
        var slots: [Int64: StateMark.Slot] = [:]
        let rows = try Row.fetchAll(
            database, sql: StateForm.ends + (session == nil ? "" : " WHERE number = ?"),
            arguments: StatementArguments(session.map { [$0] } ?? []))
        for row in rows { slots[row[0]] = StateMark.Slot(seq: row[1], sum: row[2]) }
        return slots
    }
}
