import BankEngine
import Foundation
import GRDB

/// Reads the rows of a state file, of this version or an older one. A damaged file may contain anything: nothing is assumed.
struct StateReader {
    let path: String
    /// The version of the file's schema.
    let form: Int

    private var hasSums: Bool { form >= StateForm.firstWithSums }

    /// All sessions, in the order in which they were opened, each with its number.
    ///
    /// - Throws: ``StoreError`` for an unreadable row; an altered one is reported in its session's ``StoredSession/faults``.
    mutating func read(_ database: Database, _ body: (StoredSession, Int64) throws -> Void) throws {
        guard form > 0 else { return }
        let sums = hasSums ? "seed, checkpoint_sum" : "NULL, NULL"
        let sessions = try Row.fetchCursor(
            database, sql: "SELECT number, id, bank, opening, checkpoint_seq, checkpoint, \(sums) FROM session ORDER BY number")
        while let row = try sessions.next() {
            let columns = Columns(row, path: path, place: "session \(row.count > 0 ? "\(row[0] as DatabaseValue)" : "")")
            let number = try columns.int(0, "number")
            var session = StoredSession(
                id: try columns.text(1, "id"), bank: try columns.text(2, "bank"), opening: try columns.bytes(3, "opening"))
            if !columns.isNull(4) || !columns.isNull(5) {
                session.checkpoint = .init(seq: try columns.int(4, "checkpoint_seq"), state: try columns.bytes(5, "checkpoint"))
            }
            let seed = RowSum.seed(number: number, id: session.id, bank: session.bank, opening: session.opening)
            if hasSums {
                let made = session.checkpoint.map { RowSum.of($0, seed: seed) }
                if columns.sum(7) != made { session.faults.append(.changed("the checkpoint", columns.sum(7), made)) }
            }
            try readCommands(database, number, seed, &session)
            try body(session, number)
        }
    }

    private func readCommands(_ database: Database, _ number: Int64, _ seed: Int64, _ session: inout StoredSession) throws {
        let others = (form >= StateForm.firstWithReplies ? "reply" : "NULL") + ", " + (hasSums ? "sum" : "NULL")
        let rows = try Row.fetchCursor(
            database, sql: "SELECT seq, at, command, changes, \(others) FROM command WHERE session = ? ORDER BY seq", arguments: [number])
        while let row = try rows.next() {
            let columns = Columns(row, path: path, place: "session \(session.id), record \(row[0] as DatabaseValue)")
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

/// A row's columns, each validated for its type.
private struct Columns {
    let row: Row
    let path: String
    let place: String

    init(_ row: Row, path: String, place: String) {
        self.row = row
        self.path = path
        self.place = place
    }

    private func value(_ index: Int) -> DatabaseValue { row[index] }

    func isNull(_ index: Int) -> Bool { value(index).isNull }

    func int(_ index: Int, _ name: String) throws(StoreError) -> Int64 {
        guard case .int64(let number) = value(index).storage else { throw wrong(index, name, "a whole number") }
        return number
    }

    func text(_ index: Int, _ name: String) throws(StoreError) -> String {
        guard case .string(let text) = value(index).storage else { throw wrong(index, name, "a text") }
        return text
    }

    func bytes(_ index: Int, _ name: String) throws(StoreError) -> [UInt8] {
        guard case .blob(let data) = value(index).storage else { throw wrong(index, name, "bytes") }
        return [UInt8](data)
    }

    /// A checksum; nil if there is none.
    func sum(_ index: Int) -> Int64? {
        guard case .int64(let number) = value(index).storage else { return nil }
        return number
    }

    private func wrong(_ index: Int, _ name: String, _ expected: String) -> StoreError {
        let found =
            switch value(index).storage {
            case .null: "nothing"
            case .int64: "a whole number"
            case .double: "a fraction"
            case .string: "a text"
            case .blob: "bytes"
            }
        return .damaged(path: path, faults: ["\(place): found \(found) for its \(name), expected \(expected)"])
    }
}
