import BankCore
import BankModel
import Faults

/// One request's way through a session, from its route to the plan of its reply. Read this file first.
///
///     route → admit → faults before → execute → faults after → plan
///
/// All stages run under the session's lock and never wait. If the plan begins with something that takes time (a delay, a real bank
/// behind a proxy), the wire performs that first; ``BankSession/proceed(_:with:)`` then continues from `execute`.
struct Exchange: Sendable {
    let wire: WireRequest
    /// The operation that the request matched; nil if it matched none.
    private let match: Match?
    /// The core's verdict before anything is executed; nil if the request matched no operation.
    private let admission: Admission?
    /// The request as rules see it; nil if the session has no rules.
    private var facts: ExchangeFacts?

    private var request: BankRequest { wire.request }

    /// Answers a request and records it.
    ///
    /// - Parameter dropped: receives the records that the journal drops for it, which the caller frees outside the lock.
    static func answer(
        _ wire: WireRequest, in session: inout BankSession.Inner, _ clock: MachineClock, dropping dropped: inout [ExchangeRecord]
    ) -> Delivery {
        let time = RuleTime(mono: wire.mono, session: session.settle(clock))
        session.lastUsed = wire.mono
        var record = ExchangeRecord(wire, seq: session.journal.takeSeq(), at: time.session)
        var plan = session.newPlan(record.seq, wire.request, at: time.session)

        var exchange = Exchange(wire, in: &session, at: time.session)
        exchange.describe(in: &record, session)
        switch exchange.faultsBefore(&plan.sending, &record, &session, time) {
        case .execute:
            exchange.execute(&plan, &record, &session, time)
            exchange.faultsAfter(&plan, &record, &session, time)
        case .executeLater:
            plan.pending = PendingExchange(exchange)
            plan.ticket = exchange.admission?.ticket
        case .replace(let substitute):
            plan.ticket = exchange.ticketToKeep(plan.sending, &session)
            exchange.reply(with: substitute, &plan, &record, &session, time)
            exchange.faultsAtReply(&plan, &record, &session, time)
        case .sendNothing:
            plan.ticket = exchange.ticketToKeep(plan.sending, &session)
        }
        exchange.finish(&plan, &record, &session, time, clock)
        session.journal.append(record, dropping: &dropped)
        return plan
    }

    /// Answers a request whose body has not come yet, if a rule says so. Nothing is admitted or executed.
    ///
    /// - Parameter dropped: as for ``answer(_:in:_:dropping:)``.
    /// - Returns: nil if the whole request must be read first.
    static func answerEarly(
        _ wire: WireRequest, in session: inout BankSession.Inner, _ clock: MachineClock, dropping dropped: inout [ExchangeRecord]
    ) -> Delivery? {
        let time = RuleTime(mono: wire.mono, session: session.settle(clock))
        var exchange = Exchange(headOf: wire, in: session)
        var facts = exchange.newFacts(session, token: exchange.admission?.token)
        facts.abilities.insert(.requestBody)
        var sending = Sending.executed
        guard let fault = session.rules.strikeEarly(facts, &sending, seed: session.state.seed, time: time),
            let substitute = sending.substitute
        else { return nil }
        session.lastUsed = wire.mono
        var record = ExchangeRecord(wire, seq: session.journal.takeSeq(), at: time.session)
        var plan = session.newPlan(record.seq, wire.request, at: time.session)
        plan.sending = sending
        exchange.facts = facts
        exchange.describe(in: &record, session)
        record.note(fault)
        exchange.reply(with: substitute, &plan, &record, &session, time)
        exchange.faultsAtReply(&plan, &record, &session, time)
        exchange.finish(&plan, &record, &session, time, clock)
        session.journal.append(record, dropping: &dropped)
        return plan
    }

    /// Executes a pending exchange and completes its plan.
    ///
    /// - Parameter forwarded: the reply of a real bank; nil if the core answers.
    func proceed(
        _ plan: inout Delivery, _ record: inout ExchangeRecord, in session: inout BankSession.Inner, _ time: RuleTime,
        with forwarded: Reply?
    ) {
        if let forwarded {
            record.note(forwarded)
            plan.sending.take(forwarded, request.method)
            if request.method == "HEAD" { plan.sending.keepLength() }
        } else {
            execute(&plan, &record, &session, time)
        }
        plan.date = session.dateText(time.session)
        faultsAfter(&plan, &record, &session, time, isForwarded: forwarded != nil)
        plan.sending.code()
        session.record(reply: plan.sending, &record)
        plan.durable = session.commit(record.summary, at: time.session)
        session.hold(&plan)
    }

    // MARK: route, admit

    /// Finds the request's operation and has the core admit it: token, scope, body, parents, key.
    private init(_ wire: WireRequest, in session: inout BankSession.Inner, at now: Instant) {
        self.wire = wire
        let admitted = session.state.admit(wire.request, at: now)
        match = admitted?.match
        admission = admitted?.admission
    }

    /// Finds the operation and the caller of a request of which only the head is known.
    init(headOf wire: WireRequest, in session: BankSession.Inner) {
        self.wire = wire
        let known = session.state.recognize(wire.request)
        match = known?.match
        admission = known?.admission
    }

    /// Fills in the record's operation and caller.
    func describe(in record: inout ExchangeRecord, _ session: BankSession.Inner) {
        record.operation = match.map { session.operations[$0.index] }
        record.token = admission?.token ?? session.state.tokens.presented(request.header("Authorization")).label
        record.customer = admission?.customer
        record.key = admission?.key
        record.attempt = admission?.attempt
    }

    // MARK: faults before

    /// The request's next stage after the rules for `request`.
    private enum Course {
        case execute
        /// Executed after steps that take time, or by a real bank.
        case executeLater
        /// Not executed: a fault supplies the reply.
        case replace(Substitute)
        /// Neither executed nor replied to.
        case sendNothing
    }

    private mutating func faultsBefore(
        _ sending: inout Sending, _ record: inout ExchangeRecord, _ session: inout BankSession.Inner, _ time: RuleTime
    ) -> Course {
        // Without rules the facts are not needed.
        if session.rules.isEmpty, session.upstream == nil { return .execute }
        let facts = newFacts(session, token: record.token)
        self.facts = facts
        record.note(session.rules.strike(at: .request, facts, &sending, seed: session.state.seed, time: time))
        if let index = sending.steps.firstIndex(of: .execute) {
            return index == 0 && session.upstream == nil ? .execute : .executeLater
        }
        return sending.substitute.map { .replace($0) } ?? .sendNothing
    }

    /// Gives back the right to execute a request that is not executed: now, or at the exchange's end if its plan waits.
    ///
    /// - Returns: the ticket to give back at the end; nil if none is left.
    private func ticketToKeep(_ sending: Sending, _ session: inout BankSession.Inner) -> Ticket? {
        guard let ticket = admission?.ticket else { return nil }
        if sending.steps.contains(where: \.isWait) { return ticket }
        session.state.abandon(ticket)
        return nil
    }

    // MARK: execute

    /// Executes the admitted request and plans the core's reply.
    private func execute(
        _ plan: inout Delivery, _ record: inout ExchangeRecord, _ session: inout BankSession.Inner, _ time: RuleTime
    ) {
        let booked = session.state.ledger.movements.count
        let reply = coreReply(&session, twist: plan.sending.twist, at: time.session).varied(by: session.codings)
        session.tally.countBooked(session.state.ledger.movements, after: booked)
        record.note(reply)
        if facts == nil { plan.sending = Sending(reply, request.method) } else { plan.sending.take(reply, request.method) }
        plan.sending.coding = session.coding(of: reply, to: request)
    }

    private func coreReply(_ session: inout BankSession.Inner, twist: ReadTwist?, at now: Instant) -> Reply {
        switch admission?.verdict {
        case nil:
            // Clients log errors, so the path is redacted.
            let path = Redaction(session.state).target(request.path)
            return session.state.dialectReply(.notFound, to: request, detail: "no operation for \(request.method) \(path)", at: now)
        case .refused(let refusal): return refusal
        case .replay(let stored): return stored
        case .ready(let ticket):
            if session.state.refuses(ticket, session.limit) {
                session.refusedFull += 1
                session.state.abandon(ticket)
                return session.state.dialectReply(.maintenance, to: request, detail: session.limit.refusal, at: now)
            }
            let whole = session.state.execute(ticket, at: now, twist: twist).varied(by: session.codings)
            guard request.method == "GET" else { return whole.conditional(on: request) }
            if let match, whole.name == nil, twist == nil {
                session.cache(whole, match, request, target: wire.target, customer: admission?.customer)
            }
            return whole.conditional(on: request)
        }
    }

    // MARK: faults after

    /// Applies the rules for `commit`, if something was executed, then those for the reply.
    private func faultsAfter(
        _ plan: inout Delivery, _ record: inout ExchangeRecord, _ session: inout BankSession.Inner, _ time: RuleTime,
        isForwarded: Bool = false
    ) {
        guard let facts else { return }
        switch admission?.verdict {
        case _ where isForwarded, .ready, .replay:
            record.note(session.rules.strike(at: .commit, facts, &plan.sending, seed: session.state.seed, time: time))
            if let substitute = plan.sending.substitute { reply(with: substitute, &plan, &record, &session, time) }
        case .refused, nil: break
        }
        faultsAtReply(&plan, &record, &session, time)
    }

    /// Applies the rules for `head` and `body` that the exchange reaches.
    private func faultsAtReply(
        _ plan: inout Delivery, _ record: inout ExchangeRecord, _ session: inout BankSession.Inner, _ time: RuleTime
    ) {
        guard let facts else { return }
        for point in [FaultPoint.head, .body] where !session.rules.isEmpty && plan.sending.reaches(point) {
            record.note(session.rules.strike(at: point, facts, &plan.sending, seed: session.state.seed, time: time))
        }
        if plan.sending.dateSkew != .zero {
            plan.date = (time.session + session.state.clock.skew + plan.sending.dateSkew).httpDate
        }
    }

    // MARK: plan

    /// Completes the plan: the commit ticket, and the rendered bytes of a plain reply or the hold of a waiting one.
    private func finish(
        _ plan: inout Delivery, _ record: inout ExchangeRecord, _ session: inout BankSession.Inner, _ time: RuleTime, _ clock: MachineClock
    ) {
        plan.sending.code()
        session.record(&record, request, plan.sending)
        plan.durable = session.commit(record.summary, at: time.session)
        plan.endsConnection = session.connections.endAfterReplies
        if let atOnce = wire.atOnce, let renderer = session.renderer, plan.durable == nil, plan.isPlain {
            let rendered = plan.rendered(by: renderer, allowedOrigin: atOnce.allowedOrigin)
            // Recorded as sent before it is: the write follows within microseconds, and a lost client amends the record.
            record.receipt = rendered.receipt
            record.durationMicroseconds = (clock.monotonic() - wire.mono) / 1000
            plan.rendered = rendered
            session.tally.count(record)
        } else {
            session.hold(&plan)
        }
    }
}

// MARK: parts

extension Exchange {
    /// The request as rules see it.
    private func newFacts(_ session: BankSession.Inner, token: String?) -> ExchangeFacts {
        ExchangeFacts(
            roles: match?.roles ?? [], operation: match?.name, method: request.method, path: request.path, headers: request.headers,
            customer: admission?.customer, token: token, requestOnConnection: wire.requestOnConnection,
            wireProtocol: wire.line.wireProtocol, isSecure: !session.rules.isEmpty && wire.isSecure, attempt: admission?.attempt ?? 1,
            hasFollowed: wire.hasFollowed,
            abilities: session.rules.isEmpty ? [] : match?.abilities(request, session.state.prepared) ?? [])
    }

    /// Replaces the bank's reply with the one of a fault.
    private func reply(
        with substitute: Substitute, _ plan: inout Delivery, _ record: inout ExchangeRecord, _ session: inout BankSession.Inner,
        _ time: RuleTime
    ) {
        let reply = substitute.reply(
            to: wire, match, &session.state, isPublic: session.isPublic, at: time.session)
        record.reply = reply.name
        if substitute.isGiven {
            plan.sending.take(reply, request.method)
        } else {
            let varied = reply.varied(by: session.codings)
            plan.sending.take(varied, request.method)
            plan.sending.coding = session.coding(of: varied, to: request)
        }
        if let date = plan.sending.takeDate() { plan.date = date }
    }
}

extension Admission {
    /// The right to execute; nil if it was not granted.
    fileprivate var ticket: Ticket? { if case .ready(let ticket) = verdict { ticket } else { nil } }
}
