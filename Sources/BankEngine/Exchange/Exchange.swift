import BankCore
import BankModel
import Faults

/// One request's way through a session, from the rules for it to the plan of its response. Read this file first.
///
///     route, admit → faults before → execute → faults after → plan
///
/// All stages run under the session's lock and never wait. The exchange owns the session's state meanwhile. If the plan begins with something
/// that takes time (a delay, a real bank behind a proxy), the wire performs that first; ``BankSession/proceed(_:with:)`` then continues from
/// `execute`.
struct Exchange {
    private let asked: AdmittedRequest
    /// The session itself, from which the body of an event stream is read later. It is locked here: a call that takes the lock would wait
    /// forever.
    private let owner: BankSession
    private var session: BankSession.LockedState
    private var plan: ResponsePlan
    private var record: ExchangeRecord
    private let time: RuleTime
    /// The request as rules see it; nil if the session has no rules.
    private var facts: ExchangeFacts?

    private var request: BankRequest { asked.wire.request }

    /// Answers a request and records it.
    static func answer(_ wire: WireRequest, in session: inout BankSession.LockedState, of owner: BankSession) -> ResponsePlan {
        let time = RuleTime(mono: wire.mono, session: session.processDueEvents(owner.clock))
        let tracked = session.connections.countRequest(of: wire.connection)
        let asked = AdmittedRequest(wire: wire, tracked: tracked, found: session.state.admit(wire.request, at: time.session))
        var exchange = begin(asked, in: consume session, of: owner, time)
        exchange.faultsBefore()
        exchange.finish()
        session = exchange.session
        return exchange.plan
    }

    /// Answers a request whose body has not come yet, if a rule demands it. Nothing is admitted or executed.
    ///
    /// - Returns: nil if the whole request must be read first.
    static func answerEarly(_ wire: WireRequest, in session: inout BankSession.LockedState, of owner: BankSession) -> ResponsePlan? {
        let time = RuleTime(mono: wire.mono, session: session.processDueEvents(owner.clock))
        // Counted only if it is answered: the whole request is counted otherwise.
        var tracked = session.connections.tracked(of: wire.connection)
        tracked.requests += 1
        let asked = AdmittedRequest(wire: wire, tracked: tracked, found: session.state.recognize(wire.request))
        var facts = asked.facts(session, token: asked.admission?.token)
        facts.abilities.insert(.requestBody)
        var outgoing = OutgoingResponse.executed
        guard let fault = session.rules.applyEarly(facts, &outgoing, seed: session.state.seed, time: time),
            let substitute = outgoing.substitute
        else { return nil }
        _ = session.connections.countRequest(of: wire.connection)
        var exchange = begin(asked, in: consume session, of: owner, time)
        exchange.plan.outgoing = outgoing
        exchange.facts = facts
        exchange.record.note(fault)
        exchange.replaceResponse(with: substitute)
        exchange.faultsAtResponse()
        exchange.finish()
        session = exchange.session
        return exchange.plan
    }

    /// Executes a pending exchange and completes its plan and its record.
    ///
    /// - Parameter forwarded: the response of a real bank; nil if the core answers.
    static func proceed(
        _ pending: PendingExchange, _ plan: ResponsePlan, in session: inout BankSession.LockedState, of owner: BankSession,
        with forwarded: UpstreamResponse?
    ) -> ResponsePlan {
        let time = RuleTime(mono: owner.clock.monotonic(), session: session.processDueEvents(owner.clock))
        // The exchange is executed even if the journal has dropped its record meanwhile.
        let record = session.journal.record(plan.seq) ?? ExchangeRecord(withoutRequest: plan.seq, at: time.session)
        var exchange = Exchange(
            asked: pending.asked, owner: owner, session: consume session, plan: plan, record: record, time: time, facts: pending.facts)
        exchange.proceed(with: forwarded)
        session = exchange.session
        return exchange.plan
    }

    private static func begin(
        _ asked: AdmittedRequest, in session: consuming BankSession.LockedState, of owner: BankSession, _ time: RuleTime
    ) -> Exchange {
        session.lastUsed = asked.wire.mono
        var record = ExchangeRecord(asked.wire, asked.tracked, seq: session.journal.takeSeq(), at: time.session)
        asked.describe(in: &record, session)
        let plan = session.newPlan(record.seq, asked.wire.request, at: time.session)
        return Exchange(asked: asked, owner: owner, session: consume session, plan: plan, record: record, time: time)
    }

    // MARK: faults before

    /// Applies the rules for `request`; then the request is executed, now or later, or a fault responds, or nothing is sent.
    private mutating func faultsBefore() {
        // Without rules the facts are not needed.
        if session.rules.isEmpty, session.upstream == nil, session.selectedUpstreams.isEmpty { return execute() }
        let facts = asked.facts(session, token: record.token)
        self.facts = facts
        let upstream = session.selectedUpstreams.last { $0.selector.matches(facts) }?.upstream ?? session.upstream
        record.note(session.rules.apply(at: .request, facts, &plan.outgoing, seed: session.state.seed, time: time))
        if let index = plan.outgoing.steps.firstIndex(of: .execute) {
            if index == 0, upstream == nil { return execute() }
            return plan.execution = .pending(PendingExchange(asked: asked, facts: facts, upstream: upstream))
        }
        keepTicketIfItWaits()
        guard let substitute = plan.outgoing.substitute else { return }
        replaceResponse(with: substitute)
        faultsAtResponse()
    }

    /// Gives back the right to execute a request that is not executed: now, or at the exchange's end if its plan waits.
    private mutating func keepTicketIfItWaits() {
        guard let ticket = asked.ticket else { return }
        guard plan.outgoing.steps.contains(where: { $0.wait != nil }) else { return session.state.abandon(ticket) }
        plan.execution = .withheld(ticket)
    }

    // MARK: execute

    /// Executes the admitted request, plans the core's response and applies the rules for it.
    private mutating func execute() {
        let booked = session.state.ledger.movements.count
        let core = coreResponse()
        // What breaks the ledger is not confirmed.
        let addsUp = session.state.ledger.addsUp
        let own = addsUp ? asked.admission?.completed(core) ?? core : session.closedResponse(to: request, at: time.session)
        let response = own.varied(by: session.codings)
        session.tally.countBooked(session.state.ledger.movements, after: booked)
        record.note(response)
        if facts == nil { plan.outgoing = OutgoingResponse(response, request.method) } else { plan.outgoing.take(response, request.method) }
        plan.outgoing.coding = session.coding(of: response, to: request)
        if let stream = response.stream { open(stream) }
        faultsAfter()
    }

    /// Opens the stream of events that is the response's body; beyond the limit the request is rejected.
    private mutating func open(_ stream: RequestedStream) {
        guard request.method == "GET" else {
            // HEAD: the body of GET has no length that could be stated (RFC 9110 §8.6).
            return plan.outgoing.framing = .chunked
        }
        guard !session.streams.isFull else {
            let response = session.state.dialectResponse(
                .rateLimited, to: request, detail: "found \(EventStreams.most) open streams, expected fewer: close one first",
                at: time.session)
            record.note(response)
            return plan.outgoing.take(response, request.method)
        }
        let alteration: StreamAlteration? = if case .events(let alteration) = plan.outgoing.readAlteration { alteration } else { nil }
        let number = session.streams.begin(
            stream, after: request.header("Last-Event-ID"), alteration, session.state, mono: time.mono)
        plan.rest = EventStreamBody(owner, number, heartbeat: stream.policy.heartbeat)
        plan.outgoing.framing = .chunked
        plan.sendBodyInPieces()
    }

    private mutating func coreResponse() -> BankResponse {
        let now = time.session
        guard session.state.ledger.addsUp else {
            if let ticket = asked.ticket { session.state.abandon(ticket) }
            return session.closedResponse(to: request, at: now)
        }
        switch asked.admission?.verdict {
        case nil:
            // Clients log errors, so the path is redacted.
            let path = Redaction(session.state).target(request.path)
            return session.state.dialectResponse(.notFound, to: request, detail: "no operation for \(request.method) \(path)", at: now)
        case .rejected(let rejection): return rejection
        case .replay(let stored): return stored
        case .ready(let ticket):
            if session.state.rejects(ticket, session.limit) {
                session.rejectedFull += 1
                session.state.abandon(ticket)
                return session.state.dialectResponse(.maintenance, to: request, detail: session.limit.rejection, at: now)
            }
            return executed(ticket).conditional(on: request)
        }
    }

    /// The response of the executed request; that of a read which depends on the state alone comes from the cache if it is there.
    private mutating func executed(_ ticket: Ticket) -> BankResponse {
        let alteration = plan.outgoing.readAlteration
        let operation = ticket.match.index
        let isRepeatable = request.method == "GET" && alteration == nil && session.state.prepared.isRepeatable[operation]
        let key = ResponseCache.Key(operation: operation, target: asked.wire.target, customer: asked.admission?.viewer ?? "")
        if isRepeatable, let cached = session.cache.response(key, revision: session.state.revision) {
            session.state.abandon(ticket)
            return cached
        }
        let response = session.state.execute(ticket, at: time.session, alteration: alteration).varied(by: session.codings)
        if isRepeatable, response.status == 200, response.name == nil {
            session.cache.keep(response, under: key, revision: session.state.revision)
        }
        return response
    }

    /// Executes a request that had to wait, or takes the real bank's response, and completes plan and record.
    private mutating func proceed(with forwarded: UpstreamResponse?) {
        plan.date = session.dateText(time.session)
        if let forwarded {
            record.note(forwarded.response)
            record.messages?.responder = forwarded.responder
            plan.take(forwarded, request.method)
            faultsAfter(isForwarded: true)
        } else {
            execute()
        }
        plan.outgoing.code()
        session.record(response: plan.outgoing, &record)
        plan.durable = session.commit(record.summary, at: time.session)
        session.hold(&plan)
        let record = record
        session.journal.amend(plan.seq) { $0 = record }
    }

    // MARK: faults after

    /// Applies the rules for `commit`, if something was executed, then those for the response.
    private mutating func faultsAfter(isForwarded: Bool = false) {
        guard let facts else { return }
        switch asked.admission?.verdict {
        case _ where isForwarded, .ready, .replay:
            record.note(session.rules.apply(at: .commit, facts, &plan.outgoing, seed: session.state.seed, time: time))
            if let substitute = plan.outgoing.substitute { replaceResponse(with: substitute) }
        case .rejected, nil: break
        }
        faultsAtResponse()
    }

    /// Replaces the bank's response with the one of a fault.
    private mutating func replaceResponse(with substitute: Substitute) {
        let response = substitute.response(to: asked.wire, asked.match, &session.state, isPublic: session.isPublic, at: time.session)
        record.response = response.name
        if substitute.isGiven {
            plan.outgoing.take(response, request.method)
        } else {
            let varied = response.varied(by: session.codings)
            plan.outgoing.take(varied, request.method)
            plan.outgoing.coding = session.coding(of: varied, to: request)
        }
        if let date = plan.outgoing.takeDate() { plan.date = date }
    }

    /// Applies the rules for `head` and `body` that the exchange reaches.
    private mutating func faultsAtResponse() {
        guard let facts else { return }
        for point in [FaultPoint.head, .body] where !session.rules.isEmpty && plan.outgoing.reaches(point) {
            record.note(session.rules.apply(at: point, facts, &plan.outgoing, seed: session.state.seed, time: time))
        }
        if plan.outgoing.dateSkew != .zero {
            plan.date = (time.session + session.state.clock.skew + plan.outgoing.dateSkew).httpDate
        }
    }

    // MARK: plan

    /// Completes the plan: its coding, its commit ticket, the hold of one that waits; then appends the record to the journal.
    private mutating func finish() {
        plan.outgoing.code()
        session.record(&record, request, plan.outgoing)
        plan.durable = session.commit(record.summary, at: time.session)
        plan.endsConnection = session.connections.endAfterResponses
        session.hold(&plan)
        session.journal.append(record)
    }
}
