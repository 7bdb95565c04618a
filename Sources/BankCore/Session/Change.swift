package import BankModel

/// One effect of a command on a session's state.
///
/// Commands change the state through these alone. Applied in order, to the original state and at the original instants, they
/// recreate the state without the bank's files: this is how the log of a durable session is replayed. Each can be undone as
/// long as no later one is in effect.
package enum Change: Sendable {
    /// Money moved.
    case moved(Movement)
    /// A pending movement, by its index, ends at another time or in another way: so does one that is authorised.
    case reended(Int, Movement.Ending, before: Movement.Ending?)
    /// A row was added to a table.
    case added(table: String, row: TableRow)
    /// An added row ended before its time, or never begins: an operation has changed or removed it.
    case ended(table: String, row: Int, at: Instant, before: Instant?)
    /// The fixture's rows with a key were removed.
    case hidden(table: String, key: String, since: Instant)
    /// A key remembers its result.
    case kept(IdempotencyBook.ID, IdempotencyBook.Record)
    case issued(TokenBook.Token)
    /// A token changed; its id remains.
    case altered(TokenBook.Token, before: TokenBook.Token?)
    /// An attempt to sign in began, or changed.
    case authorization(Authorization, before: Authorization?)
    /// A challenge began, or changed.
    case challenge(Challenge, before: Challenge?)
    /// A state was set, or cleared if it is nil.
    case state(variable: String, String?, before: String?)
    /// Webhooks were registered, removed or changed.
    case webhooks([Webhook], before: [Webhook]?)
    /// A delivery was made, or changed.
    case delivery(Delivery, before: Delivery?)
    /// The schedule of events changed.
    case scheduled(Schedule, before: Schedule?)
    /// The clock changed. Undone, it shows no later now than `latest`; nil if what was shown since remains shown.
    case clock(VirtualClock, before: (clock: VirtualClock, latest: Instant?)?)
    /// The session was reset at that instant of the machine's clock.
    case reset(machineNow: Instant, before: Past?)
    /// The state was saved.
    case saved(before: Past?)
    /// The saved state was restored.
    case restored(before: Past?)

    /// A whole earlier state: cheap, as it shares all parts that did not change.
    package final class Past: Sendable {
        let state: SessionState

        init(_ state: SessionState) { self.state = state }
    }

    fileprivate var shows: Bool {
        switch self {
        case .moved, .reended, .added, .ended, .hidden, .reset, .restored: true
        case .kept, .issued, .altered, .authorization, .challenge, .state, .webhooks, .delivery, .scheduled, .clock, .saved: false
        }
    }
}

/// The changes that may still be undone or stored: those of the command that executes, and all of a logged session.
struct ChangeLog: Sendable {
    /// Whether the changes of commands are consumed.
    var isConsumed = false
    /// True while a command executes, which may still be rejected.
    private var isExecuting = false
    private(set) var changes: [Change] = []

    mutating func record(_ change: Change) { if isConsumed || isExecuting { changes.append(change) } }

    /// Begins a command that may still be rejected: its changes are recorded until ``end()``.
    ///
    /// - Returns: the number of changes before it.
    mutating func begin() -> Int {
        isExecuting = true
        return changes.count
    }

    /// Drops the changes of the command, unless they are consumed.
    mutating func end() {
        isExecuting = false
        if !isConsumed { changes.removeAll(keepingCapacity: true) }
    }

    /// Removes all changes but the first `mark`, and returns them.
    mutating func take(after mark: Int = 0) -> [Change] {
        guard changes.count > mark else { return [] }
        defer { changes.removeSubrange(mark...) }
        return Array(changes[mark...])
    }
}

extension SessionState {
    /// Whether the changes of commands are consumed, by ``drainChanges()``.
    package var isLogged: Bool {
        get { log.isConsumed }
        set { log.isConsumed = newValue }
    }

    /// Applies the change and records it.
    mutating func make(_ change: Change) {
        apply(change)
        log.record(change)
    }

    /// The changes since the last call.
    package mutating func drainChanges() -> [Change] { log.take() }

    /// Applies an earlier change in a session with the state in which it was made.
    package mutating func apply(_ change: Change) {
        switch change {
        case .moved(let movement): ledger.book(movement)
        case .reended(let number, let ending, _):
            ledger.end(number, as: ending)
            _ = ledger.settle(at: present)
        case .added(let table, let row):
            rows.insert(row, into: table, at: present)
            webhooks.note(row, of: table)
            if row.since > present, bank.consents[table] != nil { webhooks.expectExpiry(at: row.since) }
        case .ended(let table, let row, let instant, _): rows.end(row, of: table, at: instant)
        case .hidden(let table, let key, let instant): rows.hide(key, of: table, since: instant)
        case .kept(let id, let record): keys.store(record, under: id)
        case .issued(let token): tokens.append(token)
        case .altered(let token, _): tokens.replace(token)
        case .authorization(let authorization, _): authorizations.store(authorization)
        case .challenge(let challenge, _): challenges.store(challenge)
        case .state(let variable, let state, _): states[variable] = state
        case .webhooks(let all, _):
            let isFirst = webhooks.webhooks.isEmpty
            webhooks.set(all)
            if isFirst { notePendingPayments() }
        case .delivery(let delivery, _): webhooks.store(delivery)
        case .scheduled(let schedule, _): self.schedule = schedule
        case .clock(let clock, _): self.clock = clock
        case .reset(let machineNow, _): self = fresh(at: machineNow)
        case .saved: saved = Change.Past(unsaved)
        case .restored: goBack()
        }
        if change.shows { revision += 1 }
    }

    /// Undoes all changes but the first `mark`.
    mutating func rollBack(to mark: Int) {
        let undone = log.take(after: mark)
        if !undone.isEmpty { undo(undone) }
    }

    /// Undoes changes, which must be the last ones.
    package mutating func undo(_ changes: [Change]) {
        let revision = revision
        for change in changes.reversed() { undo(change) }
        noteEnded(of: changes)
        // A revision identifies one state: no earlier one is used again.
        self.revision = revision + 1
    }

    private mutating func undo(_ change: Change) {
        switch change {
        case .moved:
            ledger.unbook()
            webhooks.forgetEnd(ofPayment: ledger.movements.count)
        case .reended(let number, _, let before):
            if let before { ledger.end(number, as: before) }
            webhooks.forgetEnd(ofPayment: number)
        case .added(let table, let row):
            rows.removeLast(from: table)
            if let origin = row.origin { webhooks.forgetRow(ofPayment: Int(origin.movement)) }
        case .ended(let table, let row, _, let before): if let before { rows.end(row, of: table, at: before) }
        case .hidden(let table, let key, _): rows.hide(key, of: table, since: nil)
        case .kept(let id, _): keys.forget(id)
        case .issued: tokens.removeLast()
        case .altered(_, let before): if let before { tokens.replace(before) }
        case .authorization(_, let before): if let before { authorizations.store(before) } else { authorizations.removeLast() }
        case .challenge(_, let before): if let before { challenges.store(before) } else { challenges.removeLast() }
        case .state(let variable, _, let before): states[variable] = before
        case .webhooks(_, let before): if let before { webhooks.set(before) }
        case .delivery(_, let before): if let before { webhooks.store(before) } else { webhooks.removeLast() }
        case .scheduled(_, let before): if let before { schedule = before }
        case .clock(_, let before):
            if let before {
                clock = before.clock
                if let latest = before.latest { rewind(to: latest) }
            }
        case .saved(let past): if let past { saved = past.state.saved }
        case .reset(_, let past), .restored(let past): if let past { become(past.state) }
        }
    }

    /// Resets the session as if it were new, except its tokens' texts: earlier ones remain unknown. A saved state remains.
    package mutating func reset(at machineNow: Instant) { make(.reset(machineNow: machineNow, before: Change.Past(self))) }

    /// Saves the present state, replacing an earlier one.
    package mutating func save() { make(.saved(before: Change.Past(self))) }

    /// Restores the saved state; false if there is none. Clock, address and bank remain as they are now, but now is never before that
    /// of the saved state. Tickets of before are invalid, and the keys that they claimed are free. New tokens have texts that no
    /// earlier one had.
    package mutating func restore() -> Bool {
        guard saved != nil else { return false }
        make(.restored(before: Change.Past(self)))
        return true
    }

    package mutating func setClock<Result>(_ body: (inout VirtualClock) throws(ClockError) -> Result) throws(ClockError) -> Result {
        var new = clock
        let result = try body(&new)
        if new != clock { make(.clock(new, before: (clock, latest))) }
        return result
    }

    private func fresh(at machineNow: Instant) -> SessionState {
        var fresh = SessionState(
            id: id, seed: seed, prepared: prepared, baseURL: baseURL, startedAt: machineNow, beginning: beginning, metadata: metadata,
            epoch: epoch + 1)
        (fresh.saved, fresh.log, fresh.revision) = (saved, log, revision)
        fresh.addressCheck = addressCheck
        fresh.generation = generation + 1
        return fresh
    }

    /// The state to be saved.
    private var unsaved: SessionState {
        var state = self
        (state.saved, state.log) = (nil, ChangeLog())
        return state
    }

    private mutating func goBack() {
        guard var state = saved?.state else { return }
        // A reset may have taken the clock back: payments of later than now, and keys that were forgotten then, would follow.
        state.latest = max(latest, state.latest)
        (state.clock, state.epoch, state.saved) = (clock, epoch + 1, saved)
        // Deliveries that were sent remain sent.
        state.webhooks = webhooks.restored(with: state.webhooks)
        become(state)
    }

    /// Replaces the state by an earlier one, without its claims of keys in flight, which belong to tickets of its generation. The
    /// owner's settings remain, and so do the changes that are not drained: those in the earlier state were drained or undone since.
    private mutating func become(_ earlier: SessionState) {
        var state = earlier
        (state.baseURL, state.prepared, state.addressCheck, state.rowScans) = (baseURL, prepared, addressCheck, rowScans)
        (state.log, state.revision) = (log, revision)
        state.generation = generation + 1
        state.keys.dropClaims()
        self = state
    }
}
