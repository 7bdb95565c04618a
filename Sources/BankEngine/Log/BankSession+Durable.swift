import BankCore
import BankModel
import Dispatch
import Faults
import Platform

/// A session with a state file, which stores its commands.
extension BankSession {
    /// Stores every command from now on.
    ///
    /// - Parameter stored: the stored session from which the state was restored; nil if the session is new.
    /// - Returns: the ticket of the new session itself; nil if it was stored already.
    @discardableResult
    package func keep(in store: any DurableLog, stored: StoredSession? = nil) -> CommitTicket? {
        inner.withLock { inner in
            let opening = stored == nil ? store.open(session: id, bank: bankName, opening: inner.state.opening) : nil
            inner.log = SessionLog(store: store, stored: stored, opening: opening)
            inner.state.isLogged = true
            return opening
        }
    }

    /// Removes the session from the state file. No later command of it is stored: behind its removal it could reach a new session of its id.
    ///
    /// - Returns: the ticket of the removal; nil without a state file.
    func removeFromLog() -> CommitTicket? {
        inner.withLock { inner in
            inner.log?.end()
            return inner.log?.store.remove(session: id)
        }
    }

    /// Restores the session's state from the state file, unless its audit finds a fault.
    ///
    /// - Returns: the faults, a sentence each with its location.
    package func resume(_ stored: StoredSession) -> [String] {
        inner.withLock { inner in
            let resumed = StateAudit.resume(
                stored, inner.state.prepared, baseURL: inner.state.baseURL, machineNow: clock.now())
            if resumed.audit.faults.isEmpty, var state = resumed.state {
                state.addressCheck = inner.state.addressCheck
                inner.state = state
            }
            return resumed.audit.faults
        }
    }

    /// Undoes commands that could not be stored, unless they are of an earlier session with this id. The store calls it before it fails
    /// their tickets.
    package func lose(_ lost: LostCommands) {
        let wakes = inner.withLock { inner -> [@Sendable () -> Void] in
            guard inner.log?.awaits(lost.ticket) == true else { return [] }
            inner.log?.store.withdraw(session: id)
            // Changes from outside that are not stored yet are the newest, so they are undone first.
            let unkept = inner.state.drainChanges()
            inner.state.undo(unkept)
            inner.tally.leaveOut(unkept)
            for changes in inner.log?.lose(from: lost.first) ?? [] {
                inner.state.undo(changes)
                inner.tally.leaveOut(changes)
            }
            inner.cache.removeAll()
            // Their history may have what was undone, and nothing is left to wait for that could fail.
            return inner.streams.restart()
        }
        wakes.forEach { $0() }
    }

    /// The number of times that commands were undone because they could not be stored.
    package var losses: Int { inner.withLock { $0.log?.losses ?? 0 } }

    /// Returns when the session's current state is durable.
    ///
    /// - Parameter losses: ``losses`` before the change: if it has risen, the change may have been undone; nil skips the check.
    /// - Throws: ``StoreError`` if the state could not be stored, the change may have been undone, or the session was removed.
    package func durable(since losses: Int? = nil) async throws(StoreError) {
        let (ticket, lostIn, isRemoved) = inner.withLock { inner in
            let ticket = inner.commit("admin", at: inner.state.advanceClock(machine: clock.now()))
            return (ticket, losses == nil || inner.log?.losses == losses ? nil : inner.log?.store.path, inner.log?.isEnded == true)
        }
        try await ticket?.wait()
        if isRemoved { throw .removed(session: id) }
        if let path = lostIn { throw .failed(path: path, reason: "commands were rolled back, possibly this one; repeat it") }
        checkpointIfDue()
    }

    /// Replaces a response whose command could not be stored, and was undone, by the dialect's `maintenance`.
    package func reject(_ plan: ResponsePlan) -> ResponsePlan {
        inner.withLock { inner in
            var rejected = plan
            let now = inner.state.advanceClock(machine: clock.now())
            let response = inner.state.dialectResponse(
                .maintenance, to: BankRequest("GET", "/"), detail: "the change could not be stored, and was not made", at: now)
            rejected.outgoing = OutgoingResponse(status: response.status, headers: response.headers, body: response.body)
            rejected.outgoing.mayHaveBody = plan.outgoing.mayHaveBody
            guard var record = inner.journal.record(plan.seq) else { return rejected }
            record.committed = false
            record.replayed = false
            record.response = response.name
            inner.record(response: rejected.outgoing, &record)
            inner.journal.amend(plan.seq) { $0 = record }
            return rejected
        }
    }

    /// Begins a checkpoint if one is due: encodes the state in the background, and stores it in order with the commands.
    func checkpointIfDue() {
        let work = inner.withLock { inner -> (state: SessionState, seq: Int64, losses: Int, store: any DurableLog)? in
            guard inner.log?.wantsCheckpoint == true, inner.state.ledger.addsUp else { return nil }
            // The state contains changes that are not stored yet. Stored after it they would be applied twice.
            _ = inner.commit("admin", at: inner.state.advanceClock(machine: clock.now()))
            inner.log?.sinceCheckpoint = 0
            guard let log = inner.log else { return nil }
            return (inner.state, log.seq, log.losses, log.store)
        }
        guard let work else { return }
        BankSession.checkpoints.async {
            let image = work.state.image
            self.inner.withLock { inner in
                guard inner.log?.losses == work.losses, inner.log?.isEnded == false else { return }
                inner.log?.checkpointBytes = image.count
                _ = work.store.checkpoint(session: self.id, seq: work.seq, state: image)
            }
        }
    }

    /// Encodes checkpoints, one at a time for all sessions.
    private static let checkpoints = DispatchQueue(label: "counterfoil.checkpoints")
}

extension BankSession.LockedState {
    /// Stores the changes since the last command as a command, if there are any.
    ///
    /// - Parameter command: the request in a few words, for people.
    /// - Returns: the ticket of the last command that is not durable yet; nil if all are, or the session has no state file. If the session
    ///   was removed the ticket of new changes has failed, and every ticket if the disk has.
    mutating func commit(_ command: @autoclosure () -> String, at now: Instant) -> CommitTicket? {
        // The log is never copied: that would copy its undecided commands with every command.
        guard let last = log?.seq else { return nil }
        let changes = state.drainChanges()
        // The state file keeps the last state whose ledger added up.
        guard !changes.isEmpty, state.ledger.addsUp else { return log?.store.stopped ?? log?.pending }
        let image = state.image(of: changes)
        return log?.append(
            StoredCommand(
                session: state.id, seq: last + 1, at: now.nanoseconds, command: command(), changes: image.changes, response: image.response),
            changes)
    }
}

/// A session's part of the state file: each command is a row there before its effect is visible.
struct SessionLog: Sendable {
    let store: any DurableLog
    /// The number of the last command.
    private(set) var seq: Int64
    /// The commands that are neither durable nor failed yet, in order.
    private var undecided: [Undecided] = []
    /// The size of the commands that a start would have to replay, in bytes.
    fileprivate var sinceCheckpoint: Int
    /// The size of the last checkpoint, in bytes.
    fileprivate var checkpointBytes: Int
    /// The number of times that commands were undone: a checkpoint of an earlier state must not be stored.
    private(set) var losses = 0
    /// The ticket of the session itself; nil if it was stored before.
    private let opening: CommitTicket?
    /// Whether the session was removed from the file.
    private(set) var isEnded = false

    private struct Undecided: Sendable {
        let seq: Int64
        let bytes: Int
        let changes: [Change]
        let ticket: CommitTicket
    }

    /// - Parameters:
    ///   - stored: the stored session; nil if the session is new.
    ///   - opening: the ticket of a new session itself.
    init(store: any DurableLog, stored: StoredSession? = nil, opening: CommitTicket? = nil) {
        self.store = store
        self.opening = opening
        seq = stored?.lastSeq ?? 0
        sinceCheckpoint = stored?.commands.reduce(0) { $0 + $1.bytes } ?? 0
        checkpointBytes = stored?.checkpoint?.state.count ?? 0
    }

    /// The ticket of the last command; nil if that was decided before a later one was appended, or there is none.
    var last: CommitTicket? { undecided.last?.ticket }

    /// The ticket of the last command while it is undecided: a response that shows the state must wait for it.
    var pending: CommitTicket? { last.flatMap { $0.isDone ? nil : $0 } }

    /// The changes of the commands that are neither durable nor failed yet.
    var undecidedChanges: [Change] { undecided.filter { !$0.ticket.isDone }.flatMap(\.changes) }

    /// Whether a ticket is one for which this log waits.
    func awaits(_ ticket: CommitTicket) -> Bool { !isEnded && (opening === ticket || undecided.contains { $0.ticket === ticket }) }

    /// Stores no command from now on.
    mutating func end() { isEnded = true }

    /// Stores a command, unless the session was removed: then the ticket has failed.
    mutating func append(_ command: StoredCommand, _ changes: [Change]) -> CommitTicket {
        if isEnded {
            let ticket = CommitTicket()
            ticket.finish(.failure(.removed(session: command.session)))
            return ticket
        }
        undecided.removeFirst(undecided.prefix { $0.ticket.isDone }.count)
        seq = command.seq
        sinceCheckpoint += command.bytes
        let ticket = store.append(command)
        undecided.append(Undecided(seq: seq, bytes: command.bytes, changes: changes, ticket: ticket))
        return ticket
    }

    /// Removes the commands from that number on.
    ///
    /// - Returns: their changes, last first.
    mutating func lose(from first: Int64) -> [[Change]] {
        let lost = undecided.filter { $0.seq >= first }
        undecided.removeAll { $0.seq >= first }
        seq = max(0, first - 1)
        sinceCheckpoint = max(0, sinceCheckpoint - lost.reduce(0) { $0 + $1.bytes })
        losses += 1
        return lost.reversed().map(\.changes)
    }

    /// Whether a checkpoint pays: the commands are four times the last one.
    ///
    /// All checkpoints together then write less than the commands do, and a start reads at most a small multiple of the state's size,
    /// whatever the number of commands. At a large state that is at most 64 MiB of commands more.
    var wantsCheckpoint: Bool {
        sinceCheckpoint >= store.checkpointBytes + checkpointBytes + min(3 * checkpointBytes, SessionLog.mostToReplay)
    }

    private static let mostToReplay = 1 << 26
}

extension StoredCommand {
    /// Its size, in bytes.
    fileprivate var bytes: Int { changes.count + (response?.count ?? 0) }
}
