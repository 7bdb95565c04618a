import Foundation
import GRDB
import Synchronization

/// The durable log of a server's sessions: what `counterfoil serve --state FILE` keeps.
///
/// Whoever appends gets a ticket, and tells nobody of the command before the ticket is done. One thread writes: it takes all
/// that has gathered, of all sessions, commits it with one fsync, and meanwhile the next batch gathers. A lone command is
/// committed at once. The payloads are their owners'; the store knows sessions, numbers and order.
package final class EventStore: Sendable {
    package let path: String
    /// How it was opened.
    package let options: Options
    private let file: StateFile
    private let queue = Mutex(Queue())
    private let wake = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let failureHandler = Mutex<(@Sendable (_ session: String, _ firstLost: Int64) -> Void)?>(nil)

    private struct Queue {
        var entries: [Entry] = []
        /// Of entries that were taken back while a batch failed.
        var withdrawn: [CommitTicket] = []
        var isClosed = false
        var isWriterIdle = true
        var commits = 0
    }

    /// What is to be written.
    private struct Entry: Sendable {
        let session: String
        let work: Work
        let ticket: CommitTicket

        var isRemoval: Bool { if case .remove = work { true } else { false } }

        enum Work: Sendable {
            case open(bank: String, opening: [UInt8])
            case remove
            case command(StoredCommand)
            case checkpoint(StoredSession.Checkpoint)
        }
    }

    /// How a store is opened.
    package struct Options: Sendable {
        /// How many pages of 16 KiB the file may have; nil: as many as there is room for.
        package var pageLimit: Int?
        /// Whether a file that is not there is made; else it is refused, and nothing is made beside it.
        package var makesFile = true
        /// Commands of fewer bytes are worth no checkpoint: by default some hundred payments.
        package var checkpointBytes = 1 << 16

        package init(pageLimit: Int? = nil, makesFile: Bool = true) { (self.pageLimit, self.makesFile) = (pageLimit, makesFile) }
    }

    /// Opens a file, or makes one, for its owner only. It is this server's alone until ``close()`` or the end of the process.
    package init(_ path: String, options: Options = Options()) throws(StoreError) {
        (self.path, self.options) = (path, options)
        file = try StateFile(path: path, options)
        let thread = Thread { self.write() }
        thread.name = "state-file"
        thread.start()
    }

    // MARK: what is there

    /// All that is kept, one session after the other, in the order in which they were opened.
    package func load(_ body: (StoredSession) throws -> Void) throws {
        try file.database.read { database in
            let sessions = try Row.fetchCursor(
                database, sql: "SELECT number, id, bank, opening, checkpoint_seq, checkpoint FROM session ORDER BY number")
            while let row = try sessions.next() {
                var session = StoredSession(id: row[1], bank: row[2], opening: [UInt8](row[3] as Data))
                if let seq = row[4] as Int64?, let state = row[5] as Data? {
                    session.checkpoint = StoredSession.Checkpoint(seq: seq, state: [UInt8](state))
                }
                let commands = try Row.fetchCursor(
                    database, sql: "SELECT seq, at, command, changes, reply FROM command WHERE session = ? ORDER BY seq",
                    arguments: [row[0] as Int64])
                while let row = try commands.next() {
                    session.commands.append(
                        StoredCommand(
                            session: session.id, seq: row[0], at: row[1], command: row[2], changes: [UInt8](row[3] as Data),
                            reply: (row[4] as Data?).map { [UInt8]($0) }))
                }
                try body(session)
            }
        }
    }

    /// What is wrong with the file itself, a sentence each: SQLite's own check of its pages, and commands of no session.
    package var damage: [String] {
        get throws {
            try file.database.read { database in
                let pages = try String.fetchAll(database, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
                let strays = try Int.fetchOne(
                    database, sql: "SELECT count(*) FROM command WHERE session NOT IN (SELECT number FROM session)")
                return pages + (strays ?? 0 > 0 ? ["found \(strays ?? 0) commands of no session, expected none"] : [])
            }
        }
    }

    /// How many transactions were committed.
    package var commits: Int { queue.withLock { $0.commits } }

    // MARK: what is to be kept

    /// Keeps a session that begins.
    package func open(session: String, bank: String, opening: [UInt8]) -> CommitTicket {
        add(session, .open(bank: bank, opening: opening))
    }

    /// Forgets a session and all its commands.
    package func remove(session: String) -> CommitTicket { add(session, .remove) }

    /// Keeps a command. Those of one session are kept in the order in which they are appended.
    package func append(_ command: StoredCommand) -> CommitTicket { add(command.session, .command(command)) }

    /// Keeps the whole state that a session had after the command of that number; the commands up to it are forgotten.
    package func checkpoint(session: String, seq: Int64, state: [UInt8]) -> CommitTicket {
        add(session, .checkpoint(StoredSession.Checkpoint(seq: seq, state: state)))
    }

    /// Says who takes commands back that could not be kept. It is called on the writer's thread, for each session of a batch
    /// that failed, with the first number that is lost (0 for the session itself), before any ticket of the batch is done; it
    /// calls ``withdraw(session:)`` while nothing can be appended to the session.
    package func onFailure(_ body: @escaping @Sendable (_ session: String, _ firstLost: Int64) -> Void) {
        failureHandler.withLock { $0 = body }
    }

    /// Takes back what was appended for a session and is not being written yet; its tickets fail with the batch.
    package func withdraw(session: String) {
        queue.withLock { queue in
            queue.withdrawn += queue.entries.lazy.filter { $0.session == session }.map(\.ticket)
            queue.entries.removeAll { $0.session == session }
        }
    }

    /// Writes what is still queued, and lets others have the file. Nothing can be appended any more.
    package func close() {
        let isFirst = queue.withLock { queue in
            defer { queue.isClosed = true }
            return !queue.isClosed
        }
        guard isFirst else { return }
        wake.signal()
        ended.wait()
        file.close()
    }

    private func add(_ session: String, _ work: Entry.Work) -> CommitTicket {
        let ticket = CommitTicket()
        let (isClosed, wakes) = queue.withLock { queue in
            guard !queue.isClosed else { return (true, false) }
            queue.entries.append(Entry(session: session, work: work, ticket: ticket))
            defer { queue.isWriterIdle = false }
            return (false, queue.isWriterIdle)
        }
        if isClosed { ticket.finish(.failure(.closed(path: path))) }
        if wakes { wake.signal() }
        return ticket
    }

    // MARK: the writer's thread

    private func write() {
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
            commit(batch)
        }
        ended.signal()
    }

    private func commit(_ batch: [Entry]) {
        do {
            try file.database.writeWithoutTransaction { database in
                try database.inTransaction(.immediate) {
                    for entry in batch { try EventStore.write(entry, database) }
                    return .commit
                }
            }
            queue.withLock { $0.commits += 1 }
            for entry in batch { entry.ticket.finish(.success(())) }
        } catch {
            // What makes room must not fail with what needs some.
            let removals = batch.filter(\.isRemoval)
            let isMixed = !removals.isEmpty && removals.count < batch.count
            fail(isMixed ? batch.filter { !$0.isRemoval } : batch, StoreError(error, path: path))
            if isMixed { commit(removals) }
        }
    }

    private static func write(_ entry: Entry, _ database: Database) throws {
        switch entry.work {
        case .command(let command):
            try database.cachedStatement(
                sql: """
                    INSERT INTO command (session, seq, at, command, changes, reply)
                    VALUES ((SELECT number FROM session WHERE id = ?), ?, ?, ?, ?, ?)
                    """
            ).execute(
                arguments: [
                    command.session, command.seq, command.at, command.command, Data(command.changes), command.reply.map { Data($0) },
                ])
        case .open(let bank, let opening):
            try database.execute(
                sql: "INSERT INTO session (id, bank, opening) VALUES (?, ?, ?)", arguments: [entry.session, bank, Data(opening)])
        case .remove: try database.execute(sql: "DELETE FROM session WHERE id = ?", arguments: [entry.session])
        case .checkpoint(let checkpoint):
            try database.execute(
                sql: "UPDATE session SET checkpoint_seq = ?, checkpoint = ? WHERE id = ?",
                arguments: [checkpoint.seq, Data(checkpoint.state), entry.session])
            try database.execute(
                sql: "DELETE FROM command WHERE session = (SELECT number FROM session WHERE id = ?) AND seq <= ?",
                arguments: [entry.session, checkpoint.seq])
        }
    }

    /// Nothing of the batch stands: has its sessions taken back to where they were, then tells those who wait.
    private func fail(_ batch: [Entry], _ error: StoreError) {
        var lost: [(session: String, seq: Int64)] = []
        for entry in batch where !lost.contains(where: { $0.session == entry.session }) {
            let seq: Int64? =
                switch entry.work {
                case .command(let command): command.seq
                case .open: 0
                case .remove, .checkpoint: nil
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
