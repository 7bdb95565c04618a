package import BankCore
package import BankModel
import Faults
import Platform

/// One isolated running copy of a bank: its state, clock, rules, journal and connections.
///
/// All of it changes under one lock, held for microseconds and never while waiting: requests of one session are ordered,
/// sessions never wait for each other.
package final class BankSession: Sendable {
    package let id: String
    /// The name of the bank that this is a copy of.
    package let bankName: String
    package let clock: MachineClock
    /// Calls the session back when a rule begins or ends; nil if nothing is scheduled.
    let timer: (any SessionTimer)?
    /// Sends its webhooks; nil if it sends none.
    let sender: (any WebhookSender)?
    let inner: Locked<LockedState>
    /// Whether a rule may answer a request before its body has ended, so that only such a rule costs the session's lock for each head.
    let answersEarly = Locked(false)

    /// The mutable part, guarded by the lock.
    struct LockedState: Sendable {
        var state: SessionState
        var rules = RuleBook()
        var journal: JournalRing
        var cache = ResponseCache()
        var held = HeldExchanges()
        var connections = Connections()
        /// The maximum size of the session.
        let limit: SessionSize
        /// The number of requests rejected because the session is full.
        var rejectedFull = 0
        /// The counts for monitoring.
        var tally = ExchangeTally()
        var lastUsed: Int64
        /// The real bank that answers in place of the core; nil if the core answers.
        var upstream: (any Upstream)?
        /// The code that answers selected requests in place of the bank; of several the last counts.
        var selectedUpstreams: [SelectedUpstream] = []
        /// Whether the exchanges with the real bank are kept as they pass.
        var keepsMessages = false
        /// Its log in the state file; nil without a state file.
        var log: SessionLog?
        var isClosed = false
        /// Whether clients reach the session through a proxy.
        var isPublic = false
        var watchers = Watchers()
        var listeners = Listeners()
        /// Cancels the scheduled call for the next rule that begins or ends.
        var alarm: (@Sendable () -> Void)?
        var traffic = WebhookTraffic()
        var streams = EventStreams()

        /// The code that answers the requests that a selector matches.
        struct SelectedUpstream: Sendable {
            let selector: RuleSelector
            let upstream: any Upstream
        }
    }

    /// The ports and protocols of a session.
    struct Listeners: Sendable {
        /// The ports that belong to this session alone.
        var ports: [any SessionPort] = []
        /// The protocols of these ports, or else of the banks' ports.
        var protocols: Set<WireProtocol> = [.h1, .h2]
        /// Whether one of them speaks TLS.
        var isSecure = false
        /// Whether the authority of their certificates can sign intermediate ones.
        var signsIntermediates = true
        /// Whether a rule makes the ports refuse connections.
        var isRefusing = false
    }

    package init(
        id: String, seed: UInt64, prepared: PreparedBank, beginning: VirtualClock.Beginning? = nil,
        metadata: SessionMetadata = SessionMetadata(),
        clock: MachineClock,
        journalCapacity: Int, budget: JournalBudget, limit: SessionSize = .unlimited, timer: (any SessionTimer)? = nil,
        sender: (any WebhookSender)? = nil
    ) {
        self.id = id
        self.clock = clock
        self.timer = timer
        self.sender = sender
        bankName = prepared.bank.name
        var state = SessionState(
            id: id, seed: seed, prepared: prepared, baseURL: "", startedAt: clock.now(), beginning: beginning, metadata: metadata)
        state.addressCheck = BankSession.addressCheck(of: sender)
        inner = Locked(
            LockedState(
                state: state, journal: JournalRing(capacity: journalCapacity, budget: budget), limit: limit,
                lastUsed: clock.monotonic()))
    }

    /// The bank that this is a copy of.
    package var bank: Bank { inner.withLock { $0.state.bank } }

    package var seed: UInt64 { inner.withLock { $0.state.seed } }

    /// The base URL for clients, without a trailing slash.
    package var baseURL: String { inner.withLock { $0.state.baseURL } }

    package var metadata: SessionMetadata { inner.withLock { $0.state.metadata } }

    /// The beginning of its clock; nil if that runs from the machine's now.
    package var beginning: VirtualClock.Beginning? { inner.withLock { $0.state.beginning } }

    /// When it started, by its clock: relative dates follow it.
    package var start: Instant { inner.withLock { $0.state.startedAt } }

    /// Its own port; nil without one.
    package var port: Int? { inner.withLock { $0.listeners.ports.first?.port } }

    /// Whether one of the ports by which it is reached speaks TLS.
    package var isSecure: Bool { inner.withLock { $0.listeners.isSecure } }

    /// Sets the ports that belong to this session alone, and their protocols.
    ///
    /// A session that has ended while they were opened closes them.
    ///
    /// - Parameter signsIntermediates: whether the authority of their certificates can sign intermediate ones.
    package func setPorts(
        _ ports: [any SessionPort], protocols: Set<WireProtocol>, isSecure: Bool, signsIntermediates: Bool = true
    ) {
        let late = inner.withLock { inner -> [any SessionPort] in
            guard !inner.isClosed else { return ports }
            inner.listeners.ports = ports
            inner.listeners.protocols = protocols
            inner.listeners.isSecure = isSecure
            inner.listeners.signsIntermediates = signsIntermediates
            return []
        }
        late.forEach { $0.close() }
    }

    /// - Parameter isPublic: whether clients reach it through a proxy, which may change scheme, host and path of a request.
    package func setBaseURL(_ url: String, isPublic: Bool = false) {
        inner.withLock { inner in
            inner.state.baseURL = url
            inner.isPublic = isPublic
        }
    }

    /// Replaces the bank by an edited one: state, tokens and journal stay, cached responses are dropped.
    package func adopt(_ prepared: PreparedBank) {
        inner.withLock { inner in
            inner.state.prepared = prepared
            inner.cache.removeAll()
        }
    }

    // MARK: the whole state

    /// Resets state, clock, rules and journal, and drops everything that is held.
    package func reset() {
        let (held, watchers, wakes, _) = inner.withLock { inner in
            // Freed outside the lock: 100,000 rows take a while.
            let past = inner.state
            inner.state.reset(at: clock.now())
            inner.rejectedFull = 0
            inner.rules = RuleBook()
            inner.selectedUpstreams = []
            inner.connections.endAfterResponses = false
            inner.traffic.removeAll()
            inner.journal.removeAll()
            inner.cache.removeAll()
            return (inner.held.takeAll(), inner.watchers.all, inner.streams.restart(), past)
        }
        held.forEach { $0.end(.dropped) }
        applyRules()
        (watchers + wakes).forEach { $0() }
    }

    /// Saves the state after everything that is due by now; replaces an earlier snapshot.
    package func snapshot() {
        inner.withLock { inner in
            _ = inner.processDueEvents(clock)
            inner.state.save()
        }
    }

    /// Restores the state from the snapshot; false if there is none. The clock does not go back. Exchanges that were admitted before
    /// and not executed yet never are. Webhooks get what is due in the restored state.
    package func restore() -> Bool {
        let (wakes, _) = inner.withLock { inner -> ([@Sendable () -> Void]?, SessionState) in
            let past = inner.state
            guard inner.state.restore() else { return (nil, past) }
            inner.cache.removeAll()
            // A command by itself: replayed, what is due in the restored state is not announced again.
            _ = inner.commit("restore", at: inner.state.advanceClock(machine: clock.now()))
            return (inner.streams.restart(), past)
        }
        guard let wakes else { return false }
        wakes.forEach { $0() }
        deliver()
        return true
    }

    /// Drops everything that is held now and does not end by time, and ends all streams.
    package func endEndless() {
        let (held, wakes) = inner.withLock { ($0.held.takeEndless(), $0.streams.end()) }
        held.forEach { $0.end(.dropped) }
        wakes.forEach { $0() }
    }

    /// Closes the session's ports for good; its connections stay.
    package func closePorts() { inner.withLock { $0.listeners.ports }.forEach { $0.close() } }

    /// Ends the session: drops held exchanges, and closes its connections and ports.
    package func close() {
        let (held, connections, ports, watchers) = inner.withLock { inner in
            inner.isClosed = true
            let wakes = inner.streams.end()
            inner.journal.removeAll()
            inner.alarm?()
            inner.alarm = nil
            inner.traffic.cancelCall()
            let connections = inner.connections.all
            inner.connections.removeAll()
            defer { inner.listeners.ports = [] }
            return (inner.held.takeAll(), connections, inner.listeners.ports, inner.watchers.all + wakes)
        }
        held.forEach { $0.end(.dropped) }
        connections.forEach { $0.closeNow() }
        ports.forEach { $0.close() }
        watchers.forEach { $0() }
    }

    /// Whether the session has ended.
    package var isClosed: Bool { inner.withLock { $0.isClosed } }

    // MARK: clock

    /// The session's now.
    package var now: Instant { inner.withLock { $0.state.advanceClock(machine: clock.now()) } }

    /// Changes the clock.
    package func withClock<Result: Sendable>(
        _ body: @Sendable (inout VirtualClock, Instant) throws(ClockError) -> Result
    ) throws(ClockError) -> Result {
        let result = try inner.withLock { inner throws(ClockError) in
            _ = inner.state.advanceClock(machine: clock.now())
            return try inner.state.setClock { session throws(ClockError) in try body(&session, clock.now()) }
        }
        applyRules()
        return result
    }
}

extension BankSession {
    /// The clock's mode, and the error of the `Date` header.
    package var virtualClock: (mode: VirtualClock.Mode, skew: Duration) { inner.withLock { ($0.state.clock.mode, $0.state.clock.skew) } }
}
