package import BankCore
package import BankModel
import Dispatch
import Faults

/// A session with a state file, which stores its commands.
extension BankSession {
    /// Stores every command from now on.
    ///
    /// - Parameter stored: the stored session from which the state was restored; nil if the session is new.
    /// - Returns: the ticket of the new session itself; nil if it was stored already.
    @discardableResult
    package func keep(in store: any DurableLog, stored: StoredSession? = nil) -> CommitTicket? {
        inner.withLock { inner in
            inner.log = SessionLog(store: store, stored: stored)
            inner.state.isLogged = true
            guard stored == nil else { return nil }
            return store.open(session: id, bank: bankName, opening: inner.state.opening)
        }
    }

    /// Restores the session's state from the state file, unless its audit finds a fault.
    ///
    /// - Returns: the faults, a sentence each with its place.
    package func resume(_ stored: StoredSession) -> [String] {
        inner.withLock { inner in
            let resumed = StateAudit.resume(
                stored, inner.state.prepared, baseURL: inner.state.baseURL, machineNow: clock.now())
            if resumed.audit.faults.isEmpty, let state = resumed.state { inner.state = state }
            return resumed.audit.faults
        }
    }

    /// Undoes the commands from that number on, which could not be stored. The store calls it before it fails their tickets.
    package func lose(from seq: Int64) {
        inner.withLock { inner in
            guard inner.log != nil else { return }
            inner.log?.store.withdraw(session: id)
            // Changes from outside that are not stored yet are the newest, so they are undone first.
            let unkept = inner.state.drainChanges()
            inner.state.undo(unkept)
            for changes in inner.log?.lose(from: seq) ?? [] { inner.state.undo(changes) }
            inner.cache.removeAll()
        }
    }

    /// The number of times that commands were undone because they could not be stored.
    package var losses: Int { inner.withLock { $0.log?.losses ?? 0 } }

    /// Returns when the session's current state is durable.
    ///
    /// - Parameter losses: ``losses`` before the change: if it has risen, the change may have been undone; nil skips the check.
    /// - Throws: ``StoreError`` if the state could not be stored, or the change may have been undone.
    package func durable(since losses: Int? = nil) async throws(StoreError) {
        let (ticket, lostIn) = inner.withLock { inner in
            let ticket = inner.commit("admin", at: inner.state.goOn(machine: clock.now()))
            return (ticket, losses == nil || inner.log?.losses == losses ? nil : inner.log?.store.path)
        }
        try await ticket?.wait()
        if let path = lostIn { throw .failed(path: path, reason: "commands were taken back meanwhile, perhaps this one; do it again") }
        checkpointIfDue()
    }

    /// Replaces a reply whose command could not be stored, and was undone, by the dialect's `maintenance`.
    package func refuse(_ delivery: Delivery) -> Delivery {
        inner.withLock { inner in
            var refused = delivery
            let now = inner.state.goOn(machine: clock.now())
            let reply = inner.state.dialectReply(
                .maintenance, to: BankRequest("GET", "/"), detail: "what was asked for could not be kept, and was not done", at: now)
            refused.sending = Sending(status: reply.status, headers: reply.headers, body: reply.body)
            refused.sending.mayHaveBody = delivery.sending.mayHaveBody
            guard var record = inner.journal.record(delivery.seq) else { return refused }
            record.committed = false
            record.replayed = false
            record.reply = reply.name
            inner.record(reply: refused.sending, &record)
            inner.journal.amend(delivery.seq) { $0 = record }
            return refused
        }
    }

    /// Begins a checkpoint if one is due: encodes the state in the background, and stores it in order with the commands.
    func checkpointIfDue() {
        let work = inner.withLock { inner -> (state: SessionState, seq: Int64, losses: Int, store: any DurableLog)? in
            guard inner.log?.wantsCheckpoint == true else { return nil }
            // The state contains changes that are not stored yet. Stored after it they would be applied twice.
            _ = inner.commit("admin", at: inner.state.goOn(machine: clock.now()))
            inner.log?.checkpointBegun()
            guard let log = inner.log else { return nil }
            return (inner.state, log.seq, log.losses, log.store)
        }
        guard let work else { return }
        BankSession.checkpoints.async {
            let image = work.state.image
            self.inner.withLock { inner in
                guard inner.log?.losses == work.losses else { return }
                inner.log?.checkpointMade(of: image.count)
                _ = work.store.checkpoint(session: self.id, seq: work.seq, state: image)
            }
        }
    }

    /// Encodes checkpoints, one at a time for all sessions.
    private static let checkpoints = DispatchQueue(label: "counterfoil.checkpoints")
}

extension BankSession.Inner {
    /// Stores the changes since the last command as a command, if there are any.
    ///
    /// - Parameters:
    ///   - command: the request in a few words, for people.
    ///   - reply: the reply, if the session must remember it.
    /// - Returns: the ticket of the last command that is not durable yet; nil if all are, or the session has no state file.
    mutating func commit(_ command: @autoclosure () -> String, at now: Instant, reply: Reply? = nil) -> CommitTicket? {
        // The log is never copied: that would copy its undecided commands with every command.
        guard let last = log?.seq else { return nil }
        let changes = state.drainChanges()
        guard !changes.isEmpty else { return log?.pending }
        let image = state.image(of: changes)
        return log?.append(
            StoredCommand(
                session: state.id, seq: last + 1, at: now.nanoseconds, command: command(), changes: image.changes, reply: image.reply),
            changes)
    }
}

extension SessionState {
    /// Restores a stored session.
    package init(id: String, stored: StoredSession, prepared: PreparedBank, baseURL: String, machineNow: Instant) throws(ImageError) {
        try self.init(id: id, opening: stored.opening, prepared: prepared, baseURL: baseURL, machineNow: machineNow)
        if let checkpoint = stored.checkpoint { try restore(image: checkpoint.state) }
        for command in stored.commands {
            try replay(command.changes, reply: command.reply, at: Instant(nanoseconds: command.at))
        }
    }
}
