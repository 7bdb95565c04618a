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
            "fault": fault.map { faults.count > 1 ? $0.json(among: faults) : $0.json } ?? .null,
            // A window that has not ended has no end yet.
            "receipt": durationMicroseconds == nil ? .null : receipt.json,
            "request_headers": headers(requestHeaders), "request_body": .string(String(decoding: requestBody, as: UTF8.self)),
            "reply_headers": headers(responseHeaders), "reply_body": .string(String(decoding: responseBody, as: UTF8.self)),
        ]
    }
}

extension Receipt {
    fileprivate var json: JSON {
        var object = JSONObject([
            ("head_bytes", .int(headBytes)), ("body_bytes", .int(bodyBytes)), ("raw_bytes", .int(rawBytes)), ("unsent", .int(unsent)),
            ("end", .string(end.rawValue)),
        ])
        if isReset { object["reset"] = true }
        return .object(object)
    }
}

extension FaultRecord {
    fileprivate var json: JSON {
        [
            "rule": .string(rule), "kind": .string(kind), "point": .string(point), "applied": .bool(applied),
            "reason": reason.map(JSON.string) ?? .null,
        ]
    }

    /// Includes all faults of the exchange, if there were several.
    fileprivate func json(among faults: [FaultRecord]) -> JSON {
        var object = json.object ?? JSONObject()
        object["all"] = .array(faults.map(\.json))
        return .object(object)
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
