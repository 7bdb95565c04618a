import BankCore
import BankModel

/// The keys of `challenges`.
enum ChallengeKeys {
    private static let usual = ChallengePolicy()

    static let kind = Field(
        "kind", .choice(of: ChallengeKind.self), default: usual.kind,
        "how a challenge is answered: by a code, in another app, or on the sign-in page")
    static let isOn = Field(
        "on", .bool, default: usual.isOn,
        "whether every session has challenges; by default only sessions that are created with `challenges` in the admin API")
    static let code = Field("code", .text("a code"), default: usual.code, "the correct code of every `otp` challenge")
    static let attempts = Field("attempts", .int(in: 1...100), default: usual.attempts, "the number of wrong codes that lock a challenge")
    static let lifetime = Field("lifetime", .duration, default: usual.lifetime, "the time after which a challenge expires")
    static let interval = Field(
        "interval", .duration, default: usual.interval,
        "the time that a client should wait between two requests for the state of a challenge without a code")
    static let approvesAfter = Field(
        "approves_after", .duration,
        "the time after which a `decoupled` challenge is approved automatically; without it, a request or a command must approve the "
            + "challenge"
    )
    static let words = Field("words", .node(.object(statesSchema)), "the bank's words for the states; by default these names")

    private static let statesSchema = ObjectSchema(
        "states of a challenge", "The bank's word for each state of a challenge.",
        fields: Challenge.Stage.allCases.map { Field($0.rawValue, Format<Node>.node(.any), $0.help) })

    static let schema = ObjectSchema(
        "challenges", "How customers confirm requests by a second factor (strong customer authentication).",
        fields: [kind, isOn, code, attempts, lifetime, interval, approvesAfter, words],
        example: "{kind: decoupled, interval: 2s, approves_after: 10s}")

    static func policy(_ node: Node, _ complaints: Complaints) -> ChallengePolicy {
        let fields = Fields(node, of: schema, complaints)
        var policy = usual
        policy.kind = fields[kind] ?? usual.kind
        policy.isOn = fields[isOn] ?? usual.isOn
        policy.code = fields[code] ?? usual.code
        policy.attempts = fields[attempts] ?? usual.attempts
        policy.lifetime = fields[lifetime] ?? usual.lifetime
        policy.interval = fields[interval] ?? usual.interval
        policy.approvesAfter = fields[approvesAfter]
        if let states = fields[words] {
            let named = Fields(states, of: statesSchema.what, complaints).all
            for (_, keyNode, value) in named {
                if let stage = keyNode.choice(of: Challenge.Stage.self, complaints) { policy.words[stage] = value.json }
            }
        }
        if let instant = policy.approvesAfter, instant >= policy.lifetime, let node = fields.node(of: approvesAfter) {
            complaints.add(
                found: node.kindName, expected: "less than `lifetime`, which is \(policy.lifetime.shortText)", at: node.position)
        }
        fields.finish()
        return policy
    }
}

/// The keys of `fresh` in an operation.
enum FreshKeys {
    static let within = Field(required: "within", .duration, "the maximum age of the sign-in; a refresh does not count as a sign-in")
    static let rows = Field(required: "for", .node(.object(rowsSchema)), "the requests that need a recent sign-in")
    static let schema = ObjectSchema(
        "fresh", "Requires a recent sign-in: after that time a query for old rows is rejected with `step-up`. The token stays valid.",
        fields: [within, rows],
        example: "{within: 5m, for: {query: since, older: 90d}}")

    static let query = Field(required: "query", .text("a query field's name"), "the field with the instant")
    static let older = Field(required: "older", .duration, "the age from which rows count as old")
    static let rowsSchema = ObjectSchema("for", "Requests for old rows.", fields: [query, older])

    static func freshness(_ within: Duration?, _ rows: Node?, _ complaints: Complaints) -> Operation.Freshness? {
        let fields = rows.map { Fields($0, of: rowsSchema, complaints) }
        let (query, older) = (fields?[query], fields?[older])
        fields?.finish()
        guard let within, let query, let older else { return nil }
        return Operation.Freshness(within: within, query: query, older: older)
    }
}

/// The keys of `step_up` in an operation.
enum StepUpKeys {
    static let over = Field("over", .int(in: 0...Int.max), "payments of more than this, in minor units of their currency")
    static let within = Field("within", .duration, "with `for`: the time after a sign-in, or after the last confirmation")
    static let rows = Field("for", .node(.object(FreshKeys.rowsSchema)), "reads of old rows")
    private static let mapping = ObjectSchema(
        "step_up", "The requests that the customer must confirm.", fields: [over, within, rows],
        rules: [.exactlyOne([["over"], ["within", "for"]])], example: "{over: 10000}")
    static let schema = Schema.anyOf([.words(["always"]), .object(mapping)])

    static func stepUp(_ node: Node, _ complaints: Complaints) -> Operation.StepUp? {
        guard case .mapping = node.content else {
            return node.scalar == "always" ? .always : node.wrong(complaints, "`always`, {over: …} or {within: …, for: …}")
        }
        let fields = Fields(node, of: mapping, complaints)
        defer { fields.finish() }
        let (units, within, rows) = (fields[over], fields[within], fields[rows])
        if let units { return .over(Int64(units)) }
        guard let within, let rows else { return node.wrong(complaints, "`over`, or `within` with `for`") }
        return FreshKeys.freshness(within, rows, complaints).map { .reads($0) }
    }
}

extension OperationKeys {
    static let decoupled = Field(
        "decoupled", .source,
        "the login of the customer who approves or denies the inserted consent in another app; by default they do so on the sign-in page")
}

/// The keys of `challenge` in an operation.
enum ChallengeCallKeys {
    static let id = Field("id", .source, "the location of the challenge's id; without it `{challenge: ids}` lists those of `consent`")
    static let code = Field("code", .source, "the location of the code; without it the challenge is only shown")
    static let consent = Field(
        "consent", .oneRow, "the consent that it is about, by its table and key; without it, the challenge must be the token's customer's")
    static let schema = ObjectSchema(
        "challenge", "Shows a challenge, or those of a consent, or takes a code.", fields: [id, code, consent],
        example: "{id: {path: id}, code: {body: code}}")
}

extension Challenge.Stage {
    /// What it means.
    fileprivate var help: String {
        switch self {
        case .pending: "the customer has not decided"
        case .approved: "the customer has approved"
        case .denied: "the customer has denied"
        case .locked: "too many codes were wrong"
        case .expired: "the customer has not decided in time"
        }
    }
}
