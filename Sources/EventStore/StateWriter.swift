import BankEngine
import Platform
import SQLiteFile

/// Writes batches of entries, each in one transaction, and does the chores between them; confined to one thread.
struct StateWriter {
    private let file: StateFile
    private let partBytes: Int
    /// The rows of the sessions, by session id, as they are committed.
    private var sessions: [String: SessionRow] = [:]
    /// Those of the batch that is being written; nil for one that it removes.
    private var changed: [String: SessionRow?] = [:]
    private var chores: [Chore] = []
    /// Whether every session was, or will be, looked through for rows that no longer count: those that an earlier server has left, and
    /// those that a full disk did not let this one delete.
    private var sweepsAll = false

    /// Work that no client waits for.
    private enum Chore {
        /// Writes the next part of a checkpoint, or publishes it after the last.
        case checkpoint(PendingCheckpoint)
        /// Deletes what no longer counts of the session of that number, and its row if it is removed.
        case sweep(Int64)
    }

    private struct PendingCheckpoint {
        let session: String
        let number: Int64
        let checkpoint: StoredSession.Checkpoint
        let ticket: CommitTicket
        var parts: Int64 = 0
    }

    /// - Parameter partBytes: the size of the parts of a checkpoint, in bytes.
    init(_ file: StateFile, partBytes: Int) {
        self.file = file
        self.partBytes = partBytes
    }

    // MARK: batches

    /// Writes the whole batch or nothing, durably. A checkpoint only begins: ``doChore()`` writes it, and finishes its ticket.
    mutating func commit(_ batch: [EventStore.QueuedWrite]) throws {
        try file.requirePath()
        changed = [:]
        var begun: [Chore] = []
        try file.database.withLock { database in
            try database.transaction {
                if !sweepsAll { begun = try database.run("SELECT number FROM session").compactMap(\.first?.integer).map(Chore.sweep) }
                for entry in batch { if let chore = try write(entry, database) { begun.append(chore) } }
                for case let row? in changed.values { try row.update(in: database) }
            }
        }
        for (id, row) in changed { sessions[id] = row }
        chores += begun
        sweepsAll = true
    }

    private mutating func write(_ entry: EventStore.QueuedWrite, _ database: SQLiteDatabase) throws -> Chore? {
        switch entry.work {
        case .open(let bank, let opening):
            // No number is used twice.
            let last = try database.run(
                "SELECT max((SELECT ifnull(max(number), 0) FROM session), ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'session'), 0))"
            )
            let row = SessionRow(number: (last.first?.first?.integer ?? 0) + 1, id: entry.session, bank: bank, opening: opening)
            try row.insert(into: database)
            changed[entry.session] = row
        case .command(let given):
            var row = try known(entry.session, database)
            var command = given
            // Other readers of the file end a text there.
            command.command = String(command.command.prefix { $0 != "\0" })
            (row.last, row.lastSum) = (command.seq, RowSum.of(command, seed: row.seed))
            try database.run(
                "INSERT INTO command (session, seq, at, text, changes, reply, sum) VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    .integer(row.number), .integer(command.seq), .integer(command.at), .text(command.command), .blob(command.changes),
                    SQLiteValue(command.response), .integer(row.lastSum),
                ])
            changed[entry.session] = row
        case .remove:
            guard var row = try session(entry.session, database) else { return nil }
            row.isRemoved = true
            try row.update(in: database)
            changed[entry.session] = .some(nil)
            return .sweep(row.number)
        case .checkpoint(let checkpoint):
            let number = try known(entry.session, database).number
            return .checkpoint(
                PendingCheckpoint(session: entry.session, number: number, checkpoint: checkpoint, ticket: entry.ticket))
        case .attempt:
            // No session has this number.
            try database.run(
                "INSERT INTO checkpoint VALUES (0, 0, 0, ?, 0)", [.blob([UInt8](repeating: 0, count: StateWriter.attemptBytes))])
            try database.run("DELETE FROM checkpoint WHERE session = 0")
        }
        return nil
    }

    /// The bytes of an attempt to write: more than a page.
    private static let attemptBytes = 1 << 14

    /// The row of a session; nil if there is none.
    private mutating func session(_ id: String, _ database: SQLiteDatabase) throws(SQLiteError) -> SessionRow? {
        if let row = changed[id] { return row }
        if let row = sessions[id] { return row }
        let row = try database.run("SELECT \(SessionRow.columns) FROM session WHERE id = ? AND removed = 0", [.text(id)]).first
        sessions[id] = row.flatMap(SessionRow.init)
        return sessions[id]
    }

    /// The row of a session.
    ///
    /// - Throws: ``StoreError/removed(session:)`` if there is none.
    private mutating func known(_ id: String, _ database: SQLiteDatabase) throws -> SessionRow {
        guard let row = try session(id, database) else { throw StoreError.removed(session: id) }
        return row
    }

    // MARK: chores

    var hasChores: Bool { !chores.isEmpty }

    /// Does a step of the first chore, in a separate transaction: no command waits for more than one step.
    ///
    /// A checkpoint that cannot be written is given up: the commands that it would have replaced are all there. What cannot be deleted is
    /// deleted after the next batch.
    ///
    /// - Throws: the reason why the step failed.
    mutating func doChore() throws {
        guard let chore = chores.first else { return }
        do {
            try file.requirePath()
            switch chore {
            case .sweep(let number): if try step({ try StateWriter.sweep(number, $0) }) { chores.removeFirst() }
            case .checkpoint(let pending): try write(pending)
            }
        } catch {
            chores.removeFirst()
            sweepsAll = false
            if case .checkpoint(let pending) = chore { pending.ticket.finish(.failure(StoreError(error, path: file.path))) }
            throw error
        }
    }

    /// Gives up the checkpoints, and deletes everything that no longer counts: a full disk needs the space.
    ///
    /// - Returns: whether there was something to delete.
    mutating func sweepAll() throws -> Bool {
        var swept = false
        sweepsAll = false
        while !chores.isEmpty {
            let number: Int64
            switch chores.removeFirst() {
            case .sweep(let removed): number = removed
            case .checkpoint(let pending):
                number = pending.number
                pending.ticket.finish(.failure(.full(path: file.path)))
            }
            while try !step({ try StateWriter.sweep(number, $0) }) { swept = true }
        }
        return swept
    }

    /// A separate transaction.
    @discardableResult
    private func step<Value: Sendable>(_ body: @Sendable (SQLiteDatabase) throws -> Value) throws -> Value {
        try file.database.withLock { database in try database.transaction { try body(database) } }
    }

    /// Writes a part of a checkpoint, or publishes it: from then on it counts, and what it replaces is swept.
    private mutating func write(_ pending: PendingCheckpoint) throws {
        var pending = pending
        let (upto, state) = (pending.checkpoint.seq, pending.checkpoint.state)
        let rest = state.dropFirst(Int(pending.parts) * partBytes)
        // It was removed meanwhile, or a later checkpoint counts already.
        guard var row = sessions[pending.session], row.number == pending.number, row.parts == 0 || row.upto < upto else {
            chores[0] = .sweep(pending.number)
            return pending.ticket.finish(.success(()))
        }
        if rest.isEmpty, pending.parts > 0 {
            (row.upto, row.parts) = (upto, pending.parts)
            try step { [row] in try row.update(in: $0) }
            sessions[pending.session] = row
            chores[0] = .sweep(pending.number)
            return pending.ticket.finish(.success(()))
        }
        let bytes = Array(rest.prefix(partBytes))
        let values = [
            SQLiteValue.integer(row.number), .integer(upto), .integer(pending.parts), .blob(bytes),
            .integer(RowSum.of(part: pending.parts, upto: upto, bytes, seed: row.seed)),
        ]
        try step { try $0.run("INSERT OR REPLACE INTO checkpoint (session, upto, part, bytes, sum) VALUES (?, ?, ?, ?, ?)", values) }
        pending.parts += 1
        chores[0] = .checkpoint(pending)
    }

    /// Deletes some commands and one part that no longer count.
    ///
    /// - Returns: whether nothing was left to delete.
    private static func sweep(_ number: Int64, _ database: SQLiteDatabase) throws -> Bool {
        let row = try database.run("SELECT \(SessionRow.columns) FROM session WHERE number = ?", [.integer(number)]).first
        guard let session = row.flatMap(SessionRow.init) else { return true }
        let replaced = session.isRemoved ? session.last : session.parts == 0 ? 0 : session.upto
        let lowest = try database.run("SELECT min(seq) FROM command WHERE session = ?", [.integer(number)]).first?.first?.integer
        if let lowest, lowest <= replaced {
            let end = min(replaced, lowest + StateWriter.commandsPerStep - 1)
            try database.run("DELETE FROM command WHERE session = ? AND seq <= ?", [.integer(number), .integer(end)])
            return false
        }
        let part = try database.run(
            "SELECT upto, part FROM checkpoint WHERE session = ? AND (? OR upto <> ?) LIMIT 1",
            [.integer(number), .integer(session.isRemoved || session.parts == 0 ? 1 : 0), .integer(session.upto)]
        ).first
        if let part {
            try database.run("DELETE FROM checkpoint WHERE session = ? AND upto = ? AND part = ?", [.integer(number)] + part)
            return false
        }
        if session.isRemoved { try database.run("DELETE FROM session WHERE number = ?", [.integer(number)]) }
        return true
    }

    private static let commandsPerStep: Int64 = 1000
}
