package import BankEngine
import CSQLite
import Dispatch
import Platform
import SQLiteFile

/// The durable log of a server's sessions, for `counterfoil serve --state FILE`.
///
/// A caller that appends gets a ticket, and sends nothing until the ticket is done. One thread writes: it drains the queue of
/// all sessions, commits the batch in one transaction, and meanwhile the next batch is enqueued. A single command is committed at
/// once. The payloads are opaque; the store knows sessions, numbers and order.
package final class EventStore: DurableLog {
    package let path: String
    /// The options with which it was opened.
    package let options: Options
    package var checkpointBytes: Int { options.checkpointBytes }
    let file: StateFile
    let queue = Locked(Queue())
    let wake = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    let failureHandler = Locked<(@Sendable (LostCommands) -> Void)?>(nil)

    package struct Options: Sendable {
        /// The limit of the file in pages of ``pageBytes``; nil if only the disk limits it.
        package var pageLimit: Int?
        /// Whether nothing may be changed: a missing file is rejected, and a damaged one reports its ``EventStore/damage`` instead of being
        /// rejected.
        package var onlyLooks = false
        /// A checkpoint is not worthwhile for fewer bytes of commands: by default some hundred payments.
        package var checkpointBytes = 1 << 16
        /// A checkpoint is written in parts of this size, between which commands are stored.
        package var partBytes = 1 << 20
        /// The bytes of a page in a new file. Every commit writes its last page whole: small ones waste less.
        package var pageBytes = 1 << 12
        /// The name of SQLite's access to the disk, for tests; nil for the system's.
        package var vfs: String?

        package init(pageLimit: Int? = nil, onlyLooks: Bool = false) {
            self.pageLimit = pageLimit
            self.onlyLooks = onlyLooks
        }
    }

    /// Opens a file, or creates one, for its owner only. It is locked until ``close()`` or the end of the process.
    ///
    /// - Throws: ``StoreError``; a damaged file is rejected with all locations of the damage, and is not changed.
    package init(_ path: String, options: Options = Options()) throws(StoreError) {
        self.path = path
        self.options = options
        file = try StateFile(path: path, options)
        if options.onlyLooks {
            ended.signal()
            return
        }
        // A separate queue is a separate thread, for as long as it has work.
        DispatchQueue(label: "state-file").async { self.write() }
    }

    // MARK: content

    /// Reads all sessions one after the other, in the order in which they were opened.
    ///
    /// - Throws: ``StoreError`` for unreadable rows, and the errors of the body. An altered row is reported in its session's
    ///   ``StoredSession/faults``.
    package func load(_ body: (StoredSession) throws -> Void) throws {
        let reader = StateReader(path: path)
        for number in try read({ try reader.numbers($0) }) {
            // Nil if it was removed meanwhile.
            if let session = try read({ try reader.session(number, $0) }) { try body(session) }
        }
    }

    private func read<Value: Sendable>(_ body: @Sendable (SQLiteDatabase) throws -> Value) throws(StoreError) -> Value {
        do { return try file.database.withLock { try body($0) } } catch { throw StoreError(error, path: path) }
    }

    /// The damage of the file itself, a sentence each with its location: from SQLite's own check of its pages, commands without
    /// a session, last commands that are missing. A file opened for writing has none: it would have been rejected.
    package var damage: [String] { file.damage }

    /// Messages for the file's owner, a sentence each.
    package var notes: [String] { file.notes }

    /// The number of committed transactions.
    package var commits: Int { queue.withLock { $0.commits } }

    // MARK: the end

    /// Sets the handler that undoes commands that could not be stored. It is called on the writer's thread, for each session whose
    /// commands could not be stored, before any of their tickets is done; it calls ``withdraw(session:)`` while nothing can be appended
    /// to the session.
    package func onFailure(_ body: @escaping @Sendable (LostCommands) -> Void) {
        failureHandler.withLock { $0 = body }
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
}

extension StoreError {
    /// The meaning of an error of SQLite's for that file.
    init(_ error: any Error, path: String) {
        if let error = error as? StoreError {
            self = error
            return
        }
        guard let error = error as? SQLiteError else {
            self = .failed(path: path, reason: "\(error)")
            return
        }
        self =
            switch error.primaryCode {
            case SQLITE_FULL: .full(path: path)
            case SQLITE_NOTADB: .notOurs(path: path)
            case SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_MISMATCH: .damaged(path: path, faults: [error.message])
            case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM: .cannotOpen(path: path, reason: error.message)
            default: .failed(path: path, reason: error.message)
            }
    }
}
