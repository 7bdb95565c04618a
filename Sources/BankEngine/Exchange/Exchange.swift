import BankCore
import BankModel
import Faults
import NIOCore

extension BankSession.Inner {
    /// Match, admit, fault before, execute, fault after.
    mutating func answer(_ request: BankRequest, _ wire: WireRequest, _ record: inout ExchangeRecord, _ time: RuleTime) -> Delivery {
        let name = upstream == nil ? requestIDName : nil
        var delivery = Delivery(
            seq: record.seq, resets: resets, sending: .executed, date: dateText(time.session), requestIDName: name,
            requestID: name.flatMap(request.header) ?? requestID(record.seq))
        let match = state.prepared.router.match(request)
        let admission = match.map { state.admit(request, $0, at: time.session) }
        record.operation = match.map { operations[$0.index] }
        record.token = admission?.token ?? state.tokens.presented(request.header("Authorization")).label
        (record.customer, record.key, record.attempt) = (admission?.customer, admission?.key, admission?.attempt)
        // Nothing can strike: what rules look at need not be gathered.
        if rules.isEmpty, upstream == nil {
            let reply = reply(to: request, match, admission, target: wire.target, at: time.session)
            record.note(reply)
            delivery.sending = Sending(reply, request.method)
            return delivery
        }
        let facts = facts(request, wire, match, admission, token: record.token)
        record.note(rules.strike(at: .request, facts, &delivery.sending, seed: state.seed, time: time))
        let pending = PendingExchange(request, match, admission, facts, target: wire.target, twist: delivery.sending.twist)
        if let index = delivery.sending.steps.firstIndex(of: .execute) {
            if index == 0, upstream == nil {
                execute(pending, &delivery, &record, time)
            } else {
                (delivery.pending, delivery.ticket) = (pending, admission?.ticket)
            }
            return delivery
        }
        // Not executed: the key is free again, at once or when the exchange is over.
        if delivery.sending.steps.contains(where: \.isWait) {
            delivery.ticket = admission?.ticket
        } else if let ticket = admission?.ticket {
            state.abandon(ticket)
        }
        guard let substitute = delivery.sending.substitute else { return delivery }
        let reply = reply(substitute, request, wire, match, at: time.session)
        record.reply = reply.name
        delivery.sending.take(reply, request.method)
        strikeReply(&delivery, facts, &record, time)
        return delivery
    }

    /// Executes a request, and lets faults have its reply.
    ///
    /// - Parameter forwarded: what a real bank has answered; nothing is executed here then.
    mutating func execute(
        _ pending: PendingExchange, _ delivery: inout Delivery, _ record: inout ExchangeRecord, _ time: RuleTime, _ forwarded: Reply? = nil
    ) {
        let request = pending.request
        let reply =
            forwarded
            ?? reply(
                to: request, pending.match, pending.admission, target: pending.target, twist: pending.twist, at: time.session)
        record.note(reply)
        delivery.sending.take(reply, request.method)
        if forwarded != nil, request.method == "HEAD" { delivery.sending.keepLength() }
        delivery.date = dateText(time.session)
        switch pending.admission?.verdict {
        case _ where forwarded != nil, .ready, .replay:
            record.note(rules.strike(at: .commit, pending.facts, &delivery.sending, seed: state.seed, time: time))
        case .refused, nil: break
        }
        strikeReply(&delivery, pending.facts, &record, time)
    }

    /// What the core answers: it executes what was admitted.
    private mutating func reply(
        to request: BankRequest, _ match: Match?, _ admission: Admission?, target: String, twist: ReadTwist? = nil, at now: Instant
    ) -> Reply {
        switch admission?.verdict {
        case nil:
            // The error goes where errors go: to logs of others.
            let path = Redaction(state).target(request.path)
            return state.dialectReply(.notFound, to: request, detail: "no operation for \(request.method) \(path)", at: now)
        case .refused(let refusal): return refusal
        case .replay(let stored): return stored
        case .ready(let ticket):
            if state.refuses(ticket, limit) {
                refusedFull += 1
                state.abandon(ticket)
                return state.dialectReply(.maintenance, to: request, detail: limit.refusal, at: now)
            }
            let whole = state.execute(ticket, at: now, twist: twist)
            guard request.method == "GET" else { return whole.conditional(on: request) }
            if let match, whole.name == nil, twist == nil { keep(whole, match, target: target, customer: admission?.customer) }
            return whole.conditional(on: request)
        }
    }

    /// The faults at `head` and `body`, as far as the exchange comes.
    private mutating func strikeReply(
        _ delivery: inout Delivery, _ facts: ExchangeFacts, _ record: inout ExchangeRecord, _ time: RuleTime
    ) {
        for point in [FaultPoint.head, .body] where !rules.isEmpty && delivery.sending.reaches(point) {
            record.note(rules.strike(at: point, facts, &delivery.sending, seed: state.seed, time: time))
        }
        if delivery.sending.dateSkew != .zero { delivery.date = (time.session + state.clock.skew + delivery.sending.dateSkew).httpDate }
    }

    /// What rules can know of a request.
    private func facts(
        _ request: BankRequest, _ wire: WireRequest, _ match: Match?, _ admission: Admission?, token: String?
    ) -> ExchangeFacts {
        ExchangeFacts(
            roles: match?.roles ?? [], operation: match?.name, method: request.method, path: request.path,
            headers: request.headers, customer: admission?.customer, token: token, requestOnConnection: wire.requestOnConnection,
            wireProtocol: wire.line.wireProtocol,
            isSecure: wire.line.tls != nil, attempt: admission?.attempt ?? 1,
            abilities: match.map { abilities($0, request) } ?? [])
    }

    private func abilities(_ match: Match, _ request: BankRequest) -> Set<FaultNeed> {
        guard !rules.isEmpty else { return [] }
        var abilities: Set<FaultNeed> = []
        if match.operation.businessFailure != nil { abilities.insert(.businessFailure) }
        if match.operation.isRead { abilities.insert(.read) }
        if let parameter = state.prepared.pageParameter[match.index] {
            abilities.insert(.page)
            if request.queryValue(parameter) != nil { abilities.insert(.cursor) }
        }
        return abilities
    }

    /// The reply that a fault gives in the bank's place.
    private mutating func reply(
        _ substitute: Substitute, _ request: BankRequest, _ wire: WireRequest, _ match: Match?, at now: Instant
    ) -> Reply {
        switch substitute {
        case .dialect(let name, let retryAfter):
            var reply = state.dialectReply(name, to: request, at: now)
            if let retryAfter { reply.setHeader("Retry-After", retryAfter.value(at: now)) }
            return reply
        case .custom(let custom):
            var reply = Reply(status: custom.status, headers: custom.headers, body: custom.body)
            if let retryAfter = custom.retryAfter { reply.setHeader("Retry-After", retryAfter.value(at: now)) }
            return reply
        case .businessFailure:
            let own = match.flatMap { state.businessFailure(request, $0, at: now) }
            return own ?? state.dialectReply(.notFound, to: request, at: now)
        case .redirect(let target, let status):
            return Reply(status: status, headers: [.init("Location", target.location(wire))])
        }
    }
}

extension Admission {
    /// The right to execute, where it was given.
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

extension Sending {
    /// A reply of the core's, sent as it is.
    fileprivate init(_ reply: Reply, _ method: String) {
        self.init(status: reply.status, headers: reply.headers, body: reply.body)
        mayHaveBody = method != "HEAD" && status >= 200 && status != 204 && status != 304
    }

    /// Takes the reply that is to be sent; where a request was to be executed its sending follows.
    fileprivate mutating func take(_ reply: Reply, _ method: String) {
        (status, headers, body) = (reply.status, reply.headers, reply.body)
        mayHaveBody = method != "HEAD" && status >= 200 && status != 204 && status != 304
        if let index = steps.firstIndex(of: .execute) { steps.replaceSubrange(index..., with: [.head, .body]) }
    }

    /// Says of a body that a real bank did not send with its reply to HEAD what that said (RFC 9110 §8.6): here there is none to count.
    fileprivate mutating func keepLength() {
        let stated = headers.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) }
        headers.removeAll { $0.name.lowercased() == "content-length" }
        framing = stated.map { .length($0) } ?? .chunked
    }
}

extension RedirectTarget {
    /// The address for the header `Location` (RFC 9110 §10.2.2).
    fileprivate func location(_ wire: WireRequest) -> String {
        let authority = wire.authority ?? "localhost"
        let target = wire.sentTarget
        let scheme = wire.line.tls == nil ? "http" : "https"
        switch self {
        case .url(let url): return url
        case .loop: return "\(scheme)://\(authority)\(target)"
        case .downgrade: return "http://\(authority)\(target)"
        case .otherHost:
            let port = authority.lastIndex(of: ":").map { String(authority[$0...]) } ?? ""
            let other = authority.hasPrefix("localhost") ? "127.0.0.1" : "localhost"
            return "\(scheme)://\(other)\(port)\(target)"
        }
    }
}

extension ExchangeRecord {
    /// Keeps what is to be known of the core's reply.
    mutating func note(_ reply: Reply) { (committed, replayed, self.reply) = (reply.committed, reply.replayed, reply.name) }

    /// Keeps what a rule did, or would have done: the last that struck counts, and all that did stand together.
    mutating func note(_ struck: FaultRecord?) {
        guard let struck else { return }
        faults.append(struck)
    }
}
