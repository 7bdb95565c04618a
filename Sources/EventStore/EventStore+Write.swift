package import BankEngine
import Dispatch
import Platform
import SQLiteFile
import Synchronization

/// The writes: each is enqueued with a ticket, and one thread commits all that has gathered in one transaction.
extension EventStore {
    /// The writes that wait for the writer's thread.
    struct Queue {
        var entries: [Entry] = []
        /// The entries that were withdrawn while a batch failed.
        var withdrawn: [CommitTicket] = []
        var isClosed = false
        var isReadOnly = false
        var isWriterIdle = true
        var commits = 0
        /// Whether the last batch failed.
        var isFailing = false
        /// The latest attempt to write after a failure.
        var attempt: CommitTicket?
    }

    /// A queued write.
    struct Entry: Sendable {
        let session: String
        let work: Work
        let ticket: CommitTicket

        var isRemoval: Bool { if case .remove = work { true } else { false } }

        enum Work: Sendable {
            case open(bank: String, opening: [UInt8])
            case remove
            case command(StoredCommand)
            case checkpoint(StoredSession.Checkpoint)
            /// Needs as much space as some commands, and leaves nothing behind.
            case attempt
        }
    }

    /// Stores a new session.
    package func open(session: String, bank: String, opening: [UInt8]) -> CommitTicket {
        add(session, .open(bank: bank, opening: opening))
    }

    /// Removes a session and all its commands.
    package func remove(session: String) -> CommitTicket { add(session, .remove) }

    /// Stores a command. Those of one session are stored in the order in which they are appended.
    package func append(_ command: StoredCommand) -> CommitTicket { add(command.session, .command(command)) }

    /// Stores the whole state of a session after the command with that number; removes the commands up to it.
    package func checkpoint(session: String, seq: Int64, state: [UInt8]) -> CommitTicket {
        add(session, .checkpoint(StoredSession.Checkpoint(seq: seq, state: state)))
    }

    /// Removes the session's entries that are queued and not being written yet; their tickets fail with the batch.
    package func withdraw(session: String) {
        queue.withLock { queue in
            queue.withdrawn += queue.entries.lazy.filter { $0.session == session }.map(\.ticket)
            queue.entries.removeAll { $0.session == session }
        }
    }

    /// Tries a write if the last one failed; callers at the same time share one.
    package func attemptAfterFailure() -> CommitTicket? {
        let (isFailing, underWay) = queue.withLock { ($0.isFailing, $0.attempt) }
        guard isFailing else { return nil }
        if let underWay, !underWay.isDone { return underWay }
        let attempt = add("", .attempt)
        queue.withLock { $0.attempt = attempt }
        return attempt
    }

    private func add(_ session: String, _ work: Entry.Work) -> CommitTicket {
        let ticket = CommitTicket()
        let (isClosed, wakes) = queue.withLock { queue in
            guard !queue.isClosed, !queue.isReadOnly else { return (true, false) }
            queue.entries.append(Entry(session: session, work: work, ticket: ticket))
            defer { queue.isWriterIdle = false }
            return (false, queue.isWriterIdle)
        }
        if isClosed { ticket.finish(.failure(.closed(path: path))) }
        if wakes { wake.signal() }
        return ticket
    }

    // MARK: the writer's thread

    /// The writer's thread: ends once the store is closed and the queue is empty.
    func write() {
        var writer = StateWriter(file)
        while true {
            let (batch, isClosed) = queue.withLock { queue in
                defer { queue.entries = [] }
                if queue.entries.isEmpty { queue.isWriterIdle = true }
                return (queue.entries, queue.isClosed)
            }
            if batch.isEmpty {
                if isClosed { break }
                wake.wait()
                continue
            }
            commit(batch, &writer)
        }
        ended.signal()
    }

    private func commit(_ batch: [Entry], _ writer: inout StateWriter) {
        do {
            try writer.commit(batch)
            queue.withLock { queue in
                queue.commits += 1
                // A removal succeeds on a full disk too.
                if batch.contains(where: { !$0.isRemoval }) { queue.isFailing = false }
            }
            for entry in batch { entry.ticket.finish(.success(())) }
        } catch {
            // Removals free space, and must not fail with writes that need some.
            let removals = batch.filter(\.isRemoval)
            queue.withLock { $0.isFailing = true }
            let isMixed = !removals.isEmpty && removals.count < batch.count
            fail(isMixed ? batch.filter { !$0.isRemoval } : batch, StoreError(error, path: path))
            if isMixed { commit(removals, &writer) }
        }
    }

    /// Fails the batch: has its sessions restored to their state before it, then resumes those who wait.
    private func fail(_ batch: [Entry], _ error: StoreError) {
        var lost: [(session: String, seq: Int64)] = []
        for entry in batch where !lost.contains(where: { $0.session == entry.session }) {
            let seq: Int64? =
                switch entry.work {
                case .command(let command): command.seq
                case .open: 0
                case .remove, .checkpoint, .attempt: nil
                }
            if let seq { lost.append((entry.session, seq)) }
        }
        let handler = failureHandler.withLock { $0 }
        for (session, seq) in lost { handler?(session, seq) }
        let withdrawn = queue.withLock { queue in
            defer { queue.withdrawn = [] }
            return queue.withdrawn
        }
        for ticket in batch.map(\.ticket) + withdrawn { ticket.finish(.failure(error)) }
    }
}

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
    }

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
        case .checkpoint(let checkpoint):
            guard let place = try place(entry.session, database) else { throw unknown(entry.session) }
            try database.run(
                "UPDATE session SET checkpoint_seq = ?, checkpoint = ?, checkpoint_sum = ? WHERE number = ?",
                [
                    .integer(checkpoint.seq), .blob(checkpoint.state), .integer(RowSum.of(checkpoint, seed: place.seed)),
                    .integer(place.number),
                ])
            try database.run("DELETE FROM command WHERE session = ? AND seq <= ?", [.integer(place.number), .integer(checkpoint.seq)])
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

    private func unknown(_ session: String) -> StoreError { .failed(path: file.path, reason: "there is no session \(session)") }
}
