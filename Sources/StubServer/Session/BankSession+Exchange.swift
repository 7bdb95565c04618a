import BankCore
import BankModel
import Crypto
import Faults
import NIOCore
import Synchronization

/// A request as the wire read it.
struct WireRequest {
    var method: String
    /// Without the session's prefix, query included.
    var target: String
    var headers: [JournalEntry.Header]
    var body: [UInt8]
    var connection: Int
    var requestOnConnection: Int
    /// When the head was read, by the monotonic clock.
    var mono: Int64
}

/// What the wire has to do with a request: which reply, sent how, and when.
struct Delivery {
    var seq: Int
    var reply: Reply
    var steps: [WireStep]
    var after: FaultSetting.Delay?
    var ruleID: String?
    /// Set if it is held; who takes it out of the session ends it.
    var held: HeldExchanges.Held?
    /// To be given back if the exchange ends unexecuted.
    var ticket: Ticket?
    var date: String
    var requestIDName: String?
    var requestID: String
}

extension BankSession {
    /// Answers a request by state and rules, and records it; nothing is sent yet.
    func handle(_ wire: WireRequest) -> Delivery {
        let parts = wire.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let request = BankRequest(
            wire.method, String(parts.first ?? "/"), query: parts.count > 1 ? String(parts[1]) : nil, headers: wire.headers, body: wire.body
        )
        let digest = wire.body.isEmpty ? nil : SHA256.hash(data: wire.body).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let (delivery, watchers) = inner.withLock { inner in
            let now = inner.state.clock.now(machine: clock.now())
            inner.lastUsed = wire.mono
            var record = ExchangeRecord(
                seq: inner.journal.takeSeq(), at: now, mono: wire.mono, connection: wire.connection,
                requestOnConnection: wire.requestOnConnection, wireProtocol: .h1, method: wire.method, target: wire.target)
            (record.bodyDigest, record.bodyBytes) = (digest, wire.body.count)
            var delivery = inner.answer(request, wire, &record, monoNow: wire.mono, at: now)
            delivery.date = inner.dateText(now)
            inner.record(&record, request, delivery.reply)
            inner.journal.append(record)
            if delivery.after != nil {
                let held = HeldExchanges.Held(ruleID: delivery.ruleID ?? "")
                inner.held.add(held, seq: delivery.seq)
                delivery.held = held
            }
            return (delivery, inner.watchers.values.map(\.self))
        }
        watchers.forEach { $0() }
        return delivery
    }

    /// Gives back the key of an exchange that ends unexecuted.
    func abandon(_ ticket: Ticket) { inner.withLock { $0.state.abandon(ticket) } }

    /// Takes out a held exchange, to be ended by the caller; nil if someone else has.
    func takeHeld(_ seq: Int) -> HeldExchanges.Held? { inner.withLock { $0.held.take(seq) } }

    /// Writes down how an exchange ended on the wire.
    func complete(_ seq: Int, _ receipt: Receipt, status: Int?) {
        let watchers = inner.withLock { inner in
            let mono = clock.monotonic()
            inner.journal.amend(seq) { record in
                record.receipt = receipt
                record.status = status
                record.durationMicroseconds = (mono - record.mono) / 1000
            }
            return inner.watchers.values.map(\.self)
        }
        watchers.forEach { $0() }
    }

    // MARK: connections

    /// Numbers a connection that has reached this session for the first time.
    func register(_ channel: any Channel) -> Int {
        inner.withLock { inner in
            defer { inner.nextConnection += 1 }
            inner.connections[inner.nextConnection] = channel
            return inner.nextConnection
        }
    }

    func unregister(_ connection: Int) { inner.withLock { $0.connections[connection] = nil } }
}

extension BankSession.Inner {
    /// Match, admit, fault before, execute, fault after.
    fileprivate mutating func answer(
        _ request: BankRequest, _ wire: WireRequest, _ record: inout ExchangeRecord, monoNow: Int64, at now: Instant
    ) -> Delivery {
        let name = requestIDName
        let id = name.flatMap(request.header) ?? requestID(record.seq)
        func delivery(_ reply: Reply) -> Delivery {
            Delivery(seq: record.seq, reply: reply, steps: [.head, .body], date: "", requestIDName: name, requestID: id)
        }
        guard let match = state.prepared.router.match(request) else {
            var facts = ExchangeFacts(
                method: request.method, path: request.path, headers: request.headers, requestOnConnection: wire.requestOnConnection)
            record.token = state.tokens.presented(request.header("Authorization")).label
            facts.token = record.token
            var plain = delivery(
                state.dialectReply(.notFound, to: request, detail: "no operation for \(request.method) \(request.path)", at: now))
            if let decision = rules.decide(at: .request, facts, seed: state.seed, monoNow: monoNow) {
                strike(decision, &plain, request, nil, &record, at: now)
            }
            return plain
        }
        let admission = state.admit(request, match, at: now)
        record.operation = operations[match.index]
        (record.customer, record.token, record.key) = (admission.customer, admission.token, admission.key)
        record.attempt = admission.attempt
        let facts = ExchangeFacts(
            roles: match.operation.roles, operation: match.operation.name, method: request.method, path: request.path,
            headers: request.headers,
            customer: admission.customer, token: admission.token, requestOnConnection: wire.requestOnConnection, attempt: admission.attempt)
        if let decision = rules.decide(at: .request, facts, seed: state.seed, monoNow: monoNow) {
            var struck = delivery(Reply(status: 500))
            if case .ready(let ticket) = admission.verdict {
                if decision.rule.setting.after == nil { state.abandon(ticket) } else { struck.ticket = ticket }
            }
            strike(decision, &struck, request, match, &record, at: now)
            return struck
        }
        switch admission.verdict {
        case .refused(let reply): return delivery(reply)
        case .replay(let reply): return lost(delivery(reply), facts, &record, monoNow: monoNow)
        case .ready(let ticket):
            let reply = state.execute(ticket, at: now)
            record.committed = reply.committed
            if request.method == "GET", reply.name == nil { keep(reply, match, target: wire.target, customer: admission.customer) }
            return lost(delivery(reply), facts, &record, monoNow: monoNow)
        }
    }

    /// Lets a fault at `commit` take the reply of an executed exchange.
    private mutating func lost(_ delivery: Delivery, _ facts: ExchangeFacts, _ record: inout ExchangeRecord, monoNow: Int64) -> Delivery {
        var delivery = delivery
        record.replayed = delivery.reply.replayed
        guard let decision = rules.decide(at: .commit, facts, seed: state.seed, monoNow: monoNow) else { return delivery }
        record.fault = decision.record
        (delivery.steps, delivery.after, delivery.ruleID) = (
            decision.rule.setting.fault.strike.steps, decision.rule.setting.after, decision.ruleID
        )
        return delivery
    }

    /// Lets a fault at `request` answer in the bank's place.
    private mutating func strike(
        _ decision: RuleBook.Decision, _ delivery: inout Delivery, _ request: BankRequest, _ match: Match?, _ record: inout ExchangeRecord,
        at now: Instant
    ) {
        let strike = decision.rule.setting.fault.strike
        record.fault = decision.record
        (delivery.steps, delivery.after, delivery.ruleID) = (strike.steps, decision.rule.setting.after, decision.ruleID)
        switch strike.reply {
        case .asExecuted: break
        case .dialect(let name, let retryAfter):
            delivery.reply = state.dialectReply(name, to: request, at: now)
            if let retryAfter { delivery.reply.setHeader("Retry-After", retryAfter.value(at: now)) }
        case .custom(let custom):
            delivery.reply = Reply(status: custom.status, headers: custom.headers, body: custom.body)
            if let retryAfter = custom.retryAfter { delivery.reply.setHeader("Retry-After", retryAfter.value(at: now)) }
        case .businessFailure:
            if let match, let reply = state.businessFailure(request, match, at: now) {
                delivery.reply = reply
            } else {
                record.fault?.applied = false
                record.fault?.reason = "the operation has no business_failure in its bank's file"
                delivery.reply = state.dialectReply(.notFound, to: request, at: now)
            }
        }
    }

    /// Fills in what the record keeps of request and reply, secrets taken out.
    fileprivate mutating func record(_ record: inout ExchangeRecord, _ request: BankRequest, _ reply: Reply) {
        let redaction = Redaction(tokens: state.tokens)
        record.target = redaction.text(record.target)
        record.key = record.key.map(redaction.text)
        record.requestHeaders = HeaderList(request.headers.map(redaction.header))
        let kept = ExchangeRecord.keptBodyBytes
        record.requestBody = redaction.bytes(Array(request.body.prefix(kept)), hiding: secret(request, record.operation))
        (record.status, record.reply) = (reply.status, reply.name)
        record.replyHeaders = HeaderList(reply.headers.map(redaction.header))
        record.replyBody = ByteBuffer(bytes: redaction.bytes(Array(reply.body.prefix(kept))))
        record.cost += record.requestHeaders.cost + record.requestBody.count + record.replyHeaders.cost + record.replyBody.readableBytes
    }

    /// The password in a sign-in's body.
    private mutating func secret(_ request: BankRequest, _ operation: OperationFacts?) -> String? {
        guard let operation, let found = state.bank.operations.first(where: { $0.name == operation.name }) else { return nil }
        return state.password(in: request, found)
    }

    /// The `Date` header for an instant of the session's clock.
    mutating func dateText(_ now: Instant) -> String {
        let shown = now + state.clock.skew
        if shown.seconds != date.second { date = (shown.seconds, shown.httpDate) }
        return date.text
    }

    /// A request's id: from the session's seed and the exchange's number.
    func requestID(_ seq: Int) -> String {
        let digits = String(SeededGenerator.hash(state.seed, UInt64(state.resets), UInt64(seq)), radix: 16)
        return "req-" + String(repeating: "0", count: 16 - digits.count) + digits
    }
}
