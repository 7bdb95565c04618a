package import BankEngine
import Dispatch
import SQLiteFile
import Synchronization

/// The durable log of a server's sessions, for `counterfoil serve --state FILE`.
///
/// A caller that appends gets a ticket, and sends nothing until the ticket is done. One thread writes: it drains the queue of
/// all sessions, commits the batch with one fsync, and meanwhile the next batch is enqueued. A single command is committed at
/// once. The payloads are opaque; the store knows sessions, numbers and order.
package final class EventStore: DurableLog {
    package let path: String
    /// The options with which it was opened.
    package let options: Options
    package var checkpointBytes: Int { options.checkpointBytes }
    private let file: StateFile
    private let queue = Mutex(Queue())
    private let wake = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let failureHandler = Mutex<(@Sendable (_ session: String, _ firstLost: Int64) -> Void)?>(nil)

    private struct Queue {
        var entries: [Entry] = []
        /// The entries that were withdrawn while a batch failed.
        var withdrawn: [CommitTicket] = []
        var isClosed = false
        var isReadOnly = false
        var isWriterIdle = true
        var commits = 0
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
        }
    }

    /// The options of a store.
    package struct Options: Sendable {
        /// The limit of the file in pages of 16 KiB; nil if only the disk limits it.
        package var pageLimit: Int?
        /// Whether nothing may be changed: a missing file is rejected, an older one remains as it is, and a damaged one
        /// reports its ``EventStore/damage`` instead of being rejected.
        package var onlyLooks = false
        /// A checkpoint is not worthwhile for fewer bytes of commands: by default some hundred payments.
        package var checkpointBytes = 1 << 16
        /// The bytes of a page in a new file.
        package var pageBytes = 1 << 14

        package init(pageLimit: Int? = nil, onlyLooks: Bool = false) {
            self.pageLimit = pageLimit
            self.onlyLooks = onlyLooks
        }
    }

    /// Opens a file, or creates one, for its owner only. It is locked until ``close()`` or the end of the process.
    ///
    /// - Throws: ``StoreError``; a damaged file is rejected with all places, and is not changed.
    package init(_ path: String, options: Options = Options()) throws(StoreError) {
        self.path = path
        self.options = options
        file = try StateFile(path: path, options)
        if options.onlyLooks {
            queue.withLock { $0.isReadOnly = true }
            ended.signal()
            return
        }
        // A queue of its own is a thread of its own, for as long as it has work.
        DispatchQueue(label: "state-file").async { self.write() }
    }

    // MARK: content

    /// Reads all sessions one after the other, in the order in which they were opened.
    ///
    /// - Throws: ``StoreError`` for unreadable rows, and the errors of the body. An altered row is reported in its session's
    ///   ``StoredSession/faults``.
    package func load(_ body: (StoredSession) throws -> Void) throws {
        let reader = StateReader(path: path, form: file.form)
        for number in try read({ try reader.numbers($0) }) {
            // Nil if it was removed meanwhile.
            if let session = try read({ try reader.session(number, $0) }) { try body(session) }
        }
    }

    private func read<Value: Sendable>(_ body: @Sendable (SQLiteDatabase) throws -> Value) throws(StoreError) -> Value {
        do { return try file.database.withLock { try body($0) } } catch { throw StoreError(error, path: path) }
    }

    /// The damage of the file itself, a sentence each with its place: from SQLite's own check of its pages, commands without
    /// a session, acknowledged commands that are missing. A file opened for writing has none: it would have been rejected.
    package var damage: [String] { file.damage }

    /// Messages for the file's owner, a sentence each.
    package var notes: [String] { file.notes }

    /// The number of committed transactions.
    package var commits: Int { queue.withLock { $0.commits } }

    // MARK: writes

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

    /// Sets the handler that undoes commands that could not be stored. It is called on the writer's thread, for each session
    /// of a batch that failed, with the first number that is lost (0 for the session itself), before any ticket of the batch
    /// is done; it calls ``withdraw(session:)`` while nothing can be appended to the session.
    package func onFailure(_ body: @escaping @Sendable (_ session: String, _ firstLost: Int64) -> Void) {
        failureHandler.withLock { $0 = body }
    }

    /// Removes the session's entries that are queued and not being written yet; their tickets fail with the batch.
    package func withdraw(session: String) {
        queue.withLock { queue in
            queue.withdrawn += queue.entries.lazy.filter { $0.session == session }.map(\.ticket)
            queue.entries.removeAll { $0.session == session }
        }
    }

    /// Writes the queued entries, and releases the file. Nothing can be appended any longer.
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
            // Removals free space, and must not fail with writes that need some.
            let removals = batch.filter(\.isRemoval)
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
