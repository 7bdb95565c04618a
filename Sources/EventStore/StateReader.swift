import BankEngine
import SQLiteFile

/// Reads the rows of a state file, of this version or an older one. A damaged file may contain anything: nothing is assumed.
struct StateReader: Sendable {
    let path: String
    /// The version of the file's schema.
    let form: Int

    private var hasSums: Bool { form >= StateForm.firstWithSums }

    /// The numbers of all sessions, in the order in which they were opened.
    func numbers(_ database: SQLiteDatabase) throws(SQLiteError) -> [Int64] {
        guard form > 0 else { return [] }
        // A damaged table may have another key; every row has a rowid, and it is a whole number.
        return try database.run("SELECT rowid FROM session ORDER BY number").compactMap { $0[0].integer }
    }

    /// The session of that number; nil if there is none.
    ///
    /// - Throws: ``StoreError`` for an unreadable row; an altered one is reported in the session's ``StoredSession/faults``.
    func session(_ row: Int64, _ database: SQLiteDatabase) throws -> StoredSession? {
        let sums = hasSums ? "seed, checkpoint_sum" : "NULL, NULL"
        let found = try database.run(
            "SELECT number, id, bank, opening, checkpoint_seq, checkpoint, \(sums) FROM session WHERE rowid = ?", [.integer(row)]
        ).first
        guard let columns = found.map({ Columns(row: $0, path: path, place: "session \(row)") }) else { return nil }
        let number = try columns.int(0, "number")
        var session = StoredSession(
            id: try columns.text(1, "id"), bank: try columns.text(2, "bank"), opening: try columns.bytes(3, "opening"))
        if !columns.isNull(4) || !columns.isNull(5) {
            let seq = try columns.int(4, "checkpoint_seq")
            let isSliced = form >= StateForm.firstWithSlices && columns.isNull(5)
            let state = isSliced ? try slices(database, number, seq, session.id) : try columns.bytes(5, "checkpoint")
            session.checkpoint = .init(seq: seq, state: state)
        }
        let seed = RowSum.seed(number: number, id: session.id, bank: session.bank, opening: session.opening)
        if hasSums {
            let made = session.checkpoint.map { RowSum.of($0, seed: seed) }
            if columns.sum(7) != made { session.faults.append(.changed("the checkpoint", columns.sum(7), made)) }
        }
        try readCommands(database, number, seed, &session)
        return session
    }

    /// A checkpoint that was stored in slices.
    private func slices(_ database: SQLiteDatabase, _ number: Int64, _ seq: Int64, _ id: String) throws -> [UInt8] {
        let rows = try database.run(
            "SELECT bytes, part FROM slice WHERE session = ? AND seq = ? ORDER BY part", [.integer(number), .integer(seq)])
        return try rows.reduce(into: []) { state, row in
            let columns = Columns(row: row, path: path, place: "session \(id), slice \(row[1].asNumber) of the checkpoint")
            state += try columns.bytes(0, "bytes")
        }
    }

    private func readCommands(_ database: SQLiteDatabase, _ number: Int64, _ seed: Int64, _ session: inout StoredSession) throws {
        let others = (form >= StateForm.firstWithReplies ? "reply" : "NULL") + ", " + (hasSums ? "sum" : "NULL")
        let rows = try database.run(
            "SELECT seq, at, command, changes, \(others) FROM command WHERE session = ? AND seq > ? ORDER BY seq",
            // A checkpoint removes those that it replaces little by little.
            [.integer(number), .integer(session.checkpoint?.seq ?? .min)])
        for row in rows {
            let columns = Columns(row: row, path: path, place: "session \(session.id), record \(row[0].asNumber)")
            let command = StoredCommand(
                session: session.id, seq: try columns.int(0, "seq"), at: try columns.int(1, "at"), command: try columns.text(2, "command"),
                changes: try columns.bytes(3, "changes"), reply: columns.isNull(4) ? nil : try columns.bytes(4, "reply"))
            if hasSums {
                let made = RowSum.of(command, seed: seed)
                if columns.sum(5) != made { session.faults.append(.changed("record \(command.seq)", columns.sum(5), made)) }
            }
            session.commands.append(command)
        }
    }
}

extension String {
    /// The complaint about an altered row.
    static func changed(_ row: String, _ found: Int64?, _ made: Int64?) -> String {
        func shown(_ sum: Int64?) -> String { sum.map { String(UInt64(bitPattern: $0), radix: 16) } ?? "none" }
        return
            "\(row): found the checksum \(shown(found)), expected \(shown(made)), the checksum of its content: it was changed after it was written"
    }
}

extension SQLiteValue {
    /// The number of a row, for a complaint about it.
    var asNumber: String { integer.map { "\($0)" } ?? "of no number" }
}

/// A row's columns, each validated for its type.
private struct Columns {
    let row: [SQLiteValue]
    let path: String
    let place: String

    func isNull(_ index: Int) -> Bool { row[index] == .null }

    func int(_ index: Int, _ name: String) throws(StoreError) -> Int64 {
        guard let number = row[index].integer else { throw wrong(index, name, "a whole number") }
        return number
    }

    func text(_ index: Int, _ name: String) throws(StoreError) -> String {
        guard let text = row[index].text else { throw wrong(index, name, "a text") }
        return text
    }

    func bytes(_ index: Int, _ name: String) throws(StoreError) -> [UInt8] {
        guard let bytes = row[index].blob else { throw wrong(index, name, "bytes") }
        return bytes
    }

    /// A checksum; nil if there is none.
    func sum(_ index: Int) -> Int64? { row[index].integer }

    private func wrong(_ index: Int, _ name: String, _ expected: String) -> StoreError {
        let found =
            switch row[index] {
            case .null: "nothing"
            case .integer: "a whole number"
            case .real: "a fraction"
            case .text: "a text"
            case .blob: "bytes"
            }
        return .damaged(path: path, faults: ["\(place): found \(found) for its \(name), expected \(expected)"])
    }
}
