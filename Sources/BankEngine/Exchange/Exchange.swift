import BankCore
import BankModel
import Faults

/// One request on its road through a session, from its route to the plan of its reply. Read this file first.
///
///     route → admit → faults before → execute → faults after → plan
///
/// The road is walked under the session's lock and never waits. If the plan begins with something that takes time (a delay, a real
/// bank behind a proxy), the wire carries that out and comes back: ``BankSession/proceed(_:with:)`` walks on from `execute`.
struct Exchange: Sendable {
    let wire: WireRequest
    /// The operation that the request met; nil if it met none.
    private let match: Match?
    /// What the core says of the request before anything is executed; nil if it met no operation.
    private let admission: Admission?
    /// What rules can know of the request; nil if the session has no rules.
    private var facts: ExchangeFacts?

    private var request: BankRequest { wire.request }

    /// Answers a request and records it.
    ///
    /// - Parameter dropped: gets the records that the journal drops for it, to be freed when the session is free again.
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

    /// Goes on with an exchange whose turn to be executed has come.
    ///
    /// - Parameter forwarded: the reply of a real bank in the core's place; nil: the core answers.
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

    /// Fills in what the record says of operation and caller.
    private func describe(in record: inout ExchangeRecord, _ session: BankSession.Inner) {
        record.operation = match.map { session.operations[$0.index] }
        record.token = admission?.token ?? session.state.tokens.presented(request.header("Authorization")).label
        record.customer = admission?.customer
        record.key = admission?.key
        record.attempt = admission?.attempt
    }

    // MARK: faults before

    /// What becomes of the request once the rules for `request` have seen it.
    private enum Course {
        case execute
        /// After steps that take time, or by a real bank.
        case executeLater
        /// Not executed: a fault gives the reply.
        case replace(Substitute)
        /// Not executed, and no reply either.
        case sendNothing
    }

    private mutating func faultsBefore(
        _ sending: inout Sending, _ record: inout ExchangeRecord, _ session: inout BankSession.Inner, _ time: RuleTime
    ) -> Course {
        // Without rules their facts need not be gathered.
        if session.rules.isEmpty, session.upstream == nil { return .execute }
        let facts = newFacts(session, token: record.token)
        self.facts = facts
        record.note(session.rules.strike(at: .request, facts, &sending, seed: session.state.seed, time: time))
        if let index = sending.steps.firstIndex(of: .execute) {
            return index == 0 && session.upstream == nil ? .execute : .executeLater
        }
        return sending.substitute.map { .replace($0) } ?? .sendNothing
    }

    /// The right to execute a request that is not executed: given back at once, or with the exchange's end if its plan waits.
    ///
    /// - Returns: the ticket to give back at the end; nil if there is none left.
    private func ticketToKeep(_ sending: Sending, _ session: inout BankSession.Inner) -> Ticket? {
        guard let ticket = admission?.ticket else { return nil }
        if sending.steps.contains(where: \.isWait) { return ticket }
        session.state.abandon(ticket)
        return nil
    }

    // MARK: execute

    /// Has the core answer: it executes what was admitted.
    private func execute(
        _ plan: inout Delivery, _ record: inout ExchangeRecord, _ session: inout BankSession.Inner, _ time: RuleTime
    ) {
        let reply = coreReply(&session, twist: plan.sending.twist, at: time.session)
        record.note(reply)
        if facts == nil { plan.sending = Sending(reply, request.method) } else { plan.sending.take(reply, request.method) }
    }

    private func coreReply(_ session: inout BankSession.Inner, twist: ReadTwist?, at now: Instant) -> Reply {
        switch admission?.verdict {
        case nil:
            // The error goes where errors go: to logs of others.
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
            let whole = session.state.execute(ticket, at: now, twist: twist)
            guard request.method == "GET" else { return whole.conditional(on: request) }
            if let match, whole.name == nil, twist == nil {
                session.cache(whole, match, target: wire.target, customer: admission?.customer)
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
        case .refused, nil: break
        }
        faultsAtReply(&plan, &record, &session, time)
    }

    /// Applies the rules for `head` and `body`, as far as the exchange comes.
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

    /// Completes the plan: the ticket of the disk, the rendered bytes if the reply is a plain one, what holds it if it waits.
    private func finish(
        _ plan: inout Delivery, _ record: inout ExchangeRecord, _ session: inout BankSession.Inner, _ time: RuleTime, _ clock: MachineClock
    ) {
        session.record(&record, request, plan.sending)
        plan.durable = session.commit(record.summary, at: time.session)
        plan.endsConnection = session.endsConnections
        if let atOnce = wire.atOnce, let renderer = session.renderer, plan.durable == nil, plan.isPlain {
            let rendered = plan.rendered(by: renderer, allowedOrigin: atOnce.allowedOrigin)
            // Recorded as sent: it will be within microseconds, and is amended if the client is gone by then.
            record.receipt = rendered.receipt
            record.durationMicroseconds = (clock.monotonic() - wire.mono) / 1000
            plan.rendered = rendered
        } else {
            session.hold(&plan)
        }
    }
}

// MARK: parts

extension Exchange {
    /// Gathers what rules can know of the request.
    private func newFacts(_ session: BankSession.Inner, token: String?) -> ExchangeFacts {
        ExchangeFacts(
            roles: match?.roles ?? [], operation: match?.name, method: request.method, path: request.path, headers: request.headers,
            customer: admission?.customer, token: token, requestOnConnection: wire.requestOnConnection,
            wireProtocol: wire.line.wireProtocol, isSecure: wire.line.tls != nil, attempt: admission?.attempt ?? 1,
            abilities: match.map { abilities($0, session) } ?? [])
    }

    private func abilities(_ match: Match, _ session: BankSession.Inner) -> Set<FaultNeed> {
        guard !session.rules.isEmpty else { return [] }
        var abilities: Set<FaultNeed> = []
        if match.operation.businessFailure != nil { abilities.insert(.businessFailure) }
        if match.operation.isRead { abilities.insert(.read) }
        if let parameter = session.state.prepared.pageParameter[match.index] {
            abilities.insert(.page)
            if request.queryValue(parameter) != nil { abilities.insert(.cursor) }
        }
        return abilities
    }

    /// Puts the reply that a fault gives in the place of the bank's.
    private func reply(
        with substitute: Substitute, _ plan: inout Delivery, _ record: inout ExchangeRecord, _ session: inout BankSession.Inner,
        _ time: RuleTime
    ) {
        let reply = substitute.reply(to: wire, match, &session.state, at: time.session)
        record.reply = reply.name
        plan.sending.take(reply, request.method)
    }
}

extension Admission {
    /// The right to execute; nil if it was not given.
    fileprivate var ticket: Ticket? { if case .ready(let ticket) = verdict { ticket } else { nil } }
}

extension WireStep {
    /// Whether it takes time.
    fileprivate var isWait: Bool {
        switch self {
        case .pause, .hold, .trickle: true
        default: false
        }
    }
}

extension ExchangeRecord {
    /// Keeps what the journal tells of a reply.
    fileprivate mutating func note(_ reply: Reply) {
        committed = reply.committed
        replayed = reply.replayed
        self.reply = reply.name
    }

    /// Adds what a rule did, or would have done; nil if none did anything.
    mutating func note(_ fault: FaultRecord?) {
        if let fault { faults.append(fault) }
    }
}
