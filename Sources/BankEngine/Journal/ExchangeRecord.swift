import BankCore
import BankModel
import Crypto
import Faults

/// One exchange as the ring stores it; it becomes a ``JournalEntry`` only when read.
/// Secrets are already redacted.
struct ExchangeRecord {
    let seq: Int
    let at: Instant
    let mono: Int64
    var durationMicroseconds: Int64?
    let connection: Int
    let requestOnConnection: Int
    let wireProtocol: WireProtocol
    var method: String?
    /// As sent, without the session's prefix, query included.
    var target: String
    var operation: OperationFacts?
    var customer: String?
    var token: String?
    var key: String?
    var attempt: Int?
    /// Nil if the body is stored unchanged: its digest is computed when read.
    var bodyDigest: String?
    var bodyBytes = 0
    var status: Int?
    var response: DialectResponseName?
    var committed = false
    var replayed = false
    /// The effects of rules, applied or not, in the order of the points.
    var faults: [FaultRecord] = []
    /// The TLS version, such as `TLSv1.3`; nil in clear text.
    var tls: String?
    var receipt = Receipt(end: .held)
    var requestHeaders: [JournalEntry.Header] = []
    var requestBody: [UInt8] = []
    var responseHeaders: [JournalEntry.Header] = []
    /// The beginning of the body; shares its bytes with the response.
    var responseBody: [UInt8] = []
    /// The exchange with a real bank as it passed, with its secrets; nil unless the session keeps them.
    var messages: PassedExchange.Messages?
    /// Its size in the journal's budget, in bytes.
    var cost = ExchangeRecord.baseCost

    static let baseCost = 480

    /// Whether it has not ended, and no fault delays or holds it.
    var isUnderWay: Bool { durationMicroseconds == nil && !faults.contains(where: \.applied) }

    /// The request as rules see it, as far as it is recorded.
    var facts: ExchangeFacts {
        ExchangeFacts(
            roles: operation?.roles ?? [], operation: operation?.name, method: method ?? "", path: String(target.prefix { $0 != "?" }),
            headers: requestHeaders, customer: customer, token: token, requestOnConnection: requestOnConnection,
            wireProtocol: wireProtocol, attempt: attempt ?? 1)
    }

    /// A body's SHA-256 in hexadecimal digits.
    static func digest(_ body: [UInt8]) -> String { hexadecimal(Array(SHA256.hash(data: body))) }
}

extension ExchangeRecord {
    /// Creates the record of a request.
    init(_ wire: WireRequest, _ tracked: BankSession.Connections.TrackedConnection, seq: Int, at now: Instant) {
        self.init(
            seq: seq, at: now, mono: wire.mono, connection: tracked.number, requestOnConnection: tracked.requests,
            wireProtocol: wire.line.wireProtocol, method: wire.request.method, target: wire.target)
        bodyDigest = wire.bodyDigest
        bodyBytes = wire.request.body.count
        tls = wire.line.tls
    }

    /// Creates a record that names no request, such as that of a refused connection.
    init(withoutRequest seq: Int, at now: Instant, mono: Int64 = 0, connection: Int = 0, wireProtocol: WireProtocol = .h1) {
        self.init(
            seq: seq, at: now, mono: mono, connection: connection, requestOnConnection: 0, wireProtocol: wireProtocol, method: nil,
            target: "")
    }

    var entry: JournalEntry {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return JournalEntry(
            seq: seq, at: at, monoNanoseconds: mono, durationMicroseconds: durationMicroseconds, connection: connection,
            requestOnConnection: requestOnConnection, wireProtocol: wireProtocol, tls: tls,
            host: requestHeaders.value(of: "host"), method: method, path: parts.first ?? "",
            query: parts.count > 1 ? parts[1] : nil, operation: operation?.name, roles: operation?.roles.map(\.rawValue) ?? [],
            customer: customer, token: token, key: key, attempt: attempt, bodySHA256: bodyDigest ?? ExchangeRecord.digest(requestBody),
            bodyBytes: bodyBytes, status: status, response: response?.rawValue, committed: committed, replayed: replayed,
            fault: faults.last { $0.applied } ?? faults.first, faults: faults, receipt: receipt, requestHeaders: requestHeaders,
            requestBody: requestBody, responseHeaders: responseHeaders,
            responseBody: Array(responseBody.prefix(JournalEntry.storedBodyBytes)))
    }
}

extension JournalEntry {
    /// Whether the journal has the request's body as it was sent: no byte was cut off or redacted.
    package var hasWholeBody: Bool { bodySHA256 == ExchangeRecord.digest(requestBody) }
}

/// The matched operation in records.
struct OperationFacts: Sendable {
    let name: String
    let roles: [Role]
}

extension ExchangeRecord {
    /// The request in a few words, for the state file: no secrets.
    var summary: String { "\(operation?.name ?? "no operation")\(customer.map { " of \($0)" } ?? "")\(key.map { " under \($0)" } ?? "")" }
}

extension BankSession.LockedState {
    /// Fills in what the record keeps of request and response, secrets taken out.
    ///
    /// - Parameter outgoing: nil if the session does not respond.
    mutating func record(_ record: inout ExchangeRecord, _ request: BankRequest, _ outgoing: OutgoingResponse? = nil) {
        let redaction = Redaction(state, presented: record.token)
        let target = record.target
        record.target = redaction.target(record.target)
        record.key = record.key.map(redaction.text)
        record.requestHeaders = request.headers.map(redaction.header)
        // The names of a real bank's secrets are unknown.
        record.requestBody = upstream == nil ? redaction.body(request.body.kept, of: .request) : []
        if record.bodyDigest == nil, record.requestBody != request.body { record.bodyDigest = ExchangeRecord.digest(request.body) }
        record.cost += record.requestHeaders.journalCost + record.requestBody.count
        if keepsMessages {
            record.messages = .init(target: target, requestHeaders: request.headers, requestBody: request.body)
            record.cost += request.headers.journalCost + request.body.count
        }
        if let outgoing { self.record(response: outgoing, &record, redaction) }
    }

    /// Fills in what the record keeps of the response, in place of an earlier one.
    mutating func record(response outgoing: OutgoingResponse, _ record: inout ExchangeRecord) {
        self.record(response: outgoing, &record, Redaction(state))
    }

    private mutating func record(response outgoing: OutgoingResponse, _ record: inout ExchangeRecord, _ redaction: Redaction) {
        guard outgoing.reaches(.head) || outgoing.steps.contains(.halfHead) else { return }
        record.status = outgoing.status
        record.cost -= record.responseHeaders.journalCost + record.responseBody.count
        record.responseHeaders = outgoing.headers.kept.map(redaction.header)
        if upstream == nil { record.responseBody = redaction.body(outgoing.shownBody.kept, of: .response) }
        record.cost += record.responseHeaders.journalCost + record.responseBody.count
        guard record.messages != nil else { return }
        record.messages?.responseHeaders = outgoing.headers
        record.messages?.responseBody = outgoing.steps.contains(.restOfBody) ? nil : outgoing.mayHaveBody ? outgoing.shownBody : []
        record.cost += outgoing.headers.journalCost + (record.messages?.responseBody?.count ?? 0)
    }

    /// The `Date` header for an instant of the session's clock.
    func dateText(_ now: Instant) -> String { (now + state.clock.skew).httpDate }

    /// A request's id: from the session's seed and the exchange's number.
    func requestID(_ seq: Int) -> String {
        "req-" + hexadecimal(SeededGenerator.hash(state.seed, UInt64(state.epoch), UInt64(seq)))
    }
}

extension [JournalEntry.Header] {
    /// Their approximate size in the journal, in bytes.
    fileprivate var journalCost: Int { reduce(isEmpty ? 0 : 64) { $0 + 64 + $1.name.utf8.count + $1.value.utf8.count } }

    /// As much of a response's headers as the journal keeps: a huge head is not a reason for a huge journal.
    fileprivate var kept: [JournalEntry.Header] {
        let mostOfValue = 1024
        var room = 8 * 1024
        return map { header in
            let short = header.shortened(to: Swift.min(mostOfValue, Swift.max(0, room)))
            room -= short.value.utf8.count
            return short
        }
    }
}

extension [UInt8] {
    /// As much of a body as the journal keeps.
    var kept: [UInt8] { count <= JournalEntry.storedBodyBytes ? self : Array(prefix(JournalEntry.storedBodyBytes)) }
}

extension JournalEntry.Header {
    /// The header with its value cut to at most `bytes` bytes.
    fileprivate func shortened(to bytes: Int) -> JournalEntry.Header {
        guard value.utf8.count > bytes else { return self }
        return JournalEntry.Header(name, String(decoding: value.utf8.prefix(Swift.max(0, bytes)), as: UTF8.self) + "…")
    }
}

extension ExchangeRecord {
    /// Records the outcome of a response.
    mutating func note(_ response: BankResponse) {
        committed = response.committed
        replayed = response.replayed
        self.response = response.name
    }

    /// Appends a rule's effect, applied or not; nil adds nothing.
    mutating func note(_ fault: FaultRecord?) {
        if let fault { faults.append(fault) }
    }
}
