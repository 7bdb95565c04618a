import BankCore
package import BankModel

/// The keys of `dialects/NAME.yaml`.
package enum DialectKeys {
    static let dialect = Field(required: "dialect", .node(.text("the file's name")), "the name by which banks speak it")
    static let extends = Field(
        "extends", .node(.text("the name of a dialect")),
        "what it has in common with another: maps of settings are merged by key, every other value is replaced, `~` removes one")
    static let about = Field(required: "about", .text(), "what it is, in a sentence")
    static let contentType = Field("content_type", .text(), default: "application/json", "of replies with a JSON body")
    static let headers = Field("headers", .node(HeaderKeys.schema), "on every reply, unless an operation or a reply has its own")
    static let requestID = Field("request_id", .text("the name of a header"), "a header that is echoed, or made, on every reply")
    static let idempotency = Field(
        "idempotency", .node(.object(IdempotencyKeys.schema.inheritable())),
        "what it promises of keyed writes; left out where no write has a key")
    static let magic = Field("magic", .node(.object(MagicKeys.schema.inheritable())), "what a tester types to see a refusal")
    static let moreDigits = Field(
        "more_digits", .choice(of: Dialect.MoreDigits.self), default: .refused,
        "an amount with more digits than its currency has: no amount (`refused`), or one if they are noughts (`zeros`)")
    static let replies = Field(
        required: "replies", .node(.object(repliesSchema)), "how a bank says no: every name of the closed list")

    /// One reply for each name; a dialect that extends another has those that differ.
    static let repliesSchema = ObjectSchema(
        "replies", "One reply for each name of the closed list.",
        fields: DialectReplyName.allCases.map { name in
            Field(name.rawValue, Format<Node>.node(.object(ReplyKeys.schema.inheritable())), name.help)
        }
    ).inheritable()

    package static let schema = ObjectSchema(
        "a dialect", "How a family of banks says no: `dialects/NAME.yaml`.",
        fields: [dialect, extends, about, contentType, headers, requestID, idempotency, magic, moreDigits, replies]
    ).inheritable()
}

/// The keys of `idempotency` in a dialect.
enum IdempotencyKeys {
    static let key = Field(required: "key", .node(TemplateKeys.source), "where the key is, for operations with `key: dialect`")
    static let required = Field(
        required: "required", .bool, "whether a request without a key gets `key-missing`; else it has no protection")
    static let quoted = Field(
        "quoted", .choice(of: IdempotencyPolicy.Quoting.self), default: .no,
        "`either`: `\"k1\"` and `k1` are the same key; `no`: quotes are refused; `required`: a Structured Field string (RFC 8941 §3.3.3)")
    static let longest = Field(required: "longest", .int(in: 1...10_000), "in characters, quotes not counted")
    static let uuid = Field(
        "uuid", .bool, default: false, "whether the key must be a UUID; one in capitals is the same key (RFC 9562 §4)")
    static let scope = Field(
        "scope", .choice(of: IdempotencyPolicy.KeyScope.self), default: .operation,
        "whether a customer's key is one for each operation, or one for all")
    static let fingerprint = Field(
        "fingerprint", .node(.anyOf([.words(["whole", "bytes"]), .list(.text("a path into the body"), atLeast: 1)])),
        "what a repeat must have in common with the first request: `whole` (JSON by value), `bytes`, or these fields of the body")
    static let window = Field("window", .duration, "how long a key is remembered, by the session's clock; without it for ever")
    static let stored = Field(
        required: "stored", .node(.anyOf([.words(["executed", "success"]), statuses, .object(storedNot)])),
        "what a key remembers of an execution: every result, only what was carried out, or by status")
    static let replay = Field(
        "replay", .choice(of: IdempotencyPolicy.Replay.self), default: .stored,
        "the first reply's bytes (`stored`), or its status and a body made anew (`current`)")
    static let marker = Field("marker", .node(HeaderKeys.schema), "a header sent with a replay only")

    private static let statuses = Schema.list(.text("a status such as 402, 5xx or 501-599"), atLeast: 1)
    private static let storedNot = ObjectSchema(
        "stored not", "Every status but these.", fields: [Field(required: "not", Format<Node>.node(statuses), "statuses")])

    static let schema = ObjectSchema(
        "idempotency", "What a dialect promises of keyed writes.",
        fields: [key, required, quoted, longest, uuid, scope, fingerprint, window, stored, replay, marker],
        example: "{key: {header: Idempotency-Key}, required: true, longest: 255, window: 24h, stored: executed}")
}

/// The keys of `magic` in a dialect.
enum MagicKeys {
    static let outcomes = Schema.anyOf([.words(["rejected"] + DialectReplyName.allCases.map(\.rawValue)), .nothing])
    static let amounts = Field(
        "amounts", .node(.map(keys: "amounts in minor units, in quotes,", outcomes)), "outcomes by the amount, whatever the currency")
    static let payees = Field(
        "payees", .node(.map(keys: "texts of payees", outcomes)), "outcomes by the payee's key, or any text of its row")

    static let schema = ObjectSchema(
        "magic", "What a tester types to see a refusal: names of the closed list, or `rejected`.", fields: [amounts, payees],
        example: "{amounts: {\"6660101\": insufficient-funds}, payees: {magic-step-up: step-up}}")
}

extension DialectReplyName {
    /// When it is sent.
    var help: String {
        switch self {
        case .noCredentials: "no token came"
        case .tokenRejected: "the token is malformed, unknown or revoked"
        case .tokenExpired: "the token has expired"
        case .scopeRefused: "the token lacks the scope"
        case .stepUp: "the customer must confirm it"
        case .consentExpired: "the consent is over"
        case .notFound: "no such thing"
        case .badRequest: "the request is not valid"
        case .keyMissing: "a key is required and none came"
        case .keyMismatch: "the key came before with another request"
        case .keyInFlight: "the first request with the key still runs"
        case .rateLimited: "too many requests"
        case .maintenance: "the bank is down"
        case .internalError: "the bank fails"
        case .insufficientFunds: "too little money"
        case .cursorExpired: "the page's cursor is no longer valid"
        }
    }
}
