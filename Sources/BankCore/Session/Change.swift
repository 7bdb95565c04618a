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

    /// Whether a response may differ after it.
    var shows: Bool {
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

    /// Undoes all changes but the first `mark`.
    mutating func rollBack(to mark: Int) {
        let undone = log.take(after: mark)
        if !undone.isEmpty { undo(undone) }
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
}
