package import BankModel

/// One thing that a command changed in a session's state.
///
/// A command changes the state by these alone. Applied in order, to the state in which they were made and at the instants at
/// which they were made, they give the state again, without the bank's files: so the log of a durable session is replayed.
/// Each can be taken back as long as none after it stands.
package enum Change: Sendable {
    /// Money moved.
    case moved(Movement)
    /// A row was added to a table.
    case added(table: String, row: TableRow)
    /// A key remembers its result from now on.
    case kept(IdempotencyBook.ID, IdempotencyBook.Record)
    case issued(TokenBook.Token)
    /// A token became this; it keeps its id.
    case altered(TokenBook.Token, before: TokenBook.Token?)
    /// The clock became this.
    case clock(VirtualClock, before: VirtualClock?)
    /// The session was reset at that instant of the machine's clock.
    case reset(machineNow: Instant, before: Past?)
    /// The state was kept, to go back to.
    case saved(before: Past?)
    /// The state went back to the one that was kept.
    case restored(before: Past?)

    /// A whole state of before: cheap, as it shares all parts that did not change.
    package final class Past: Sendable {
        let state: SessionState

        init(_ state: SessionState) { self.state = state }
    }
}

extension Change {
    /// Whether a read may show it.
    fileprivate var shows: Bool {
        switch self {
        case .moved, .added, .reset, .restored: true
        case .kept, .issued, .altered, .clock, .saved: false
        }
    }
}

extension SessionState {
    /// Changes the state, and notes the change: until it is sure that nothing is refused, and then for ``takeChanges()`` if the
    /// session is logged.
    mutating func make(_ change: Change) {
        apply(change)
        if isLogged || isExecuting { changes.append(change) }
    }

    /// What was changed since this was last asked.
    package mutating func takeChanges() -> [Change] {
        defer { changes.removeAll() }
        return changes
    }

    /// Applies a change that was made before, in a session that stood where it was made.
    package mutating func apply(_ change: Change) {
        switch change {
        case .moved(let movement): ledger.book(movement)
        case .added(let table, let row): insert(row, into: table)
        case .kept(let id, let record): keys.keep(record, under: id)
        case .issued(let token): tokens.append(token)
        case .altered(let token, _): tokens.replace(token)
        case .clock(let clock, _): self.clock = clock
        case .reset(let machineNow, _): self = fresh(at: machineNow)
        case .saved: saved = Change.Past(unsaved)
        case .restored: goBack()
        }
        if change.shows { revision += 1 }
    }

    /// Takes changes back, which must be the last that were made.
    package mutating func undo(_ changes: [Change]) {
        let revision = revision
        for change in changes.reversed() { undo(change) }
        // A revision names one state: none of before comes again.
        self.revision = revision + 1
    }

    private mutating func undo(_ change: Change) {
        switch change {
        case .moved: ledger.unbook()
        case .added(let table, _): takeBack(from: table)
        case .kept(let id, _): keys.forget(id)
        case .issued: tokens.removeLast()
        case .altered(_, let before): if let before { tokens.replace(before) }
        case .clock(_, let before): if let before { clock = before }
        case .reset(_, let past), .saved(let past), .restored(let past): if let past { self = past.state }
        }
    }
}

// MARK: the whole state

extension SessionState {
    /// The session as if it were new, but for its tokens' texts: those of before stay unknown. What was kept to go back to stays.
    package mutating func reset(at machineNow: Instant) { make(.reset(machineNow: machineNow, before: Change.Past(self))) }

    /// Keeps the state as it is now; a later one takes its place.
    package mutating func save() { make(.saved(before: Change.Past(self))) }

    /// Goes back to the state that was kept; false if there is none. Clock, address and bank stay as they are now, and so do
    /// claims of keys under way. Tokens made from now on have texts that none had before.
    package mutating func restore() -> Bool {
        guard saved != nil else { return false }
        make(.restored(before: Change.Past(self)))
        return true
    }

    /// Changes the clock.
    package mutating func setClock<Result>(_ body: (inout VirtualClock) throws(ClockError) -> Result) throws(ClockError) -> Result {
        var new = clock
        let result = try body(&new)
        if new != clock { make(.clock(new, before: clock)) }
        return result
    }

    private func fresh(at machineNow: Instant) -> SessionState {
        var fresh = SessionState(
            id: id, seed: seed, prepared: prepared, baseURL: baseURL, startedAt: machineNow, beginning: beginning, epoch: epoch + 1)
        (fresh.saved, fresh.changes, fresh.isLogged, fresh.revision) = (saved, changes, isLogged, revision)
        return fresh
    }

    /// The state to be kept: without the claims of keys under way now, which end before it comes back.
    private var unsaved: SessionState {
        var state = self
        state.keys.dropClaims()
        (state.saved, state.changes) = (nil, [])
        return state
    }

    private mutating func goBack() {
        guard var state = saved?.state else { return }
        (state.clock, state.baseURL, state.prepared, state.epoch) = (clock, baseURL, prepared, epoch + 1)
        (state.saved, state.changes, state.isLogged, state.revision) = (saved, changes, isLogged, revision)
        state.latest = latest
        state.keys.takeClaims(of: keys)
        self = state
    }
}
