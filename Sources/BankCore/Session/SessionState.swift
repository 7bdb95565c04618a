package import BankModel

/// The whole state of one session, as a value. Fixtures are shared and immutable; this holds the effects of its commands.
///
/// Every command is a mutating method with the instant of the session's clock as its only further input: the same commands at
/// the same instants give the same state and the same results, except for the texts of authorization codes and of the sign-in page's
/// form, which nobody can guess from the seed. A command changes the state by ``Change``s alone, and undoes them if it is rejected
/// after all. This file alone sets what is `private(set)`, most of it in ``apply(_:)`` and ``undo(_:)``. Others claim ``keys``, note in
/// ``webhooks`` what ends, and draw from ``generator``. The session's owner sets ``baseURL``, ``prepared``, ``addressCheck``,
/// ``rowScans`` and ``isLogged``.
package struct SessionState: Sendable {
    package let id: String
    package let seed: UInt64
    /// The number of resets and restores; part of every token's text, so that none is issued twice.
    package private(set) var epoch: Int
    /// Incremented whenever another state replaces it: by a reset, a restore, and when either is undone. A ticket is valid for
    /// one generation.
    package private(set) var generation = 0
    /// By the session's clock; relative dates follow it.
    package let startedAt: Instant
    /// The beginning of the clock; nil if it runs from the machine's now.
    package let beginning: VirtualClock.Beginning?
    package let metadata: SessionMetadata
    /// The prefix of every absolute address in a response; without a trailing slash.
    package var baseURL: String
    package var prepared: PreparedBank { didSet { if prepared !== oldValue { adopt() } } }
    package private(set) var clock = VirtualClock()
    package private(set) var tokens: TokenBook
    package private(set) var authorizations = AuthorizationBook()
    package private(set) var challenges = ChallengeBook()
    /// This file alone changes it, except for tests that break it.
    package internal(set) var ledger = Ledger()
    /// Incremented by every write: a rendered response is valid for one revision.
    package internal(set) var revision = 0
    package internal(set) var keys = IdempotencyBook()
    /// Events that happen later.
    package private(set) var schedule: Schedule
    package internal(set) var webhooks: WebhookBook
    /// Checks an address that a request registers for webhooks; nil for a session that no server has, which sends nothing.
    package var addressCheck: (@Sendable (String) throws(WebhookError) -> Void)?
    /// The states that operations have set, by variable.
    package private(set) var states: [String: String] = [:]
    private(set) var rows: RowBook
    /// Counts the added rows that queries examine; nil counts nothing.
    package var rowScans: RowScanCounter?
    /// The instant of the session's clock up to which everything due has been done.
    private(set) var present = Instant(nanoseconds: .min)
    /// The latest now that the session's clock has shown.
    private(set) var latest = Instant(nanoseconds: .min)
    var saved: Change.Past?
    var log = ChangeLog()
    var attempts = AttemptCounter()
    /// The requests of each rate limit's windows. Like ``attempts`` no ``Change``, and in no state file: a read stores nothing.
    var requests = RequestCounter()
    /// The ids of the signed tokens that clients have presented.
    var usedIDs = UsedIDs()
    var generator: SeededGenerator

    /// - Parameters:
    ///   - machineNow: the machine's now, from which the clock runs.
    ///   - beginning: the beginning of the clock, if it is another.
    ///   - began: the session's start by its clock, if that was before now.
    package init(
        id: String, seed: UInt64, prepared: PreparedBank, baseURL: String, startedAt machineNow: Instant,
        beginning: VirtualClock.Beginning? = nil, metadata: SessionMetadata = SessionMetadata(), epoch: Int = 0, began: Instant? = nil
    ) {
        self.id = id
        self.seed = seed
        self.prepared = prepared
        self.baseURL = baseURL
        self.beginning = beginning
        self.metadata = metadata
        self.epoch = epoch
        clock = beginning.map { VirtualClock($0, machine: machineNow) } ?? VirtualClock()
        startedAt = began ?? clock.now(machine: machineNow)
        tokens = SessionState.tokens(of: prepared.bank, salt: "\(seed) \(id)", from: startedAt)
        rows = RowBook(prepared.tables, start: startedAt)
        schedule = SessionState.schedule(of: prepared.bank, from: startedAt)
        webhooks = SessionState.webhooks(of: prepared.bank)
        generator = SeededGenerator(seed: SeededGenerator.hash(seed, UInt64(epoch)))
    }

    /// Drops the tokens, webhooks and events with which a session of the bank begins: a checkpoint has its own.
    mutating func dropBeginnings() { (tokens, webhooks, schedule) = (TokenBook(salt: "\(seed) \(id)"), WebhookBook(), Schedule()) }

    package var bank: Bank { prepared.bank }

    /// The state with the rows and balances of an instant of the session's clock; everything else is as it is now.
    func asOf(_ instant: Instant) -> SessionState {
        var past = self
        past.ledger = ledger.asOf(instant)
        past.rows.advance(to: instant)
        past.present = instant
        return past
    }

    /// Does everything that is due at that instant: pending movements end, and consents expire.
    package mutating func settle(at now: Instant) {
        let before = present
        if now > present { present = now }
        if now > latest { latest = now }
        if !webhooks.webhooks.isEmpty { noteEnding(by: now) }
        if ledger.settle(at: now) { revision += 1 }
        if rows.settle(at: present) { revision += 1 }
        if let expiry = webhooks.nextExpiry, expiry <= present { noteExpired(after: before) }
    }

    /// Goes back to the latest now before an advance of the clock that was undone: what has ended by itself since has not.
    private mutating func rewind(to instant: Instant) {
        guard instant < latest else { return }
        latest = instant
        webhooks.forgetEnds(after: instant)
        guard instant < present else { return }
        self = asOf(instant)
        webhooks.expectExpiry(at: instant)
    }

    /// Takes over the order of an edited bank, and begins to count for its limits.
    private mutating func adopt() {
        requests = RequestCounter()
        rows.adopt(prepared.tables)
    }

    /// The session's now: never before one that was shown, even if the machine's clock is set back.
    package func now(machine: Instant) -> Instant { max(clock.now(machine: machine), latest) }

    /// Returns the session's now, and records that it was shown. If the machine's clock was set back the session's continues
    /// from where it was.
    package mutating func advanceClock(machine: Instant) -> Instant {
        let now = clock.now(machine: machine)
        guard now < latest else {
            latest = now
            return now
        }
        var continued = clock
        try? continued.set(to: latest, machine: machine)
        make(.clock(continued, before: (clock, nil)))
        return latest
    }

    /// The instant at which something happens next by the session's clock; nil if nothing does. Attempts to send webhooks are not counted.
    package var nextDue: Instant? {
        [ledger.nextEnding, schedule.next, challenges.nextToApprove?.approvesAt, webhooks.nextExpiry].compactMap { $0 }.min()
    }

    package func customer(_ login: String) -> Customer? { bank.customers.first { $0.login == login } }

    /// A random UUID from the session's generator, after a fixed text.
    mutating func uuid(after prefix: String = "") -> String { prefix + generator.uuid() }

    // MARK: changes

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
        case .ended(let table, let row, let instant, _):
            rows.end(row, of: table, at: instant)
            _ = rows.settle(at: present)
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
        case .reset(let machineNow, _): become(fresh(at: machineNow))
        case .saved: saved = Change.Past(unsaved)
        case .restored: goBack()
        }
        if change.shows { revision += 1 }
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

    private func fresh(at machineNow: Instant) -> SessionState {
        var fresh = SessionState(
            id: id, seed: seed, prepared: prepared, baseURL: baseURL, startedAt: machineNow, beginning: beginning, metadata: metadata,
            epoch: epoch + 1)
        fresh.saved = saved
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

    /// Replaces the state by another, without its claims of keys in flight, which belong to tickets of its generation. The owner's
    /// settings remain, and so do the changes that are not drained: those in an earlier state were drained or undone since.
    private mutating func become(_ other: SessionState) {
        var state = other
        (state.baseURL, state.prepared, state.addressCheck, state.rowScans) = (baseURL, prepared, addressCheck, rowScans)
        (state.log, state.revision) = (log, revision)
        state.generation = generation + 1
        state.keys.dropClaims()
        self = state
    }
}
