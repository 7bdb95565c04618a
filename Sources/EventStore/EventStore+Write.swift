package import BankEngine
import Dispatch
import Platform
import SQLiteFile

/// The writes: each is enqueued with a ticket, and one thread commits all that has gathered in one transaction.
extension EventStore {
    /// The writes that wait for the writer's thread.
    struct Queue {
        var entries: [QueuedWrite] = []
        /// The entries that were withdrawn while others of their session failed.
        var withdrawn: [CommitTicket] = []
        var isClosed = false
        var commits = 0
        /// Whether the last batch failed.
        var isFailing = false
        /// Why nothing is written any more.
        var stopped: StoreError?
        /// The latest attempt to write after a failure.
        var attempt: CommitTicket?
    }

    struct QueuedWrite: Sendable {
        let session: String
        let work: Work
        let ticket: CommitTicket

        var isRemoval: Bool { if case .remove = work { true } else { false } }
        var isCheckpoint: Bool { if case .checkpoint = work { true } else { false } }

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

    /// Stores the whole state of a session after the command with that number, part by part; removes the commands up to it.
    package func checkpoint(session: String, seq: Int64, state: [UInt8]) -> CommitTicket {
        add(session, .checkpoint(StoredSession.Checkpoint(seq: seq, state: state)))
    }

    /// Removes the session's entries that are queued and not being written yet; their tickets fail with those that could not be stored.
    package func withdraw(session: String) {
        queue.withLock { queue in
            queue.withdrawn += queue.entries.lazy.filter { $0.session == session }.map(\.ticket)
            queue.entries.removeAll { $0.session == session }
        }
    }

    /// Tries a write if the last one failed, or the file is no longer at its path; callers at the same time share one.
    package func attemptAfterFailure() -> CommitTicket? {
        let (isFailing, underWay) = queue.withLock { ($0.isFailing, $0.attempt) }
        guard isFailing || !file.isAtPath else { return nil }
        if let underWay, !underWay.isDone { return underWay }
        let attempt = add("", .attempt)
        queue.withLock { $0.attempt = attempt }
        return attempt
    }

    /// A ticket that has failed, once the disk has: what the server shows may then differ from what a restart finds.
    package var stopped: CommitTicket? {
        guard let error = queue.withLock({ $0.stopped }) else { return nil }
        return CommitTicket(.failure(error))
    }

    private func add(_ session: String, _ work: QueuedWrite.Work) -> CommitTicket {
        let ticket = CommitTicket()
        let (isClosed, wakes) = queue.withLock { queue in
            guard !queue.isClosed, !options.onlyLooks else { return (true, false) }
            queue.entries.append(QueuedWrite(session: session, work: work, ticket: ticket))
            return (false, queue.entries.count == 1)
        }
        if isClosed { ticket.finish(.failure(.closed(path: path))) }
        if wakes { wake.signal() }
        return ticket
    }

    // MARK: the writer's thread

    /// The writer's thread: ends once the store is closed and the queue is empty.
    func write() {
        var writer = StateWriter(file, partBytes: options.partBytes)
        while true {
            let (batch, isClosed) = queue.withLock { queue in
                defer { queue.entries = [] }
                return (queue.entries, queue.isClosed)
            }
            if !batch.isEmpty { commit(batch, &writer) }
            if writer.hasChores, stopped == nil {
                do { try writer.doChore() } catch { stopIfUnknown(StoreError(error, path: path)) }
            } else if batch.isEmpty {
                if isClosed { break }
                wake.wait()
            }
        }
        ended.signal()
    }

    private func commit(_ batch: [QueuedWrite], _ writer: inout StateWriter) {
        if let stopped = queue.withLock({ $0.stopped }) { return EventStore.parts(of: batch).forEach { fail($0, stopped) } }
        do {
            try writer.commit(batch)
            queue.withLock { queue in
                queue.commits += 1
                // A removal succeeds on a full disk too.
                if batch.contains(where: { !$0.isRemoval }) { queue.isFailing = false }
            }
            for entry in batch where !entry.isCheckpoint { entry.ticket.finish(.success(())) }
        } catch {
            failed(batch, StoreError(error, path: path), &writer)
        }
    }

    /// After a full disk nothing of the batch is stored: SQLite has rolled it back, or does when the file is next opened. After any other
    /// error of the disk the outcome is unknown, since a commit is decided before its last fsync: the store stops, and a restart decides.
    private func failed(_ batch: [QueuedWrite], _ reason: StoreError, _ writer: inout StateWriter) {
        let parts = EventStore.parts(of: batch)
        if stopIfUnknown(reason) {
            for part in parts { fail(part, .unknown(path: path, reason: reason.reason)) }
            return
        }
        // An entry of one session must not fail those of others, nor removals, which free space.
        guard parts.count == 1 else { return parts.forEach { commit($0, &writer) } }
        if case .full = reason {
            do { if try writer.sweepAll() { return commit(batch, &writer) } } catch { stopIfUnknown(StoreError(error, path: path)) }
        }
        if case .removed = reason {} else { queue.withLock { $0.isFailing = true } }
        fail(batch, reason)
    }

    /// Stops the store after an error that leaves open what is in the file.
    ///
    /// - Returns: whether it is such an error.
    @discardableResult
    private func stopIfUnknown(_ reason: StoreError) -> Bool {
        switch reason {
        case .full, .removed, .moved: return false
        default:
            queue.withLock { queue in
                queue.isFailing = true
                if queue.stopped == nil { queue.stopped = .stopped(path: path, reason: reason.reason) }
            }
            return true
        }
    }

    /// The batch in parts that can fail alone: the entries of one session, those before and behind its removal apart.
    private static func parts(of batch: [QueuedWrite]) -> [[QueuedWrite]] {
        var parts: [[QueuedWrite]] = []
        var current: [String: Int] = [:]
        for entry in batch {
            if !entry.isRemoval, let part = current[entry.session] {
                parts[part].append(entry)
            } else {
                current[entry.session] = entry.isRemoval ? nil : parts.count
                parts.append([entry])
            }
        }
        return parts
    }

    /// Fails entries of one session: has the session restored to its state before them, then resumes those who wait.
    private func fail(_ entries: [QueuedWrite], _ error: StoreError) {
        let lost = entries.lazy.compactMap { entry -> LostCommands? in
            switch entry.work {
            case .command(let command): LostCommands(session: entry.session, first: command.seq, ticket: entry.ticket)
            case .open: LostCommands(session: entry.session, first: 0, ticket: entry.ticket)
            case .remove, .checkpoint, .attempt: nil
            }
        }.first
        if let lost { failureHandler.withLock { $0 }?(lost) }
        let withdrawn = queue.withLock { queue in
            defer { queue.withdrawn = [] }
            return queue.withdrawn
        }
        for ticket in entries.map(\.ticket) + withdrawn { ticket.finish(.failure(error)) }
    }
}
