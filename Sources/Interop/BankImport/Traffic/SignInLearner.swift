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
    private let notes: ImportNotes

    static let userNames = [
        "username", "user", "login", "loginid", "userlogin", "email", "userid", "customerid", "customernumber", "phone", "clientid",
    ]
    static let passwordNames = ["password", "passwd", "passcode", "pin", "pwd", "clientsecret", "secret"]

    init(_ exchanges: [LearnedExchange], notes: ImportNotes) {
        self.notes = notes
        hasTokens = exchanges.contains { $0.token != nil }
        for call in TrafficLearner.groups(
            exchanges.filter(\.isSignIn), by: { "\($0.call) \($0.role?.rawValue ?? "") \(SignInLearner.grant($0) ?? "")" })
        {
            switch call[0].role {
            case .login: login(call)
            case .refresh: refresh(call)
            default: logout(call)
            }
        }
        if users.isEmpty { tellApart(exchanges) }
        // Which customer a token is of shows by the order of time.
        var last = users.first
        for exchange in exchanges {
            if exchange.role == .login, exchange.isSuccess { last = exchange.field(SignInLearner.userNames)?.value ?? last }
            if let token = exchange.token, owners[token] == nil { owners[token] = last }
        }
    }

    /// Finds the customers of tokens whose sign-in was not recorded: a token is another customer's if the same request lists rows with other
    /// keys, and no request lists one that a known customer sees.
    private mutating func tellApart(_ exchanges: [LearnedExchange]) {
        // By customer, the keys that each request lists.
        var seen: [[String: Set<String>]] = []
        let reads = exchanges.filter { $0.token != nil && $0.isSuccess && $0.method == "GET" }
        for own in TrafficLearner.groups(reads, by: { $0.token ?? "" }) {
            let keys = Dictionary(own.map { ($0.address, LearnedList.keys($0)) }) { $0.union($1) }.filter { !$1.isEmpty }
            func shares(_ other: [String: Set<String>]) -> [Bool] {
                keys.compactMap { address, keys in other[address].map { !keys.isDisjoint(with: $0) } }
            }
            var position = seen.firstIndex { shares($0).contains(true) }
            if position == nil, seen.isEmpty || seen.contains(where: { shares($0).contains(false) }) {
                position = seen.count
                seen.append([:])
                users.append("customer" + (seen.count == 1 ? "" : String(seen.count)))
            }
            seen[position ?? 0].merge(keys) { $0.union($1) }
            if let token = own[0].token { owners[token] = users[position ?? 0] }
        }
    }

    private static func grant(_ exchange: LearnedExchange) -> String? { exchange.field(["granttype"])?.value }

    // MARK: calls

    private mutating func login(_ call: [LearnedExchange]) {
        let successes = call.filter { $0.isSuccess && $0.json != nil }
        let grant = SignInLearner.grant(call[0])
        if grant == "authorization_code" || grant?.contains("urn:") == true {
            hasTokens = true
            let page = grant == "authorization_code" ? "; docs/sign-in.md describes how to add the bank's page" : ""
            let text = "a sign-in by `\(grant ?? "")` is not supported; tokens come from `counterfoil tokens issue`\(page)"
            return note(.leftOut, call[0], text)
        }
        guard !successes.isEmpty else {
            return note(.leftOut, call[0], "no response is JSON with a success status, so the bank has no such sign-in")
        }
        guard let first = successes.first, let user = first.field(SignInLearner.userNames),
            let password = first.field(SignInLearner.passwordNames)
        else {
            return note(.leftOut, call[0], "no successful request has a user's name and a password, so the bank has no such sign-in")
        }
        guard let response = response(first) else {
            return note(.leftOut, first, "the response has no token, so the bank has no such sign-in")
        }
        hasTokens = true
        let part = first.isForm ? "form" : "body"
        add(
            "signIn", .login, first, successes, takes: [user.name, password.name],
            grant: ["password": ["user": [part: .string(user.name)], "password": [part: .string(password.name)]]],
            refuse: ["wrong-login": errorResponse(call)], .template(response))
        for success in successes {
            guard let name = success.field(SignInLearner.userNames)?.value, !users.contains(name) else { continue }
            users.append(name)
        }
    }

    private mutating func refresh(_ call: [LearnedExchange]) {
        guard let first = call.first(where: { $0.isSuccess && $0.json != nil }), let token = first.field(["refreshtoken", "token"]),
            let response = response(first)
        else { return note(.leftOut, call[0], "no successful request has a refresh token and gets a token, so the bank has no such call") }
        hasRefresh = true
        add(
            "renew", .refresh, first, call.filter(\.isSuccess), takes: [token.name],
            grant: ["refresh": ["token": [first.isForm ? "form" : "body": .string(token.name)]]],
            refuse: ["invalid-grant": errorResponse(call)], .template(response))
    }

    private mutating func logout(_ call: [LearnedExchange]) {
        guard let first = call.first(where: \.isSuccess) else { return }
        let token = first.field(["token", "accesstoken", "refreshtoken"])
        guard let token else { return note(.leftOut, first, "the call names no token in its body, so the bank does not end tokens") }
        add(
            "signOut", .logout, first, call.filter(\.isSuccess), takes: [token.name],
            grant: ["revoke": ["token": [first.isForm ? "form" : "body": .string(token.name)]]],
            first.json.map { .template(TemplateWords.literal($0)) } ?? .none)
    }

    // MARK: parts

    private mutating func add(
        _ name: String, _ role: Role, _ first: LearnedExchange, _ successes: [LearnedExchange], takes fields: [String], grant: JSON,
        refuse: JSON? = nil, _ response: LearnedOperation.Response
    ) {
        var operation = LearnedOperation(first, among: successes)
        operation.name = name
        operation.role = role
        for header in ["Cache-Control", "Pragma"] {
            if let value = first.header(header.lowercased()) { operation.headers.append((header, value)) }
        }
        if let type = SignInLearner.grant(first) { operation.when[first.isForm ? "form" : "body", "grant_type"] = .string(type) }
        operation.details["open"] = true
        operation.details["takes"] = [first.isForm ? "form" : "json": .array(fields.map(JSON.string))]
        operation.details["grant"] = grant
        operation.details["refuse"] = refuse
        operation.response = response
        operations.append(operation)
    }

    /// The response with directives for the token and what belongs to it; nil without a token.
    private mutating func response(_ exchange: LearnedExchange) -> JSON? {
        guard let object = exchange.json?.object else { return nil }
        var (isIssued, isRenewable) = (false, false)
        var lifetime = lifetime
        func template(_ object: JSONObject) -> JSON {
            var out = JSONObject()
            for (name, value) in object.members {
                switch RecordedExchange.plain(name) {
                case "accesstoken", "token", "jwt", "sessiontoken", "bearertoken", "authtoken":
                    if isIssued { continue }
                    isIssued = true
                    out[name] = ["token": "access"]
                case "refreshtoken":
                    isRenewable = true
                    out[name] = ["token": "refresh"]
                case "expiresin":
                    if let seconds = value.int ?? value.string.flatMap({ Int64($0) }), (1...31_536_000).contains(seconds) {
                        lifetime = Duration.seconds(seconds).shortText
                        let number: JSON = ["token": "lifetime"]
                        out[name] = value.string == nil ? number : ["joined": [number]]
                    } else {
                        out[name] = value
                    }
                default:
                    if value.string == SecretFields.mark {
                        note(.ignored, exchange, "the response's `\(name)` is a secret and is left out")
                    } else {
                        out[name] = value.object.map { template($0) } ?? TemplateWords.literal(value)
                    }
                }
            }
            return TemplateWords.object(out, of: JSONObject(object.members.filter { $0.value.string != SecretFields.mark }))
        }
        let made = template(object)
        self.lifetime = lifetime
        if isRenewable { hasRefresh = true }
        return isIssued ? made : nil
    }

    /// The first rejection among the attempts, or an invented one.
    private func errorResponse(_ call: [LearnedExchange]) -> JSON {
        guard let rejected = call.first(where: { $0.status >= 400 && $0.status < 500 && $0.json != nil }) else {
            return ["status": 401, "invented": true, "content_type": "application/json", "body": ["error": "invalid_grant"]]
        }
        return LearnedDialect.response(rejected)
    }

    private func note(_ effect: ImportWarning.Effect, _ exchange: LearnedExchange, _ reason: String) {
        notes.warn(effect, exchange.located, reason)
    }
}
