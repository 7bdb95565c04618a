import BankCore
import BankModel

/// Recognises the calls that sign a customer in, renew a token or end it.
struct SignInLearner {
    private(set) var operations: [LearnedOperation] = []
    /// The names of the customers, replaced.
    private(set) var users: [String] = []
    /// The customer of each original token.
    private(set) var owners: [String: String] = [:]
    /// Whether the bank has tokens.
    private(set) var hasTokens: Bool
    private(set) var lifetime = "15m"
    private(set) var hasRefresh = false
    private let notes: Notes
    private var handled: Set<Int> = []

    private static let userNames = ["username", "user", "login", "email", "userid", "customerid", "phone", "clientid"]
    private static let passwordNames = ["password", "passwd", "passcode", "pin", "pwd", "clientsecret", "secret"]

    init(_ exchanges: [LearnedExchange], notes: Notes) {
        self.notes = notes
        hasTokens = exchanges.contains { $0.token != nil }
        let attempts = exchanges.filter { [.login, .refresh, .logout].contains($0.role) && $0.method != "GET" }
        for attempt in attempts { handled.insert(attempt.number) }
        for call in TrafficLearner.groups(attempts, by: { "\($0.call) \($0.role?.rawValue ?? "") \(SignInLearner.grant($0) ?? "")" }) {
            switch call[0].role {
            case .login: login(call)
            case .refresh: refresh(call)
            default: logout(call)
            }
        }
        // Which customer a token is of shows by the order of time.
        var last = users.first
        for exchange in exchanges {
            if exchange.role == .login, exchange.isSuccess { last = exchange.field(SignInLearner.userNames)?.value ?? last }
            if let token = exchange.token, owners[token] == nil { owners[token] = last }
        }
    }

    /// Whether the exchange is one of the calls.
    func handles(_ exchange: LearnedExchange) -> Bool { handled.contains(exchange.number) }

    private static func grant(_ exchange: LearnedExchange) -> String? { exchange.field(["granttype"])?.value }

    // MARK: calls

    private mutating func login(_ call: [LearnedExchange]) {
        let successes = call.filter { $0.isSuccess && $0.json != nil }
        let grant = SignInLearner.grant(call[0])
        if grant == "authorization_code" || grant?.contains("urn:") == true {
            hasTokens = true
            return note(.leftOut, call[0], "a sign-in by `\(grant ?? "")` is not supported; tokens come from `counterfoil tokens issue`")
        }
        guard let first = successes.first, let user = first.field(SignInLearner.userNames), let password = first.field(SignInLearner.passwordNames)
        else {
            return note(.leftOut, call[0], "no successful request has a user's name and a password, so the bank has no such sign-in")
        }
        guard let reply = reply(first) else {
            return note(.leftOut, first, "the response has no token, so the bank has no such sign-in")
        }
        hasTokens = true
        var operation = operation(first, successes)
        operation.name = "signIn"
        operation.role = .login
        if let grant { operation.require(first.isForm ? "form" : "body", "grant_type", .string(grant)) }
        operation.details["open"] = true
        let form = first.isForm ? "form" : "json"
        let part = first.isForm ? "form" : "body"
        operation.details["takes"] = .one(form, [.string(user.name), .string(password.name)])
        operation.details["grant"] = [
            "password": [
                "user": .one(part, .string(user.name)), "password": .one(part, .string(password.name)),
            ]
        ]
        let rejected = call.first { $0.status >= 400 && $0.status < 500 && $0.json != nil }
        operation.details["refuse"] = ["wrong-login": refusal(rejected, "invalid_grant")]
        operation.reply = .template(reply)
        operations.append(operation)
        for success in successes {
            guard let name = success.field(SignInLearner.userNames)?.value, !users.contains(name) else { continue }
            users.append(name)
        }
    }

    private mutating func refresh(_ call: [LearnedExchange]) {
        guard let first = call.first(where: { $0.isSuccess && $0.json != nil }), let token = first.field(["refreshtoken", "token"]),
            let reply = reply(first)
        else { return note(.leftOut, call[0], "no successful request has a refresh token and gets a token, so the bank has no such call") }
        hasRefresh = true
        var operation = operation(first, call.filter(\.isSuccess))
        operation.name = "renew"
        operation.role = .refresh
        if let grant = SignInLearner.grant(first) { operation.require(first.isForm ? "form" : "body", "grant_type", .string(grant)) }
        operation.details["open"] = true
        operation.details["takes"] = .one(first.isForm ? "form" : "json", [.string(token.name)])
        operation.details["grant"] = ["refresh": ["token": .one(first.isForm ? "form" : "body", .string(token.name))]]
        let rejected = call.first { $0.status >= 400 && $0.status < 500 && $0.json != nil }
        operation.details["refuse"] = ["invalid-grant": refusal(rejected, "invalid_grant")]
        operation.reply = .template(reply)
        operations.append(operation)
    }

    private mutating func logout(_ call: [LearnedExchange]) {
        guard let first = call.first(where: \.isSuccess) else { return }
        let token = first.field(["token", "accesstoken", "refreshtoken"])
        guard let token else {
            return note(.leftOut, first, "the call names no token in its body, so the bank does not end tokens")
        }
        var operation = operation(first, call.filter(\.isSuccess))
        operation.name = "signOut"
        operation.role = .logout
        operation.details["open"] = true
        operation.details["takes"] = .one(first.isForm ? "form" : "json", [.string(token.name)])
        operation.details["grant"] = ["revoke": ["token": .one(first.isForm ? "form" : "body", .string(token.name))]]
        operation.reply = first.json.map { .template(LearnedList.asTemplate($0)) } ?? .none
        operations.append(operation)
    }

    // MARK: parts

    private func operation(_ first: LearnedExchange, _ successes: [LearnedExchange]) -> LearnedOperation {
        var operation = LearnedOperation(first, among: successes)
        for name in ["Cache-Control", "Pragma"] {
            if let value = first.header(name.lowercased()) { operation.headers.append((name, value)) }
        }
        return operation
    }

    /// The response with directives for the token and what belongs to it; nil without a token.
    private mutating func reply(_ exchange: LearnedExchange) -> JSON? {
        guard let object = exchange.json?.object else { return nil }
        var isIssued = false
        var lifetime = lifetime
        func template(_ object: JSONObject) -> JSONObject {
            var out = JSONObject()
            for (name, value) in object.members {
                switch ArchiveEntry.plain(name) {
                case "accesstoken", "token", "jwt", "sessiontoken", "bearertoken", "authtoken":
                    if isIssued { continue }
                    isIssued = true
                    out[name] = ["token": "access"]
                case "refreshtoken": out[name] = ["token": "refresh"]
                case "expiresin":
                    if let seconds = value.int, (1...31_536_000).contains(seconds) {
                        lifetime = Duration.seconds(seconds).shortText
                        out[name] = ["token": "lifetime"]
                    } else {
                        out[name] = value
                    }
                default:
                    if value.string == SecretFields.mark {
                        note(.ignored, exchange, "the response's `\(name)` is a secret and is left out")
                    } else {
                        out[name] = value.object.map { .object(template($0)) } ?? LearnedList.asTemplate(value)
                    }
                }
            }
            return out
        }
        let made = template(object)
        self.lifetime = lifetime
        if object.members.contains(where: { ArchiveEntry.plain($0.key) == "refreshtoken" }) { hasRefresh = true }
        return isIssued ? .object(made) : nil
    }

    private func refusal(_ exchange: LearnedExchange?, _ error: String) -> JSON {
        guard let exchange, let json = exchange.json else {
            return ["status": 401, "invented": true, "content_type": "application/json", "body": ["error": .string(error)]]
        }
        return LearnedDialect.reply(exchange.status, exchange, json)
    }

    private func note(_ effect: ImportWarning.Effect, _ exchange: LearnedExchange, _ reason: String) {
        notes.cannot(effect, exchange.located, reason)
    }
}

/// The error responses of the bank, as far as they were recorded.
struct LearnedDialect {
    private(set) var replies: [DialectReplyName: LearnedExchange] = [:]

    /// Takes the first response of each kind.
    mutating func add(_ exchange: LearnedExchange) {
        guard let name = LearnedDialect.name(exchange), replies[name] == nil, exchange.json?.object != nil || exchange.exchange.responseBody == []
        else { return }
        replies[name] = exchange
    }

    /// Whether the bank gives this response by itself: for an unknown address, a rejected token, and errors that come and go.
    func answers(_ exchange: LearnedExchange) -> Bool {
        switch exchange.status {
        case 401, 403, 408, 429, 500...599: true
        case 404:
            LearnedDialect.name(exchange).flatMap { replies[$0] }.map {
                $0.exchange.responseBody == exchange.exchange.responseBody
            } ?? false
        default: false
        }
    }

    private static func name(_ exchange: LearnedExchange) -> DialectReplyName? {
        let text = (String(decoding: exchange.exchange.responseBody ?? [], as: UTF8.self) + (exchange.header("www-authenticate") ?? ""))
            .lowercased()
        func says(_ words: String...) -> Bool { words.contains { text.contains($0) } }
        switch exchange.status {
        case 400: return says("idempot") ? .keyMissing : says("cursor") ? .cursorExpired : .badRequest
        case 401: return exchange.token == nil ? .noCredentials : says("expired") ? .tokenExpired : .tokenRejected
        case 402: return .insufficientFunds
        case 403: return says("consent") ? .consentExpired : says("step", "strong", "sca") ? .stepUp : .scopeRefused
        case 404: return .notFound
        case 409: return exchange.hasKey ? .keyInFlight : nil
        case 422: return says("idempot") ? .keyMismatch : says("fund", "balance") ? .insufficientFunds : nil
        case 429: return .rateLimited
        case 500: return .internalError
        case 503: return .maintenance
        default: return nil
        }
    }

    /// A response as a dialect writes it.
    static func reply(_ status: Int, _ exchange: LearnedExchange, _ json: JSON?) -> JSON {
        var reply = JSONObject([("status", .int(status))])
        let headers = ["WWW-Authenticate", "Retry-After", "Cache-Control"].compactMap { name in
            exchange.header(name.lowercased()).map { (key: name, value: JSON.string($0)) }
        }
        if !headers.isEmpty { reply["headers"] = .object(JSONObject(headers)) }
        if let json {
            reply["content_type"] = exchange.contentType.map(JSON.string)
            reply["body"] = LearnedList.asTemplate(json)
        }
        return .object(reply)
    }

    /// All responses: recorded ones, those of the same status in place of others, and placeholders.
    func all() -> JSON {
        .object(
            JSONObject(
                DialectReplyName.allCases.map { name in
                    if let found = replies[name] { return (key: name.rawValue, value: LearnedDialect.reply(found.status, found, found.json)) }
                    let like = replies.filter { $0.key.usualStatus == name.usualStatus }.min { $0.value.number < $1.value.number }?.value
                    var reply = like.map { LearnedDialect.reply($0.status, $0, $0.json).object ?? JSONObject() } ?? JSONObject()
                    if like == nil {
                        reply["status"] = .int(name.usualStatus)
                        if [.noCredentials, .tokenRejected, .tokenExpired].contains(name) { reply["headers"] = ["WWW-Authenticate": "Bearer"] }
                        reply["body"] = ["code": .string(name.rawValue), "message": ["detail": .string(name.usualWords)]]
                    }
                    reply["invented"] = true
                    return (key: name.rawValue, value: .object(reply))
                }))
    }
}
