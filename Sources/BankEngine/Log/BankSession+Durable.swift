package import BankCore
package import BankModel
import Dispatch
import Faults

/// A session whose commands are kept: with a state file.
extension BankSession {
    /// Keeps every command in the store from now on.
    ///
    /// - Parameter stored: what is kept of the session already, and was put into its state; nil: it begins.
    /// - Returns: when the session itself is on the disk.
    @discardableResult
    package func keep(in store: any DurableLog, stored: StoredSession? = nil) -> CommitTicket? {
        inner.withLock { inner in
            inner.log = SessionLog(store: store, stored: stored)
            inner.state.isLogged = true
            guard stored == nil else { return nil }
            return store.open(session: id, bank: bankName, opening: inner.state.opening)
        }
    }

    /// Puts the session where it was when its server ended, unless something of it does not agree.
    ///
    /// - Returns: what does not, a sentence each with its place.
    package func resume(_ stored: StoredSession) -> [String] {
        inner.withLock { inner in
            let resumed = StateAudit.resume(
                stored, inner.state.prepared, baseURL: inner.state.baseURL, machineNow: clock.now())
            if resumed.audit.faults.isEmpty, let state = resumed.state { inner.state = state }
            return resumed.audit.faults
        }
    }

    /// Takes back the commands from that number on: they could not be kept. The store calls it before it tells anybody.
    package func lose(from seq: Int64) {
        inner.withLock { inner in
            guard inner.log != nil else { return }
            inner.log?.store.withdraw(session: id)
            // What somebody has changed from outside and not yet kept is the newest.
            let unkept = inner.state.drainChanges()
            inner.state.undo(unkept)
            for changes in inner.log?.lose(from: seq) ?? [] { inner.state.undo(changes) }
            inner.cache.removeAll()
        }
    }

    /// How often commands were taken back since they could not be kept.
    package var losses: Int { inner.withLock { $0.log?.losses ?? 0 } }

    /// Returns when all that the session shows now is on the disk.
    ///
    /// - Parameter losses: as ``losses`` were before what was done: if there were more since, it may be among them; nil: not asked.
    /// - Throws: ``StoreError`` if it could not be kept, or may have been taken back.
    package func durable(since losses: Int? = nil) async throws(StoreError) {
        let (ticket, lostIn) = inner.withLock { inner in
            let ticket = inner.commit("admin", at: inner.state.goOn(machine: clock.now()))
            return (ticket, losses == nil || inner.log?.losses == losses ? nil : inner.log?.store.path)
        }
        try await ticket?.wait()
        if let path = lostIn { throw .failed(path: path, reason: "commands were taken back meanwhile, perhaps this one; do it again") }
        checkpointIfDue()
    }

    /// The reply in place of one whose command could not be kept: the dialect's `maintenance`. Nothing was done.
    package func refuse(_ delivery: Delivery) -> Delivery {
        inner.withLock { inner in
            var refused = delivery
            let now = inner.state.goOn(machine: clock.now())
            let reply = inner.state.dialectReply(
                .maintenance, to: BankRequest("GET", "/"), detail: "what was asked for could not be kept, and was not done", at: now)
            refused.sending = Sending(status: reply.status, headers: reply.headers, body: reply.body)
            refused.sending.mayHaveBody = delivery.sending.mayHaveBody
            inner.journal.amend(delivery.seq) { record in
                (record.committed, record.replayed, record.reply) = (false, false, reply.name)
                record.replyHeaders = HeaderList(reply.headers.map(Redaction(inner.state).header))
            }
            return refused
        }
    }

    /// Begins a checkpoint if one is due: the state is written down beside the requests, and kept in their order.
    func checkpointIfDue() {
        let work = inner.withLock { inner -> (state: SessionState, seq: Int64, losses: Int, store: any DurableLog)? in
            guard let log = inner.log, log.wantsCheckpoint else { return nil }
            inner.log?.checkpointBegun()
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

    /// Where states are written down: one after the other, for all sessions.
    private static let checkpoints = DispatchQueue(label: "counterfoil.checkpoints")
}

extension BankSession.Inner {
    /// Keeps what was changed since the last command, if anything was.
    ///
    /// - Parameters:
    ///   - command: what was asked, for people.
    ///   - reply: what was answered, if the session must remember it.
    /// - Returns: the ticket of the last command that is not on the disk yet; nil if all is, or nothing is kept.
    mutating func commit(_ command: @autoclosure () -> String, at now: Instant, reply: Reply? = nil) -> CommitTicket? {
        // Never the whole log by value: what is undecided would be copied with every command.
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
    /// A session as it is kept.
    package init(id: String, stored: StoredSession, prepared: PreparedBank, baseURL: String, machineNow: Instant) throws(ImageError) {
        try self.init(id: id, opening: stored.opening, prepared: prepared, baseURL: baseURL, machineNow: machineNow)
        if let checkpoint = stored.checkpoint { try restore(image: checkpoint.state) }
        for command in stored.commands {
            try replay(command.changes, reply: command.reply, at: Instant(nanoseconds: command.at))
        }
    }
}
