import BankCore
import BankModel
import EventStore
import Faults
import NIOCore
import Synchronization

/// A request as the wire read it. Handed on by reference, from its connection through a round to its session.
final class WireRequest {
    /// As the core sees it.
    let request: BankRequest
    /// Without the session's prefix, query included.
    let target: String
    /// Of a body that the journal does not keep whole.
    let bodyDigest: String?
    let connection: Int
    let requestOnConnection: Int
    /// When the head was read, by the monotonic clock.
    let mono: Int64
    let line: WireLine
    /// As it was sent, with the session's prefix: where redirects lead.
    let sentTarget: String
    /// The address that the client asked for: `Host`, or HTTP/2's `:authority`.
    let authority: String?
    /// How a reply that is sent as it is would end; nil where nothing may be written down before it has happened.
    let atOnce: AtOnce?

    init(
        method: String, target: String, headers: [JournalEntry.Header], body: [UInt8], connection: Int, requestOnConnection: Int,
        mono: Int64, line: WireLine, sentTarget: String, authority: String?, atOnce: AtOnce? = nil
    ) {
        // What needs no state is done before anybody waits for a session.
        let mark = target.utf8.firstIndex(of: UInt8(ascii: "?"))
        request = BankRequest(
            method, mark.map { String(target[..<$0]) } ?? target,
            query: mark.map { String(target[target.utf8.index(after: $0)...]) }, headers: headers, body: body, readsAhead: true)
        (self.target, bodyDigest) = (target, body.count > ExchangeRecord.keptBodyBytes ? ExchangeRecord.digest(body) : nil)
        (self.connection, self.requestOnConnection, self.mono, self.line) = (connection, requestOnConnection, mono, line)
        (self.sentTarget, self.authority, self.atOnce) = (sentTarget, authority, atOnce)
    }

    /// A connection of HTTP/1.1 that stays, and reads no other request before this one is answered.
    struct AtOnce {
        /// `Access-Control-Allow-Origin`, where CORS is on.
        let allowedOrigin: String?
    }
}

/// What a connection speaks.
struct WireLine: Sendable, Hashable {
    var wireProtocol = WireProtocol.h1
    /// `TLSv1.3`; nil in clear text.
    var tls: String?
}

/// What the wire has to do with a request: which reply, sent how, and when.
struct Delivery {
    let seq: Int
    /// How often the session had been reset when the request came.
    let resets: Int
    var sending: Sending
    /// Set if anything in it waits.
    var held: HeldExchanges.Held?
    /// To be executed when its step comes.
    var pending: PendingExchange?
    /// To be given back when all is over, if the exchange ends unexecuted.
    var ticket: Ticket?
    /// Nothing is to be sent before this is done: what is shown is on the disk then. Nil: it is.
    var durable: CommitTicket?
    var date: String
    var requestIDName: String?
    var requestID: String
    /// The reply tells that its connection ends, and the connection ends after it.
    var endsConnection = false
    /// It was written down as sent: it has only to be written, and amended if the client is gone by then.
    var isRecorded = false

    /// The rest of the head of a reply after which the connection stays.
    func tail(allowedOrigin: String?) -> ResponseHead.Tail {
        ResponseHead.Tail(
            date: date, requestIDName: requestIDName, requestID: requestID, allowedOrigin: allowedOrigin, closes: false)
    }
}

/// A request that is admitted and waits to be executed.
final class PendingExchange: Sendable {
    let request: BankRequest
    let match: Match?
    let admission: Admission?
    let facts: ExchangeFacts
    let target: String
    let twist: ReadTwist?

    init(_ request: BankRequest, _ match: Match?, _ admission: Admission?, _ facts: ExchangeFacts, target: String, twist: ReadTwist?) {
        (self.request, self.match, self.admission, self.facts) = (request, match, admission, facts)
        (self.target, self.twist) = (target, twist)
    }
}

extension BankSession {
    /// Answers requests one after the other by state and rules, and records them; nothing is sent yet.
    ///
    /// - Returns: a delivery for each, in their order.
    func handle(_ wires: ArraySlice<WireRequest>) -> [Delivery] {
        handling { inner, dropped in wires.map { inner.handle($0, clock, &dropped) } }
    }

    /// Answers a request, as ``handle(_:)`` does several.
    func handle(_ wire: WireRequest) -> Delivery { handling { inner, dropped in inner.handle(wire, clock, &dropped) } }

    /// Lets requests be handled; then frees what the journal has dropped for them, and tells who watches it.
    private func handling<Result>(_ body: (inout Inner, inout [ExchangeRecord]) -> Result) -> Result {
        let (result, watchers, _) = inner.withLock { inner in
            var dropped: [ExchangeRecord] = []
            let result = body(&inner, &dropped)
            return (result, inner.watchers.isEmpty ? [] : inner.watchers.values.map(\.self), dropped)
        }
        watchers.forEach { $0() }
        return result
    }

    /// Executes an exchange that has waited for it: the steps that its reply needs take the place of those left. After a reset
    /// it is dropped.
    ///
    /// - Parameter forwarded: what a real bank has answered in the core's place.
    func proceed(_ delivery: Delivery, with forwarded: Reply? = nil) -> Delivery {
        guard let pending = delivery.pending else { return delivery }
        let (next, watchers) = inner.withLock { inner -> (Delivery, [@Sendable () -> Void]) in
            var next = delivery
            (next.pending, next.ticket) = (nil, nil)
            next.sending.comeToExecute()
            guard inner.resets == delivery.resets else {
                next.sending.steps = [.close]
                return (next, [])
            }
            let now = inner.settle(clock)
            if forwarded != nil, let ticket = delivery.ticket { inner.state.abandon(ticket) }
            // The journal may have dropped it meanwhile; it is executed all the same.
            var record =
                inner.journal.record(delivery.seq)
                ?? ExchangeRecord(
                    seq: delivery.seq, at: now, mono: 0, connection: 0, requestOnConnection: 0, wireProtocol: .h1, method: nil, target: "")
            inner.execute(pending, &next, &record, RuleTime(mono: clock.monotonic(), session: now), forwarded)
            inner.record(reply: next.sending, &record)
            next.durable = inner.commit(record.summary, at: now)
            inner.journal.amend(delivery.seq) { $0 = record }
            inner.hold(&next)
            return (next, inner.watchers.values.map(\.self))
        }
        watchers.forEach { $0() }
        return next
    }

    /// Writes down how an exchange ended on the wire; what it held is free again.
    func complete(_ delivery: Delivery, _ receipt: Receipt, status: Int?) {
        let (watchers, wantsCheckpoint) = inner.withLock { inner in
            if let ticket = delivery.ticket, inner.resets == delivery.resets { inner.state.abandon(ticket) }
            if delivery.held != nil { _ = inner.held.take(delivery.seq, delivery.held) }
            inner.finish(delivery.seq, receipt, status: status, mono: clock.monotonic())
            return (inner.watchers.values.map(\.self), inner.log?.wantsCheckpoint ?? false)
        }
        watchers.forEach { $0() }
        if wantsCheckpoint { checkpointIfDue() }
    }

    /// Corrects the record of a reply from the cache whose client was gone.
    func clientGone(_ seq: Int) {
        inner.withLock { $0.finish(seq, Receipt(end: .clientGone), status: nil, mono: clock.monotonic()) }
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

extension Delivery {
    /// Whether no rule has a hand in it, and the reply goes in one piece, as nearly always.
    var isPlain: Bool {
        pending == nil && ticket == nil && held == nil && !endsConnection && sending.isWhole && sending.body.count <= WireLimits.wholeBytes
            && sending.framing == .length(nil)
    }

    /// What a plain reply will have been, once it is sent.
    func receipt(_ end: WireRequest.AtOnce) -> Receipt {
        let head = ResponseHead.byteCount(status: sending.status, headers: sending.headers, bodyBytes: sending.body.count)
        return Receipt(
            headBytes: head + tail(allowedOrigin: end.allowedOrigin).byteCount, bodyBytes: sending.body.count, end: .kept)
    }
}

extension BankSession.Inner {
    /// Answers a request and records it.
    ///
    /// - Parameter dropped: gets what the journal drops for it, to be freed when the session is free again.
    fileprivate mutating func handle(_ wire: WireRequest, _ clock: MachineClock, _ dropped: inout [ExchangeRecord]) -> Delivery {
        let request = wire.request
        let now = settle(clock)
        lastUsed = wire.mono
        var record = ExchangeRecord(
            seq: journal.takeSeq(), at: now, mono: wire.mono, connection: wire.connection,
            requestOnConnection: wire.requestOnConnection, wireProtocol: wire.line.wireProtocol, method: request.method,
            target: wire.target)
        (record.bodyDigest, record.bodyBytes) = (wire.bodyDigest, request.body.count)
        record.tls = wire.line.tls
        var delivery = answer(request, wire, &record, RuleTime(mono: wire.mono, session: now))
        self.record(&record, request, delivery.sending)
        delivery.durable = commit(record.summary, at: now)
        delivery.endsConnection = endsConnections
        if let end = wire.atOnce, delivery.durable == nil, delivery.isPlain {
            delivery.isRecorded = true
            record.receipt = delivery.receipt(end)
            record.durationMicroseconds = (clock.monotonic() - wire.mono) / 1000
        } else {
            hold(&delivery)
        }
        journal.append(record, dropping: &dropped)
        return delivery
    }

    /// The session's now, with everything done that was due by then.
    mutating func settle(_ clock: MachineClock) -> Instant {
        let now = state.goOn(machine: clock.now())
        if rules.outage != nil, rules.takeDueEvents(at: RuleTime(mono: clock.monotonic(), session: now)) {
            try? state.expireTokens(id: nil, at: now)
        }
        state.settle(at: now)
        return now
    }

    /// Holds an exchange that waits, so that it can be released and ended from outside.
    mutating func hold(_ delivery: inout Delivery) {
        let rules = delivery.sending.waitingRules
        guard !rules.isEmpty else { return }
        if let held = delivery.held {
            self.held.add(held.with(rules), seq: delivery.seq)
        } else {
            let held = HeldExchanges.Held(rules: rules)
            self.held.add(held, seq: delivery.seq)
            delivery.held = held
        }
    }

    /// Writes down how an exchange ended.
    mutating func finish(_ seq: Int, _ receipt: Receipt, status: Int?, mono: Int64) {
        journal.amend(seq) { record in
            record.receipt = receipt
            record.status = status
            record.durationMicroseconds = (mono - record.mono) / 1000
        }
    }
}

extension Sending {
    /// The rules by which something in it waits.
    fileprivate var waitingRules: Set<String> {
        Set(
            steps.compactMap { step in
                switch step {
                case .pause(_, let rule), .hold(let rule), .trickle(_, _, _, let rule): rule
                default: nil
                }
            })
    }
}
