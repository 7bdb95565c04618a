package import BankCore
package import BankModel
import Faults
import Synchronization

/// One isolated running copy of a bank: its state, clock, rules, journal and connections.
///
/// All of it changes under one lock, held for microseconds and never while waiting: requests of one session are ordered,
/// sessions never wait for each other.
package final class BankSession: Sendable {
    package let id: String
    /// The bank of which this is a copy.
    package let bankName: String
    package let clock: MachineClock
    /// Where it comes back to itself when a rule begins or ends; nil: nothing happens by itself.
    let timer: (any SessionTimer)?
    let inner: SessionLock<Inner>

    /// What changes.
    struct Inner: Sendable {
        var state: SessionState
        var operations: [OperationFacts]
        /// The dialect's header for a request's id; here, so that the hot path need not reach through the bank.
        var requestIDName: String?
        var rules = RuleBook()
        var journal: JournalRing
        var requestHeaders = HarmlessHeaders()
        var replyHeaders = LastHeaders()
        var cache = ReplyCache()
        var held = HeldExchanges()
        var connections = Connections()
        /// How much it may hold.
        let limit: SessionSize
        /// How many requests were refused since it holds as much.
        var refusedFull = 0
        /// How often it was reset: what waits is executed in no other state than that which admitted it.
        var resets = 0
        var lastUsed: Int64
        /// The real bank that answers in the core's place; nil: the core does.
        var upstream: (any Upstream)?
        /// Where its commands are kept; nil: nowhere.
        var log: SessionLog?
        /// The `Date` header's text for the second it was made for.
        var date: (second: Int64, text: String) = (.min, "")
        var isClosed = false
        var watchers = Watchers()
        var listeners = Listeners()
        /// Cancels the call that comes when the next rule begins or ends.
        var alarm: (@Sendable () -> Void)?
        /// Renders plain replies; nil if no connection of this session could take one.
        let renderer: (any ReplyRenderer)?
    }

    /// How clients can reach a session.
    struct Listeners: Sendable {
        /// The ports that belong to this session alone.
        var ports: [any SessionPort] = []
        /// What is spoken there, or on the banks' ports.
        var carried: Set<WireProtocol> = [.h1, .h2]
        /// Whether one of them speaks TLS.
        var isSecure = false
        /// Whether a rule keeps the ports from listening.
        var isRefusing = false
    }

    package init(
        id: String, seed: UInt64, prepared: PreparedBank, beginning: VirtualClock.Beginning? = nil, clock: MachineClock,
        journalCapacity: Int, budget: JournalBudget, limit: SessionSize = .unlimited, timer: (any SessionTimer)? = nil,
        renderer: (any ReplyRenderer)? = nil
    ) {
        self.id = id
        self.clock = clock
        self.timer = timer
        bankName = prepared.bank.name
        let state = SessionState(id: id, seed: seed, prepared: prepared, baseURL: "", startedAt: clock.now(), beginning: beginning)
        inner = SessionLock(
            Inner(
                state: state, operations: BankSession.facts(prepared), requestIDName: prepared.bank.dialect.requestID,
                journal: JournalRing(capacity: journalCapacity, budget: budget), limit: limit,
                lastUsed: clock.monotonic(), renderer: renderer))
    }

    private static func facts(_ prepared: PreparedBank) -> [OperationFacts] {
        prepared.bank.operations.map { OperationFacts(name: $0.name, roles: $0.roles) }
    }

    /// The bank that this is a copy of.
    package var bank: Bank { inner.withLock { $0.state.bank } }

    package var seed: UInt64 { inner.withLock { $0.state.seed } }

    /// Where a client reaches it; no trailing slash.
    package var baseURL: String { inner.withLock { $0.state.baseURL } }

    /// Its own port; nil without one.
    package var port: Int? { inner.withLock { $0.listeners.ports.first?.port } }

    /// Gives it ports that belong to it alone, and says what they speak.
    package func setPorts(_ ports: [any SessionPort], carried: Set<WireProtocol>, isSecure: Bool) {
        inner.withLock { inner in
            inner.listeners.ports = ports
            inner.listeners.carried = carried
            inner.listeners.isSecure = isSecure
        }
    }

    package func setBaseURL(_ url: String) { inner.withLock { $0.state.baseURL = url } }

    /// Takes in an edited bank: state, tokens and journal stay, replies are rendered anew.
    package func adopt(_ prepared: PreparedBank) {
        inner.withLock { inner in
            inner.state.prepared = prepared
            inner.operations = BankSession.facts(prepared)
            inner.requestIDName = prepared.bank.dialect.requestID
            inner.cache.removeAll()
        }
    }

    // MARK: the whole state

    /// As new: state, clock, rules and journal. What is held ends now.
    package func reset() {
        let (held, watchers, _) = inner.withLock { inner in
            // Freed when the session is free again: a hundred thousand rows take their time.
            let past = inner.state
            inner.state.reset(at: clock.now())
            inner.resets += 1
            inner.refusedFull = 0
            inner.rules = RuleBook()
            inner.connections.endAfterReplies = false
            inner.journal.removeAll()
            inner.cache.removeAll()
            inner.date = (.min, "")
            return (inner.held.takeAll(), inner.watchers.all, past)
        }
        held.forEach { $0.end(.dropped) }
        attend()
        watchers.forEach { $0() }
    }

    /// Keeps the state as it is now; a later snapshot takes its place.
    package func snapshot() { inner.withLock { $0.state.save() } }

    /// Puts the state back to the snapshot; false if there is none. The clock does not go back.
    package func restore() -> Bool {
        let (isBack, _) = inner.withLock { inner in
            let past = inner.state
            let isBack = inner.state.restore()
            if isBack { inner.cache.removeAll() }
            return (isBack, past)
        }
        return isBack
    }

    /// Ends what is held now.
    package func endHeld() { inner.withLock { $0.held.takeAll() }.forEach { $0.end(.dropped) } }

    /// Ends everything that the session holds: exchanges, connections, its port.
    package func close() {
        let (held, connections, ports, watchers) = inner.withLock { inner in
            inner.isClosed = true
            inner.journal.removeAll()
            inner.alarm?()
            inner.alarm = nil
            let connections = Array(inner.connections.open.values)
            inner.connections.open.removeAll()
            defer { inner.listeners.ports = [] }
            return (inner.held.takeAll(), connections, inner.listeners.ports, inner.watchers.all)
        }
        held.forEach { $0.end(.dropped) }
        connections.forEach { $0.closeNow() }
        ports.forEach { $0.close() }
        watchers.forEach { $0() }
    }

    /// Whether it has ended: nothing will happen in it any more.
    package var isClosed: Bool { inner.withLock { $0.isClosed } }

    // MARK: clock

    /// The session's now.
    package var now: Instant { inner.withLock { $0.state.goOn(machine: clock.now()) } }

    /// Changes the clock.
    package func withClock<Result: Sendable>(
        _ body: @Sendable (inout VirtualClock, Instant) throws(ClockError) -> Result
    ) throws(ClockError) -> Result {
        let result = try inner.withLock { inner throws(ClockError) in
            inner.date = (.min, "")
            _ = inner.state.goOn(machine: clock.now())
            return try inner.state.setClock { session throws(ClockError) in try body(&session, clock.now()) }
        }
        attend()
        return result
    }
}

extension BankSession {
    /// How the clock goes, and how far the `Date` header lies.
    package var virtualClock: (mode: VirtualClock.Mode, skew: Duration) { inner.withLock { ($0.state.clock.mode, $0.state.clock.skew) } }
}
