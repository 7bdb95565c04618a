package import BankEngine
import Foundation
import GRDB
import Synchronization

/// The durable log of a server's sessions: what `counterfoil serve --state FILE` keeps.
///
/// Whoever appends gets a ticket, and tells nobody of the command before the ticket is done. One thread writes: it takes all
/// that has gathered, of all sessions, commits it with one fsync, and meanwhile the next batch gathers. A lone command is
/// committed at once. The payloads are their owners'; the store knows sessions, numbers and order.
package final class EventStore: DurableLog {
    package let path: String
    /// How it was opened.
    package let options: Options
    package var checkpointBytes: Int { options.checkpointBytes }
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
        var isReadOnly = false
        var isWriterIdle = true
        var commits = 0
    }

    /// What is to be written.
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
        }
    }

    /// How a store is opened.
    package struct Options: Sendable {
        /// How many pages of 16 KiB the file may have; nil: as many as there is room for.
        package var pageLimit: Int?
        /// Whether nothing is changed: a file that is not there is refused, an older one stays as it is, and a damaged one tells what
        /// is wrong with it (``EventStore/damage``) instead of being refused.
        package var onlyLooks = false
        /// Commands of fewer bytes are worth no checkpoint: by default some hundred payments.
        package var checkpointBytes = 1 << 16
        /// How many bytes a page has in a file that is made.
        package var pageBytes = 1 << 14

        package init(pageLimit: Int? = nil, onlyLooks: Bool = false) {
            self.pageLimit = pageLimit
            self.onlyLooks = onlyLooks
        }
    }

    /// Opens a file, or makes one, for its owner only. It is this server's alone until ``close()`` or the end of the process.
    ///
    /// - Throws: ``StoreError``; a damaged file is refused with all places, and left as it is.
    package init(_ path: String, options: Options = Options()) throws(StoreError) {
        self.path = path
        self.options = options
        file = try StateFile(path: path, options)
        if options.onlyLooks {
            queue.withLock { $0.isReadOnly = true }
            ended.signal()
            return
        }
        let thread = Thread { self.write() }
        thread.name = "state-file"
        thread.start()
    }

    // MARK: what is there

    /// All that is kept, one session after the other, in the order in which they were opened.
    ///
    /// - Throws: ``StoreError`` for what cannot be read, and what the body throws. A row that is not as it was written is among its
    ///   session's ``StoredSession/faults``.
    package func load(_ body: (StoredSession) throws -> Void) throws {
        var own: (any Error)?
        do {
            try file.database.read { database in
                var reader = StateReader(path: path, form: file.form)
                try reader.read(database) { session, _ in
                    do { try body(session) } catch {
                        own = error
                        throw error
                    }
                }
            }
        } catch {
            throw own ?? StoreError(error, path: path)
        }
    }

    /// The damage of the file itself, a sentence each with its place: SQLite's own check of its pages, commands of no session,
    /// what was acknowledged and is not there. A file that is written to has none: it would have been refused.
    package var damage: [String] { file.damage }

    /// Notes for the file's owner, a sentence each.
    package var notes: [String] { file.notes }

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

    private func write() {
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
            queue.withLock { $0.commits += 1 }
            for entry in batch { entry.ticket.finish(.success(())) }
        } catch {
            // What makes room must not fail with what needs some.
            let removals = batch.filter(\.isRemoval)
            let isMixed = !removals.isEmpty && removals.count < batch.count
            fail(isMixed ? batch.filter { !$0.isRemoval } : batch, StoreError(error, path: path))
            if isMixed { commit(removals, &writer) }
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
