import BankCore
import BankModel
import Crypto
import Faults

/// One exchange as the ring stores it: shares equal parts with other records, and becomes a ``JournalEntry`` only when read.
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
    var requestHeaders = HeaderList.empty
    var requestBody: [UInt8] = []
    var responseHeaders = HeaderList.empty
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
            headers: requestHeaders.headers, customer: customer, token: token, requestOnConnection: requestOnConnection,
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
            host: requestHeaders.headers.first { $0.name.lowercased() == "host" }?.value, method: method, path: parts.first ?? "",
            query: parts.count > 1 ? parts[1] : nil, operation: operation?.name, roles: operation?.roles.map(\.rawValue) ?? [],
            customer: customer, token: token, key: key, attempt: attempt, bodySHA256: bodyDigest ?? ExchangeRecord.digest(requestBody),
            bodyBytes: bodyBytes, status: status, response: response?.rawValue, committed: committed, replayed: replayed,
            fault: faults.last { $0.applied } ?? faults.first, faults: faults, receipt: receipt, requestHeaders: requestHeaders.headers,
            requestBody: requestBody, responseHeaders: responseHeaders.headers,
            responseBody: Array(responseBody.prefix(JournalEntry.storedBodyBytes)))
    }
}

extension JournalEntry {
    /// Whether the journal has the request's body as it was sent: no byte was cut off or redacted.
    package var hasWholeBody: Bool { bodySHA256 == ExchangeRecord.digest(requestBody) }
}

/// The matched operation in records; one instance for each operation, shared.
final class OperationFacts: Sendable {
    let name: String
    let roles: [Role]

    init(name: String, roles: [Role]) {
        self.name = name
        self.roles = roles
    }
}

/// Header lines that several journal records share.
final class HeaderList: Sendable {
    let headers: [JournalEntry.Header]
    /// Its approximate size in bytes; 0 for an empty list, which all share.
    let cost: Int

    init(_ headers: [JournalEntry.Header]) {
        self.headers = headers
        cost = headers.reduce(headers.isEmpty ? 0 : 64) { $0 + 64 + $1.name.utf8.count + $1.value.utf8.count }
    }

    static let empty = HeaderList([])
}
