package import BankCore
import BankModel
import Platform

/// All sessions of a server, by id.
package final class SessionRegistry: Sendable {
    private let sessions = Locked<[String: BankSession]>([:])
    /// The default session of each bank, in the order in which the banks are served.
    package let defaultSessions: [BankSession]
    private let settings: Settings
    /// The counts of removed sessions, by bank: a number for monitoring never falls.
    private let removed = Locked<[String: ExchangeTally]>([:])
    private let startedAt: Instant
    /// How many sessions the state file had.
    private let restored = Locked(0)

    /// The settings of new sessions.
    package struct Settings: Sendable {
        var clock: MachineClock
        var seed: UInt64
        /// The node that this server is; nil if it is the only one.
        var node: ServerNode?
        var journalCapacity: Int
        var budget: JournalBudget
        /// The maximum number of sessions.
        var limit: Int
        /// The maximum number of sessions with one value of a label, by the label's name.
        var quotas: [String: Int]
        /// The maximum size of each.
        var sessionSize: SessionSize
        /// The state file; nil if there is none.
        var store: (any DurableLog)?
        /// Returns a timer for each new session, spread over several threads.
        var nextTimer: @Sendable () -> (any SessionTimer)?
        /// Sends the sessions' webhooks; nil if none are sent.
        var sender: (any WebhookSender)?

        package init(
            clock: MachineClock, seed: UInt64, node: ServerNode? = nil, journalCapacity: Int, budget: JournalBudget, limit: Int,
            quotas: [String: Int] = [:],
            sessionSize: SessionSize, store: (any DurableLog)?, nextTimer: @escaping @Sendable () -> (any SessionTimer)?,
            sender: (any WebhookSender)? = nil
        ) {
            self.clock = clock
            self.seed = seed
            self.node = node
            self.journalCapacity = journalCapacity
            self.budget = budget
            self.limit = limit
            self.quotas = quotas
            self.sessionSize = sessionSize
            self.store = store
            self.nextTimer = nextTimer
            self.sender = sender
        }

        /// A new session with these settings; a seed that is nil follows from the server's, the node and the id.
        fileprivate func session(
            _ id: String, of bank: PreparedBank, seed: UInt64? = nil, beginning: VirtualClock.Beginning? = nil,
            metadata: SessionMetadata = SessionMetadata()
        ) -> BankSession {
            BankSession(
                id: id, seed: seed ?? SeededGenerator.hash(self.seed, node?.id(named: id) ?? id), prepared: bank, beginning: beginning,
                metadata: metadata,
                clock: clock.forSession,
                journalCapacity: journalCapacity, budget: budget, limit: sessionSize, timer: nextTimer(), sender: sender)
        }
    }

    package init(_ banks: [PreparedBank], _ settings: Settings) {
        self.settings = settings
        startedAt = settings.clock.now()
        defaultSessions = banks.map { settings.session($0.bank.name, of: $0) }
        sessions.withLock { sessions in
            for session in defaultSessions { sessions[session.id] = session }
        }
    }

    /// The session with that id; `default` is the first bank's default session.
    package func session(_ id: String) -> BankSession? {
        sessions.withLock { $0[id] } ?? (id == "default" ? defaultSessions.first : nil)
    }

    /// The node that this server is; nil if it is the only one.
    package var node: ServerNode? { settings.node }

    /// The reason why there is no session with that id.
    package func absence(of id: String) -> SessionError {
        guard let node = settings.node, let other = ServerNode(ofSession: id) else { return .unknown(id) }
        guard other == node else { return .elsewhere(id, node: other, here: node) }
        return .gone(id, node: node, since: startedAt, restored: restored.withLock { $0 })
    }

    /// All sessions, sorted by id.
    package var all: [BankSession] { unsorted.sorted { $0.id < $1.id } }

    /// All sessions, in any order: sorted outside the lock, if at all.
    package var unsorted: [BankSession] { sessions.withLock { Array($0.values) } }

    /// The counts of all sessions since the server began, by bank; those that are removed included.
    package var sums: [String: ExchangeTally] {
        // Read in one step: the counts of a session that is removed meanwhile would be missing in both.
        let (ended, present) = sessions.withLock { sessions in (removed.withLock { $0 }, Array(sessions.values)) }
        var sums = ended
        for session in present { sums[session.bankName, default: ExchangeTally()].add(session.tally) }
        return sums
    }

    /// Makes a session of a bank. With a state file the session is part of it before anyone can find or remove it.
    ///
    /// - Parameters:
    ///   - name: its id, after the node's name if there are nodes; nil for the bank's name and a number.
    ///   - seed: its seed; nil derives it from the server's seed and the id.
    ///   - beginning: the start of its clock, at first and after a reset; nil for the machine's now.
    ///   - metadata: its labels and the like.
    /// - Returns: the session, and the ticket that is done when it is durable; nil without a state file.
    package func open(
        _ bank: PreparedBank, name: String?, seed: UInt64?, beginning: VirtualClock.Beginning? = nil,
        metadata: SessionMetadata = SessionMetadata()
    ) throws(SessionError) -> (session: BankSession, stored: CommitTicket?) {
        func id(_ name: String) -> String { settings.node?.id(named: name) ?? name }
        if let name, !SessionRegistry.isID(id(name)) { throw .badName(name) }
        return try sessions.withLock { sessions throws(SessionError) in
            guard sessions.count < settings.limit else { throw .tooMany(settings.limit) }
            if let name, sessions[id(name)] != nil || id(name) == "default" { throw .nameTaken(id(name)) }
            for (label, quota) in settings.quotas.sorted(by: { $0.key < $1.key }) {
                guard let value = metadata.labels[label] else { continue }
                guard sessions.values.count(where: { $0.metadata.labels[label] == value }) < quota else {
                    throw .quota(label: "\(label)=\(value)", quota)
                }
            }
            var number = sessions.count
            while name == nil, sessions[id("\(bank.bank.name)-\(number)")] != nil { number += 1 }
            let id = id(name ?? "\(bank.bank.name)-\(number)")
            let session = settings.session(id, of: bank, seed: seed, beginning: beginning, metadata: metadata)
            let stored = settings.store.flatMap { session.keep(in: $0) }
            sessions[id] = session
            return (session, stored)
        }
    }

    /// Adds a session that is in the state file.
    package func adopt(_ id: String, _ bank: PreparedBank) -> BankSession {
        let session = settings.session(id, of: bank)
        sessions.withLock { $0[id] = session }
        restored.withLock { $0 += 1 }
        return session
    }

    /// Ends and removes a session; throws for a default session.
    package func remove(_ id: String) throws(SessionError) { _ = try forget(id) }

    /// As ``remove(_:)``; returns when the removal is durable.
    ///
    /// - Throws: ``SessionError``, ``StoreError``
    package func removeDurably(_ id: String) async throws { try await forget(id)?.wait() }

    private func forget(_ id: String) throws(SessionError) -> CommitTicket? {
        guard !defaultSessions.contains(where: { $0.id == id }), id != "default" else { throw .undeletable(id) }
        // The file forgets it before a new session can have its id.
        let forgotten = sessions.withLock { sessions in
            sessions.removeValue(forKey: id).map { session in (session: session, removal: retire(session)) }
        }
        guard let forgotten else { throw absence(of: id) }
        forgotten.session.close()
        return forgotten.removal
    }

    /// Keeps the counts of a session, and removes it from the state file; called while the lock of the sessions is held.
    ///
    /// - Returns: the ticket of the removal; nil without a state file.
    private func retire(_ session: BankSession) -> CommitTicket? {
        let tally = session.tally
        removed.withLock { $0[session.bankName, default: ExchangeTally()].add(tally) }
        return session.removeFromLog()
    }

    /// Removes all sessions, except the default ones, that were unused for longer than their metadata allows.
    ///
    /// - Parameter nanoseconds: the time for sessions whose metadata has none.
    package func removeUnused(for nanoseconds: Int64) {
        let now = settings.clock.monotonic()
        func isUnused(_ session: BankSession) -> Bool {
            session.inner.withLock { now - $0.lastUsed > $0.state.metadata.timeToLive?.nanoseconds ?? nanoseconds }
        }
        for session in unsorted where isUnused(session) && !defaultSessions.contains(where: { $0 === session }) {
            // Checked again, now that no request can find the session: it may have been used.
            remove(session) { isUnused(session) }
        }
    }

    /// Ends and removes a session that could not be opened completely. If it was removed meanwhile, another of its name stays.
    package func remove(_ session: BankSession) { remove(session) { true } }

    private func remove(_ session: BankSession, if condition: () -> Bool) {
        let isRemoved = sessions.withLock { sessions in
            guard sessions[session.id] === session, condition() else { return false }
            sessions[session.id] = nil
            _ = retire(session)
            return true
        }
        if isRemoved { session.close() }
    }

    /// Whether a text can be a session's id: `[a-z0-9][a-z0-9-]{0,62}`.
    package static func isID(_ text: some StringProtocol) -> Bool {
        text.utf8.first != UInt8(ascii: "-") && isHostLabel(text)
    }
}
