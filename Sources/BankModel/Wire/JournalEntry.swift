/// One exchange as stored in the journal. It contains no secrets: a token's text is replaced by its id.
package struct JournalEntry: Sendable, Hashable {
    /// The number of bytes of a body that the journal stores at most.
    package static let storedBodyBytes = 8 * 1024

    /// Counts the session's exchanges from 1.
    package var seq: Int
    /// The instant at which the request's head was read, by the session's clock.
    package var at: Instant
    /// The instant at which the request's head was read, by the machine's monotonic clock, in nanoseconds.
    package var monoNanoseconds: Int64
    /// From the head to the response's last byte (or its end by a fault), in microseconds; nil while in progress.
    package var durationMicroseconds: Int64?
    /// Numbered per session from 1.
    package var connection: Int
    /// From 1; 1 means the connection was cold.
    package var requestOnConnection: Int
    package var wireProtocol: WireProtocol
    /// The TLS version, such as `TLSv1.3`.
    package var tls: String?
    package var host: String?
    package var method: String?
    /// As sent, percent-encoded, without the session's prefix.
    package var path: String
    package var query: String?
    /// The operation's name; nil if the request matched none.
    package var operation: String?
    package var roles: [String]
    package var customer: String?
    /// The token that the request presented: an id such as `token#1`, `unknown`, `empty`; nil if none.
    package var token: String?
    /// The idempotency key, unquoted.
    package var key: String?
    /// The number of this attempt of its intent, as far as the bank can recognise it, from 1.
    package var attempt: Int?
    /// Lower-case hexadecimal.
    package var bodySHA256: String
    package var bodyBytes: Int
    /// Nil if no status was sent.
    package var status: Int?
    /// The name of the dialect's response (`token-rejected`), by state or by fault; nil for any other response.
    package var response: String?
    /// True if the operation's effect is in the session's state.
    package var committed: Bool
    /// True if the response was stored under the key before.
    package var replayed: Bool
    /// The fault that decided the exchange: the last that was applied, else the first that could not be.
    package var fault: FaultRecord?
    /// All faults of the exchange, in the order of their points.
    package var faults: [FaultRecord]
    package var receipt: Receipt
    package var requestHeaders: [Header]
    /// At most 8 KiB.
    package var requestBody: [UInt8]
    package var responseHeaders: [Header]
    /// At most 8 KiB.
    package var responseBody: [UInt8]

    /// Whether the request's body did not come whole. No rule was applied to it, and nothing was executed.
    package var isIncomplete: Bool { receipt.end == .incomplete }

    package struct Header: Sendable, Hashable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Creates an entry; the defaults are those of a request that matched nothing.
    package init(
        seq: Int, at: Instant = Instant(seconds: 0), monoNanoseconds: Int64 = 0, durationMicroseconds: Int64? = nil,
        connection: Int = 1, requestOnConnection: Int = 1, wireProtocol: WireProtocol = .h1, tls: String? = nil,
        host: String? = nil, method: String? = "GET", path: String = "/", query: String? = nil, operation: String? = nil,
        roles: [String] = [], customer: String? = nil, token: String? = nil, key: String? = nil, attempt: Int? = nil,
        bodySHA256: String = "", bodyBytes: Int = 0, status: Int? = 200, response: String? = nil, committed: Bool = false,
        replayed: Bool = false, fault: FaultRecord? = nil, faults: [FaultRecord]? = nil,
        receipt: Receipt = Receipt(end: .kept),
        requestHeaders: [Header] = [], requestBody: [UInt8] = [], responseHeaders: [Header] = [], responseBody: [UInt8] = []
    ) {
        self.seq = seq
        self.at = at
        self.monoNanoseconds = monoNanoseconds
        self.durationMicroseconds = durationMicroseconds
        self.connection = connection
        self.requestOnConnection = requestOnConnection
        self.wireProtocol = wireProtocol
        self.tls = tls
        self.host = host
        self.method = method
        self.path = path
        self.query = query
        self.operation = operation
        self.roles = roles
        self.customer = customer
        self.token = token
        self.key = key
        self.attempt = attempt
        self.bodySHA256 = bodySHA256
        self.bodyBytes = bodyBytes
        self.status = status
        self.response = response
        self.committed = committed
        self.replayed = replayed
        self.fault = fault
        self.faults = faults ?? [fault].compactMap(\.self)
        self.receipt = receipt
        self.requestHeaders = requestHeaders
        self.requestBody = requestBody
        self.responseHeaders = responseHeaders
        self.responseBody = responseBody
    }
}

extension [JournalEntry.Header] {
    /// The value of the first header of that name, whatever its case; nil without one.
    package func value(of name: String) -> String? { first { $0.name.isHeaderName(name) }?.value }
}

extension JournalEntry {
    /// The request's position in a distributed trace, by its `traceparent` header (W3C Trace Context §3.2); nil without a valid one.
    package var traceparent: String? {
        let values = requestHeaders.filter { $0.name.isHeaderName("traceparent") }.map(\.value)
        guard values.count == 1, let value = values.first, JournalEntry.isTraceparent(value) else { return nil }
        return value
    }

    /// Whether the text is version, trace id, parent id and flags in small hexadecimal digits. A later version may have more behind them.
    private static func isTraceparent(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, zip(parts, [2, 32, 16, 2]).allSatisfy({ isHexadecimal($0, count: $1) }) else { return false }
        let isNamed = [parts[1], parts[2]].allSatisfy { id in id.contains { $0 != "0" } }
        return isNamed && parts[0] != "ff" && (parts[0] != "00" || parts.count == 4)
    }

    private static func isHexadecimal(_ text: Substring, count: Int) -> Bool {
        text.utf8.count == count && text.utf8.allSatisfy { $0.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
    }
}

extension JournalEntry {
    /// The header's value where a request has a bearer's scheme and no token: `Bearer`, or `Bearer null`; nil for any other request.
    package var emptyBearer: String? {
        if token == "empty" { return "Bearer" }
        guard token == "unknown" else { return nil }
        return requestHeaders.first { $0.name.isHeaderName("authorization") && JournalEntry.isWordForNothing($0.value) }?.value
    }

    /// Whether an `Authorization` header has a word for a missing value in place of the token: not a secret, as no bank issues it.
    package static func isWordForNothing(_ authorization: String) -> Bool {
        guard authorization.prefix(7).lowercased() == "bearer " else { return false }
        return wordsForNothing.contains(authorization.dropFirst(7).lowercased())
    }

    private static let wordsForNothing: Set<String> = [
        "none", "null", "(null)", "undefined", "nil", "optional(nil)", "nan", "[object object]", "[object promise]",
    ]
}

extension JournalEntry {
    /// The entry as the admin API shows it.
    package var json: JSON {
        guard let traceparent, var object = fields.object else { return fields }
        object["traceparent"] = .string(traceparent)
        return .object(object)
    }

    /// The members that every entry has.
    private var fields: JSON {
        func orNull(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }
        func orNull(_ number: Int?) -> JSON { number.map { JSON.int($0) } ?? .null }
        func headers(_ list: [Header]) -> JSON { .array(list.map { [.string($0.name), .string($0.value)] }) }
        return [
            "seq": .int(seq), "at": .string(at.rfc3339(.milliseconds)), "mono_ns": .int(monoNanoseconds),
            "duration_us": durationMicroseconds.map { JSON.int($0) } ?? .null, "connection": .int(connection),
            "request_on_connection": .int(requestOnConnection), "protocol": .string(wireProtocol.rawValue),
            "tls": orNull(tls), "host": orNull(host), "method": orNull(method), "path": .string(path),
            "query": orNull(query), "operation": orNull(operation), "roles": .array(roles.map(JSON.string)),
            "customer": orNull(customer), "token": orNull(token), "key": orNull(key), "attempt": orNull(attempt),
            "body_sha256": .string(bodySHA256), "body_bytes": .int(bodyBytes), "status": orNull(status),
            "reply": orNull(response), "committed": .bool(committed), "replayed": .bool(replayed),
            "fault": fault.map { $0.json(among: faults) } ?? .null,
            // A window that has not ended has no end yet.
            "receipt": durationMicroseconds == nil ? .null : receipt.json,
            "request_headers": headers(requestHeaders), "request_body": .string(String(decoding: requestBody, as: UTF8.self)),
            "reply_headers": headers(responseHeaders), "reply_body": .string(String(decoding: responseBody, as: UTF8.self)),
        ]
    }
}

extension Receipt {
    fileprivate var json: JSON {
        .object(known: [
            "head_bytes": .int(headBytes), "body_bytes": .int(bodyBytes), "raw_bytes": .int(rawBytes), "unsent": .int(unsent),
            "end": .string(end.rawValue), "reset": isReset ? true : nil,
        ])
    }
}

extension FaultRecord {
    /// Includes all faults of the exchange, if there were several.
    fileprivate func json(among faults: [FaultRecord] = []) -> JSON {
        let why: JSON = reason.map(JSON.string) ?? .null
        return .object(known: [
            "rule": .string(rule), "kind": .string(kind), "point": .string(point), "applied": .bool(applied), "reason": why,
            "all": faults.count > 1 ? .array(faults.map { $0.json() }) : nil,
        ])
    }
}

extension JournalEntry {
    /// What the client asked and how it ended, from ``json``: the parts that describe a client's behaviour. Nil if the JSON is not an entry.
    package init?(json: JSON) {
        guard let seq = json["seq"]?.int, let path = json["path"]?.string, let at = json["at"]?.string.flatMap({ Instant(rfc3339: $0) })
        else { return nil }
        func pairs(_ member: String) -> [Header] {
            (json[member]?.array ?? []).compactMap { pair in
                guard let pair = pair.array, pair.count == 2, let name = pair[0].string, let value = pair[1].string else { return nil }
                return Header(name, value)
            }
        }
        func int(_ member: String) -> Int? { json[member]?.int.map { Int(clamping: $0) } }
        self.init(
            seq: Int(clamping: seq), at: at, host: json["host"]?.string, method: json["method"]?.string, path: path,
            query: json["query"]?.string, operation: json["operation"]?.string, roles: (json["roles"]?.array ?? []).compactMap(\.string),
            customer: json["customer"]?.string, token: json["token"]?.string, key: json["key"]?.string, attempt: int("attempt"),
            bodySHA256: json["body_sha256"]?.string ?? "", bodyBytes: int("body_bytes") ?? 0, status: int("status"),
            response: json["reply"]?.string,
            receipt: Receipt(end: json["receipt"]?["end"]?.string.flatMap(Receipt.End.init) ?? .held),
            requestHeaders: pairs("request_headers"),
            requestBody: Array((json["request_body"]?.string ?? "").utf8), responseHeaders: pairs("reply_headers"),
            responseBody: Array((json["reply_body"]?.string ?? "").utf8))
    }
}
