import BankModel

/// The content of contract files as short sentences.
///
/// Written from the file's text and not from what was read of it: an expectation of a kind that is not known here is shown
/// as it is written, and nothing is left out.
enum ContractSentences {
    /// `timeouts: connect_ms 500, total_ms 700`, one text for each member.
    static func members(_ json: JSON) -> [String] { json.object?.members.map { "\($0.key): \(text($0.value))" } ?? [text(json)] }

    static func expectation(_ json: JSON) -> String {
        guard let members = json.object?.members, let first = members.first else { return text(json) }
        let value = first.value
        switch first.key {
        case "step": return step(json)
        case "control":
            let unshown = json["shows"].map { ", and without \(list($0)) not exercised" } ?? ""
            return
                "step \(text(value)) succeeds; otherwise the run is \(json["otherwise"] == nil ? "inconclusive" : "not exercised")\(unshown)"
        case "fired":
            if let step = value["step"] { return "the fault of step \(text(step)) applies; otherwise the run is inconclusive" }
            return "the fault applies at least \(times(value)); otherwise the run is inconclusive"
        case "rejected": return "the bank rejects a token at least \(times(value)); otherwise the run is inconclusive"
        case "never": return "the client never sends \(sent(value["sends"]))\(recipient(value["to"]))\(scope(value))"
        case "requests": return "the bank gets \(range(value))\(scope(value))"
        case "same": return "every attempt of a payment order has the same \(list(value))\(scope(json))"
        case "distinct": return "every payment order has its own \(list(value))\(scope(json))"
        case "ledger": return ledger(value)
        case "disk": return disk(value)
        case "log": return "the driver's stderr contains \(secret(value["lacks"]))"
        case "url": return "no URL contains \(secret(value["lacks"], negated: false))"
        case "order": return "requests arrive in the order \(list(value))"
        case "gap": return gap(value)
        case "authorization": return authorization(value)
        case "key": return "every idempotency key is \(value["format"].map(text) ?? "well-formed")\(scope(value))"
        default: return text(json)
        }
    }

    // MARK: steps

    private static func step(_ json: JSON) -> String {
        let step = "step \(json["step"].map(text) ?? "")"
        let within = json["within"].map { ", within \(text($0))" } ?? ""
        let endings = json["any"]?.array ?? [json]
        return "\(step) ends with \(endings.map(ending).joined(separator: ", or "))\(within)"
    }

    private static func ending(_ json: JSON) -> String {
        if let error = json["error"] { return "error \(text(error))" + (json["detail"].map { " and a detail like \(text($0))" } ?? "") }
        switch json["outcome"]?.string {
        case "error": return "an error"
        case "silent": return "nothing shown"
        default: break
        }
        var parts: [String] = []
        switch json["view"] {
        case .string("expected"): parts.append("the bank's expected view")
        case .string(let text) where text.hasPrefix("as "): parts.append("the view that the step \(text.dropFirst(3)) showed")
        case let view?: parts.append("a view with \(clipped(text(view), to: 400))")
        case nil: break
        }
        if let demand = json["demand"] { parts.append("with \(list(demand))") }
        if let stale = json["stale"]?.bool { parts.append(stale ? "marked as old" : "not marked as old") }
        if let absent = json["absent"] { parts.append("without \(list(absent))") }
        return parts.isEmpty ? (json["outcome"] == nil ? "any outcome" : "ok") : "ok and \(parts.joined(separator: ", "))"
    }

    // MARK: what is sent and kept

    private static func sent(_ json: JSON?) -> String {
        switch json?.string {
        case "$rejected": "the rejected token"
        case "$tokens": "a token"
        case "empty-bearer": "an empty bearer token"
        case "client-secret": "a client secret; clients with a secret are not tested"
        case "used-code": "an authorization code that an earlier request had"
        case "request": "a request"
        default: json.map(text) ?? ""
        }
    }

    private static func recipient(_ json: JSON?) -> String {
        switch json?.string {
        case nil: ""
        case "other-host": " to another host"
        case "clear": " in clear text"
        case let other?: " to \(other)"
        }
    }

    private static func secret(_ json: JSON?, negated: Bool = true) -> String {
        let name =
            switch json?.string {
            case "$rejected": "the rejected token"
            case "$tokens": "token"
            case "$data": "sensitive data that the bank served"
            case "$password": "password"
            case "$id_tokens": "ID token"
            case "$verifier": "code verifier"
            default: json.map(text) ?? ""
            }
        guard negated else {
            if name == "ID token" { return "an \(name)" }
            return ["token", "password", "code verifier"].contains(name) ? "a \(name)" : name
        }
        return name.hasPrefix("the ") ? "nothing of \(name)" : "no \(name)"
    }

    private static func disk(_ json: JSON) -> String {
        let lacks = json["lacks"].map { "the client's files contain \(secret($0))" }
        let mode = json["mode"].map { "files with a token have at most the mode \(text($0))" }
        return [lacks, mode].compactMap(\.self).joined(separator: ", and ") + scope(json)
    }

    private static func authorization(_ json: JSON) -> String {
        func pairs(_ json: JSON) -> String {
            json.object?.members.map { "`\($0.key)` like \(text($0.value))" }.joined(separator: ", ") ?? text(json)
        }
        let each = json["each"].map { "every request for the sign-in page has \(pairs($0))" }
        let own = json["distinct"].map { "every request for the sign-in page has its own \(list($0))" }
        let needs = json["needs"].map { "the client asks for the sign-in page with \(pairs($0)); otherwise the case is not exercised" }
        return [needs, each, own].compactMap(\.self).joined(separator: ", and ")
    }

    // MARK: counts and times

    private static func ledger(_ json: JSON) -> String {
        let counts = json.object?.members.map { "\(text($0.value)) for payment order \($0.key)" } ?? [text(json)]
        return "payments executed by the bank: \(counts.joined(separator: ", ")); none without a payment order"
    }

    private static func gap(_ json: JSON) -> String {
        var parts: [String] = []
        if let least = json["min"] { parts.append("wait at least \(text(least))") }
        if let most = json["max"] { parts.append("wait at most \(text(most))") }
        if json["grows"]?.bool == true { parts.append("wait longer each time") }
        if json["varies"]?.bool == true { parts.append("vary in their wait") }
        return "attempts\(scope(json)) \(parts.joined(separator: ", ")); attempts are optional"
    }

    private static func range(_ json: JSON) -> String {
        let least = json["min"].map(text) ?? "0"
        let most = json["max"].map(text)
        let noun = (most ?? least) == "1" ? "request" : "requests"
        guard let most else { return "at least \(least) \(noun)" }
        if most == "0" { return "no request" }
        return (least == "0" ? "at most \(most)" : least == most ? "exactly \(most)" : "\(least) to \(most)") + " \(noun)"
    }

    private static func times(_ json: JSON) -> String { json.int == 1 ? "once" : "\(text(json)) times" }

    /// ` of role pay, after step 3`
    private static func scope(_ json: JSON) -> String {
        (json["role"].map { " of role \(text($0))" } ?? "") + (json["operation"].map { " of operation \(text($0))" } ?? "")
            + (json.at("after.step").map { " after step \(text($0))" } ?? "")
    }

    // MARK: plain values

    private static func list(_ json: JSON) -> String { json.array?.map(text).joined(separator: ", ") ?? text(json) }

    /// A value without quotes and brackets.
    static func text(_ json: JSON) -> String {
        switch json {
        case .string(let text): text
        case .array(let elements): elements.map(text).joined(separator: ", ")
        case .object(let object): object.members.map { "\($0.key) \(text($0.value))" }.joined(separator: ", ")
        default: json.text
        }
    }
}
