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
            "reply": orNull(reply), "committed": .bool(committed), "replayed": .bool(replayed),
            "fault": fault.map { faults.count > 1 ? $0.json(among: faults) : $0.json } ?? .null,
            // A window that has not ended has no end yet.
            "receipt": durationMicroseconds == nil ? .null : receipt.json,
            "request_headers": headers(requestHeaders), "request_body": .string(String(decoding: requestBody, as: UTF8.self)),
            "reply_headers": headers(replyHeaders), "reply_body": .string(String(decoding: replyBody, as: UTF8.self)),
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
