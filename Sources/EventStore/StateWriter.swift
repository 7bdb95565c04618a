import BankEngine
import Foundation
import GRDB

/// Writes batches of entries, each in one transaction; confined to one thread.
struct StateWriter {
    private let file: StateFile
    /// The numbers of the sessions' rows, by session id.
    private var places: [String: Place] = [:]
    /// The highest session number of this writer: none is used twice, so that the mark can record removals.
    private var highest: Int64 = 0

    private struct Place {
        let number: Int64
        let seed: Int64
    }

    init(_ file: StateFile) { self.file = file }

    /// Writes the whole batch or nothing, durably; then updates the mark.
    mutating func commit(_ batch: [EventStore.Entry]) throws {
        var slots: [Int64: StateMark.Slot] = [:]
        let before = try slotsToBeRemoved(batch)
        // Before they are removed: a mark that lacks a session is correct, one with a session too many is not.
        for number in before.keys where file.mark?.put(nil, of: number) == false { throw StoreError.system(file.path, errno) }
        do {
            try file.database.writeWithoutTransaction { database in
                try database.inTransaction(.immediate) {
                    for entry in batch { try write(entry, database, &slots) }
                    return .commit
                }
            }
        } catch {
            // The cached places of the batch's sessions were never committed.
            places = [:]
            for (number, slot) in before { file.mark?.put(slot, of: number) }
            throw error
        }
        for (number, slot) in slots { file.mark?.put(slot, of: number) }
    }

    /// The ends of the sessions that the batch removes.
    private mutating func slotsToBeRemoved(_ batch: [EventStore.Entry]) throws -> [Int64: StateMark.Slot] {
        guard batch.contains(where: \.isRemoval) else { return [:] }
        return try file.database.read { database in
            var slots: [Int64: StateMark.Slot] = [:]
            for entry in batch where entry.isRemoval {
                guard let number = try place(entry.session, database)?.number else { continue }
                slots.merge(try StateLook.slots(database, of: number)) { $1 }
            }
            return slots
        }
    }

    private mutating func place(_ session: String, _ database: Database) throws -> Place? {
        if let place = places[session] { return place }
        let row = try Row.fetchOne(database, sql: "SELECT number, seed FROM session WHERE id = ?", arguments: [session])
        guard let row else { return nil }
        let place = Place(number: row[0], seed: row[1])
        places[session] = place
        return place
    }

    private mutating func write(_ entry: EventStore.Entry, _ database: Database, _ slots: inout [Int64: StateMark.Slot]) throws {
        switch entry.work {
        case .command(let given):
            guard let place = try place(entry.session, database) else { throw StateWriter.unknown(entry.session) }
            var command = given
            // SQLite ends a text there.
            command.command = String(command.command.prefix { $0 != "\0" })
            let sum = RowSum.of(command, seed: place.seed)
            try database.cachedStatement(
                sql: "INSERT INTO command (session, seq, at, command, changes, reply, sum) VALUES (?, ?, ?, ?, ?, ?, ?)"
            ).execute(
                arguments: [
                    place.number, command.seq, command.at, command.command, Data(command.changes), command.reply.map { Data($0) }, sum,
                ])
            slots[place.number] = StateMark.Slot(seq: command.seq, sum: sum)
        case .open(let bank, let opening):
            let number = max(highest, try Int64.fetchOne(database, sql: "SELECT max(number) FROM session") ?? 0) + 1
            highest = number
            let seed = RowSum.seed(number: number, id: entry.session, bank: bank, opening: opening)
            try database.execute(
                sql: "INSERT INTO session (number, id, bank, opening, seed) VALUES (?, ?, ?, ?, ?)",
                arguments: [number, entry.session, bank, Data(opening), seed])
            places[entry.session] = Place(number: number, seed: seed)
            slots[number] = StateMark.Slot(seq: 0, sum: seed)
        case .remove:
            try database.execute(sql: "DELETE FROM session WHERE id = ?", arguments: [entry.session])
            if let place = places.removeValue(forKey: entry.session) { slots[place.number] = .removed }
        case .checkpoint(let checkpoint):
            guard let place = try place(entry.session, database) else { throw StateWriter.unknown(entry.session) }
            try database.execute(
                sql: "UPDATE session SET checkpoint_seq = ?, checkpoint = ?, checkpoint_sum = ? WHERE number = ?",
                arguments: [checkpoint.seq, Data(checkpoint.state), RowSum.of(checkpoint, seed: place.seed), place.number])
            try database.execute(
                sql: "DELETE FROM command WHERE session = ? AND seq <= ?", arguments: [place.number, checkpoint.seq])
        }
    }

    private static func unknown(_ session: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_CONSTRAINT, message: "there is no session \(session)")
    }
}
