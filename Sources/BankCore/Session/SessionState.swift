package import BankModel

/// The whole state of one session, as a value. Fixtures are shared and immutable; this holds the effects of its commands.
///
/// Every command is a mutating method with the instant of the session's clock as its only further input: the same commands at
/// the same instants give the same state and the same results, except for the texts of authorization codes and of the sign-in page's
/// form, which nobody can guess from the seed. A command changes the state by ``Change``s alone, and undoes them if it is rejected
/// after all. The session's owner sets the rest: ``baseURL``, ``prepared``, ``addressCheck``, ``rowScans``, ``isLogged``.
package struct SessionState: Sendable {
    package let id: String
    package let seed: UInt64
    /// The number of resets and restores; part of every token's text, so that none is issued twice.
    package internal(set) var epoch: Int
    /// Incremented whenever another state replaces it: by a reset, a restore, and when either is undone. A ticket is valid for
    /// one generation.
    package internal(set) var generation = 0
    /// By the session's clock; relative dates follow it.
    package let startedAt: Instant
    /// The beginning of the clock; nil if it runs from the machine's now.
    package let beginning: VirtualClock.Beginning?
    package let metadata: SessionMetadata
    /// The prefix of every absolute address in a response; without a trailing slash.
    package var baseURL: String
    package var prepared: PreparedBank { didSet { if prepared !== oldValue { adopt() } } }
    package internal(set) var clock = VirtualClock()
    package internal(set) var tokens: TokenBook
    package internal(set) var authorizations = AuthorizationBook()
    package internal(set) var challenges = ChallengeBook()
    package internal(set) var ledger = Ledger()
    /// Incremented by every write: a rendered response is valid for one revision.
    package internal(set) var revision = 0
    package internal(set) var keys = IdempotencyBook()
    /// Events that happen later.
    package internal(set) var schedule: Schedule
    package internal(set) var webhooks: WebhookBook
    /// Checks an address that a request registers for webhooks; nil for a session that no server has, which sends nothing.
    package var addressCheck: (@Sendable (String) throws(WebhookError) -> Void)?
    /// The states that operations have set, by variable.
    package internal(set) var states: [String: String] = [:]
    var rows: RowBook
    /// Counts the added rows that queries examine; nil counts nothing.
    package var rowScans: RowScanCounter?
    /// The instant of the session's clock up to which everything due has been done.
    private(set) var present = Instant(nanoseconds: .min)
    /// The latest now that the session's clock has shown.
    var latest = Instant(nanoseconds: .min)
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
        tokens = TokenBook(salt: "\(seed) \(id)")
        clock = beginning.map { VirtualClock($0, machine: machineNow) } ?? VirtualClock()
        startedAt = began ?? clock.now(machine: machineNow)
        rows = RowBook(prepared.tables, start: startedAt)
        schedule = SessionState.schedule(of: prepared.bank, from: startedAt)
        webhooks = SessionState.webhooks(of: prepared.bank)
        generator = SeededGenerator(seed: SeededGenerator.hash(seed, UInt64(epoch)))
        addFixedTokens()
    }

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
    mutating func rewind(to instant: Instant) {
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
}
