import BankEngine
import Platform
import SQLiteFile
import Synchronization

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

    /// The checkpoints that are being written in slices, the first of them now.
    private var sliced: [SlicedCheckpoint] = []
    /// Those of the batch that is being committed.
    private var begun: [SlicedCheckpoint] = []
    private let sliceBytes: Int

    /// The bytes that were written to the write-ahead log since it was folded, as far as they can be told without asking.
    private var unfolded = 0

    /// - Parameter sliceBytes: a longer checkpoint is written in slices of this size.
    init(_ file: StateFile, sliceBytes: Int) {
        self.file = file
        self.sliceBytes = sliceBytes
    }

    /// Writes the whole batch or nothing, durably; then updates the mark. A long checkpoint only begins: ``writeSlice()`` continues it, and
    /// finishes its ticket.
    mutating func commit(_ batch: [EventStore.Entry]) throws {
        try file.requirePath()
        begun = []
        var slots: [Int64: StateMark.Slot] = [:]
        let before = try slotsToBeRemoved(batch)
        // Before they are removed: a mark that lacks a session is correct, one with a session too many is not.
        for number in before.keys where file.mark?.put(nil, of: number) == false { throw StoreError.system(file.path, errno) }
        do {
            try file.database.withLock { database in
                try database.transaction { for entry in batch { try write(entry, database, &slots) } }
            }
        } catch {
            // The cached places of the batch's sessions were never committed.
            places = [:]
            for (number, slot) in before { file.mark?.put(slot, of: number) }
            throw error
        }
        for (number, slot) in slots { file.mark?.put(slot, of: number) }
        sliced += begun
        end(of: Set(before.keys))
        // Besides the rows each commit writes some pages that are half full.
        unfolded += batch.reduce(4 * file.pageBytes) { $0 + $1.bytes }
    }

    // MARK: checkpoints in slices

    /// Whether the entry is stored later, slice by slice.
    func isSliced(_ entry: EventStore.Entry) -> Bool {
        if case .checkpoint(let checkpoint) = entry.work { checkpoint.state.count > sliceBytes } else { false }
    }

    /// Whether a checkpoint is being written.
    var hasSlices: Bool { !sliced.isEmpty }

    /// Ends the checkpoints of removed sessions.
    private mutating func end(of removed: Set<Int64>) {
        for checkpoint in sliced where removed.contains(checkpoint.number) { checkpoint.ticket.finish(.success(())) }
        sliced.removeAll { removed.contains($0.number) }
    }

    /// Continues the checkpoint that is being written by one step, in a transaction of its own.
    ///
    /// If it fails, for example because the disk is full, the checkpoint is given up: the commands that it would have replaced are all there.
    mutating func writeSlice() {
        guard var checkpoint = sliced.first else { return }
        do {
            try file.requirePath()
            let isOver = try file.database.withLock { database in
                var isOver = false
                try database.transaction { isOver = try checkpoint.step(database) }
                return isOver
            }
            if checkpoint.isPublished { checkpoint.ticket.finish(.success(())) }
            if isOver { sliced.removeFirst() } else { sliced[0] = checkpoint }
            unfolded += sliceBytes + 4 * file.pageBytes
        } catch {
            sliced.removeFirst()
            file.database.withLock { database in _ = try? database.transaction { try checkpoint.giveUp(database) } }
            checkpoint.ticket.finish(.failure(StoreError(error, path: file.path)))
        }
    }

    // MARK: the write-ahead log

    /// Has the write-ahead log folded into the file beside the commits if it has grown long, and folds the rest, which has come meanwhile, by
    /// itself: between two batches, when nobody waits for a reply whose command is in it. A long log writes a page once that many commits
    /// have changed, and one that a checkpoint has freed not at all.
    ///
    /// A failure changes nothing: the log has everything, and is folded later.
    ///
    /// - Parameter whileIdle: true if no command waits.
    mutating func fold(whileIdle: Bool) {
        if file.folder.takeEnd() { file.database.withLock { database in _ = try? database.run(LogFolder.statement) } }
        guard unfolded >= (whileIdle ? StateWriter.longLog / 2 : StateWriter.longLog) else { return }
        unfolded = 0
        file.folder.begin()
    }

    /// The bytes at which the log is folded, idle or not.
    private static let longLog = 1 << 24

    /// The ends of the sessions that the batch removes.
    private mutating func slotsToBeRemoved(_ batch: [EventStore.Entry]) throws -> [Int64: StateMark.Slot] {
        guard batch.contains(where: \.isRemoval) else { return [:] }
        return try file.database.withLock { database in
            var slots: [Int64: StateMark.Slot] = [:]
            for entry in batch where entry.isRemoval {
                guard let number = try place(entry.session, database)?.number else { continue }
                slots.merge(try StateLook.slots(database, of: number)) { $1 }
            }
            return slots
        }
    }

    private mutating func place(_ session: String, _ database: SQLiteDatabase) throws -> Place? {
        if let place = places[session] { return place }
        let row = try database.run("SELECT number, seed FROM session WHERE id = ?", [.text(session)]).first
        guard let row, let number = row[0].integer, let seed = row[1].integer else { return nil }
        let place = Place(number: number, seed: seed)
        places[session] = place
        return place
    }

    private mutating func write(_ entry: EventStore.Entry, _ database: SQLiteDatabase, _ slots: inout [Int64: StateMark.Slot]) throws {
        switch entry.work {
        case .command(let given):
            guard let place = try place(entry.session, database) else { throw unknown(entry.session) }
            var command = given
            // Other readers of the file end a text there.
            command.command = String(command.command.prefix { $0 != "\0" })
            let sum = RowSum.of(command, seed: place.seed)
            try database.run(
                "INSERT INTO command (session, seq, at, command, changes, reply, sum) VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    .integer(place.number), .integer(command.seq), .integer(command.at), .text(command.command), .blob(command.changes),
                    SQLiteValue(command.reply), .integer(sum),
                ])
            slots[place.number] = StateMark.Slot(seq: command.seq, sum: sum)
        case .open(let bank, let opening):
            let last = try database.run("SELECT max(number) FROM session").first?.first?.integer ?? 0
            let number = max(highest, last) + 1
            highest = number
            let seed = RowSum.seed(number: number, id: entry.session, bank: bank, opening: opening)
            try database.run(
                "INSERT INTO session (number, id, bank, opening, seed) VALUES (?, ?, ?, ?, ?)",
                [.integer(number), .text(entry.session), .text(bank), .blob(opening), .integer(seed)])
            places[entry.session] = Place(number: number, seed: seed)
            slots[number] = StateMark.Slot(seq: 0, sum: seed)
        case .remove:
            try database.run("DELETE FROM session WHERE id = ?", [.text(entry.session)])
            if let place = places.removeValue(forKey: entry.session) { slots[place.number] = .removed }
        case .checkpoint(let checkpoint) where checkpoint.state.count > sliceBytes:
            guard let place = try place(entry.session, database) else { throw unknown(entry.session) }
            begun.append(
                SlicedCheckpoint(checkpoint, of: place.number, seed: place.seed, sliceBytes: sliceBytes, ticket: entry.ticket))
        case .checkpoint(let checkpoint):
            guard let place = try place(entry.session, database) else { throw unknown(entry.session) }
            try database.run(
                "UPDATE session SET checkpoint_seq = ?, checkpoint = ?, checkpoint_sum = ? WHERE number = ?",
                [
                    .integer(checkpoint.seq), .blob(checkpoint.state), .integer(RowSum.of(checkpoint, seed: place.seed)),
                    .integer(place.number),
                ])
            try database.run("DELETE FROM command WHERE session = ? AND seq <= ?", [.integer(place.number), .integer(checkpoint.seq)])
            if try !database.run("SELECT 1 FROM slice WHERE session = ? LIMIT 1", [.integer(place.number)]).isEmpty {
                // The slices of the one before no longer count.
                begun.append(SlicedCheckpoint(checkpoint, of: place.number, seed: place.seed, sliceBytes: sliceBytes, ticket: entry.ticket))
            }
        case .attempt:
            // No session can have this id.
            try database.run(
                "INSERT INTO session (id, bank, opening) VALUES ('', '', ?)",
                [.blob([UInt8](repeating: 0, count: StateWriter.attemptBytes))])
            try database.run("DELETE FROM session WHERE id = ''")
        }
    }

    /// The bytes of an attempt to write: more than a page.
    private static let attemptBytes = 1 << 14

    private func unknown(_ session: String) -> StoreError { .removed(session: session) }
}
