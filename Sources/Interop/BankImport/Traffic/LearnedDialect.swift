import BankCore
import BankModel

/// The error responses of the bank, as far as they were recorded.
struct LearnedDialect {
    private(set) var responses: [DialectResponseName: LearnedExchange] = [:]

    /// Takes the first response of each kind.
    mutating func add(_ exchange: LearnedExchange) {
        guard let name = LearnedDialect.name(exchange), responses[name] == nil,
            exchange.json?.object != nil || exchange.exchange.responseBody == .bytes([])
        else { return }
        responses[name] = exchange
    }

    /// Whether the bank gives this response by itself: for an unknown address, a rejected token, and errors that come and go.
    func answers(_ exchange: LearnedExchange) -> Bool {
        switch exchange.status {
        // The fault of a SOAP request is the response to it (SOAP 1.1 §6.2).
        case 500 where exchange.contentType?.contains("xml") ?? false: false
        case 401, 403, 408, 429, 500...599: true
        case 404:
            LearnedDialect.name(exchange).flatMap { responses[$0] }.map {
                $0.exchange.responseBody == exchange.exchange.responseBody
            } ?? false
        default: false
        }
    }

    private static func name(_ exchange: LearnedExchange) -> DialectResponseName? {
        let text = (String(decoding: exchange.exchange.responseBody.bytes, as: UTF8.self) + (exchange.header("www-authenticate") ?? ""))
            .lowercased()
        func mentions(_ words: String...) -> Bool { words.contains { text.contains($0) } }
        switch exchange.status {
        case 400:
            return mentions("idempot")
                ? .keyMissing : mentions("cursor") ? .cursorExpired : mentions("insufficient") ? .insufficientFunds : .badRequest
        case 401: return exchange.token == nil ? .noCredentials : mentions("expired") ? .tokenExpired : .tokenRejected
        // RFC 6750 §3.1; some banks send it with 403.
        case 403 where mentions("invalid_token"): return .tokenRejected
        case 402: return .insufficientFunds
        case 403: return mentions("consent") ? .consentExpired : mentions("step", "strong", "sca") ? .stepUp : .scopeRefused
        case 404: return .notFound
        case 409: return exchange.hasKey ? .keyInFlight : nil
        case 422: return mentions("idempot") ? .keyMismatch : mentions("fund", "balance") ? .insufficientFunds : nil
        case 429: return .rateLimited
        case 500: return .internalError
        case 503: return .maintenance
        default: return nil
        }
    }

    /// A response as a dialect writes it.
    static func response(_ exchange: LearnedExchange) -> JSON {
        let headers = ["WWW-Authenticate", "Retry-After", "Cache-Control"].compactMap { name in
            exchange.header(name.lowercased()).map { (key: name, value: JSON.string($0)) }
        }
        return .object(known: [
            "status": .int(exchange.status), "headers": headers.isEmpty ? nil : .object(JSONObject(headers)),
            "content_type": exchange.json == nil ? nil : exchange.contentType.map(JSON.string),
            "body": exchange.json.map(TemplateWords.literal),
        ])
    }

    /// All responses: recorded ones, those of the same status in place of others, and placeholders.
    func all() -> JSON {
        .object(JSONObject(DialectResponseName.allCases.map { (key: $0.rawValue, value: errorResponse($0)) }))
    }

    private func errorResponse(_ name: DialectResponseName) -> JSON {
        if let found = responses[name] { return LearnedDialect.response(found) }
        let like = responses.filter { $0.key.usualStatus == name.usualStatus }.min { $0.value.number < $1.value.number }?.value
        var response = like.flatMap { LearnedDialect.response($0).object } ?? JSONObject([("status", .int(name.usualStatus))])
        if like == nil {
            if [.noCredentials, .tokenRejected, .tokenExpired].contains(name) { response["headers"] = ["WWW-Authenticate": "Bearer"] }
            response["body"] = ["code": .string(name.rawValue), "message": ["detail": .string(name.usualWords)]]
        }
        response["invented"] = true
        return .object(response)
    }
}

/// A response's template: what comes from the request, what is new each time, and all else as it was.
struct ResponseTemplate {
    let write: LearnedExchange
    /// The scalars of the request's body.
    let leaves: [(path: String, value: JSON)]

    func template(_ json: JSON, named name: String = "") -> JSON {
        if let object = json.object {
            if let same = write.requestJSON?[name], same == json { return ["body": .string(name)] }
            return TemplateWords.object(object.compactMapValues { template($1, named: $0) }, of: object)
        }
        guard !json.isContainer, json != .null else { return TemplateWords.literal(json) }
        let lower = name.lowercased()
        if let leaf = leaves.first(where: { $0.value == json && ($0.path == name || $0.path.hasSuffix(".\(name)")) })
            ?? leaves.first(where: { $0.value == json && json.string.map { $0.utf8.count > 3 } ?? false })
        {
            return ["body": .string(leaf.path)]
        }
        if let name = write.path.parameters.first(where: { write.parameters[$0] == json.string }) { return ["path": .string(name)] }
        if lower.hasSuffix("id"), let text = json.string, text.utf8.count >= 6 { return ["uuid": .string(ResponseTemplate.prefix(text))] }
        return ResponseTemplate.time(json, write) ?? json
    }

    /// The response to a payment: its own `id` is new for each payment, however short the recorded one is.
    func payment(_ json: JSON) -> JSON {
        let made = template(json)
        guard case .object(var object) = made, let id = json["id"], let text = id.string, object["id"] == id else { return made }
        object["id"] = ["uuid": .string(ResponseTemplate.prefix(text))]
        return .object(object)
    }

    /// The instant of the request, as the bank writes its clock; nil for any other value.
    static func time(_ json: JSON, _ write: LearnedExchange) -> JSON? {
        guard let text = json.string, write.exchange.started.nanoseconds != 0 else { return nil }
        if let day = CivilDate(text) { return day == write.exchange.started.date ? ["now": "day"] : nil }
        guard let instant = Instant(rfc3339: text),
            (instant - write.exchange.started).nanoseconds.magnitude < Instant.nanosecondsPerDay.magnitude
        else { return nil }
        return ["now": text.contains(".") ? "milliseconds" : "seconds"]
    }

    /// The letters before the first digit that end with a sign, such as `pay-`.
    static func prefix(_ id: String) -> String {
        guard let sign = id.firstIndex(where: { $0 == "-" || $0 == "_" }), id[..<sign].allSatisfy({ $0.isLetter }),
            !id[..<sign].allSatisfy(\.isHexDigit)
        else { return "" }
        return String(id[...sign])
    }
}
