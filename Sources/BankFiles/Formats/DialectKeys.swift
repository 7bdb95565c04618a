import BankCore
package import BankModel

/// The keys of `dialects/NAME.yaml`.
package enum DialectKeys {
    static let dialect = Field(required: "dialect", .node(.text("the file's name")), "the name by which banks refer to it")
    static let extends = Field(
        "extends", .node(.text("the name of a dialect")),
        "the dialect to inherit from: maps of settings are merged by key, every other value is replaced, `~` removes a value")
    static let about = Field(required: "about", .text(), "a description in one sentence")
    static let contentType = Field("content_type", .text(), default: "application/json", "the media type of JSON responses")
    static let jsonLayout = Field(
        "json_layout", .choice(of: JSONLayout.self), default: .compact,
        "the white space of JSON bodies: none (`compact`), a space after each comma and colon (`spaced`), or a line for each member (`indented`)"
    )
    static let headers = Field(
        "headers", .node(HeaderKeys.schema), "headers of every response, unless an operation or a response has its own")
    static let requestID = Field(
        "request_id", .text("the name of a header"), "a header that every response echoes, or generates if it is missing")
    static let idempotency = Field(
        "idempotency", .node(.object(IdempotencyKeys.schema.inheritable())),
        "the behavior of writes with an idempotency key; omit it if no write has a key")
    static let magic = Field("magic", .node(.object(MagicKeys.schema.inheritable())), "magic test values that trigger errors")
    static let moreDigits = Field(
        "more_digits", .choice(of: Dialect.MoreDigits.self), default: .refused,
        "an amount with more digits than its currency has: invalid (`refused`), or valid if the extra digits are zeros (`zeros`)")
    static let rateLimit = Field(
        "rate_limit", .node(.object(RateLimitKeys.schema.inheritable())),
        "a limit for requests, which every response shows in headers; an operation may set its own limit")
    static let responses = Field(
        required: "replies", .node(.object(responsesSchema)), "the error responses: one for every name of the closed list")

    /// One response for each name; a dialect that extends another has those that differ.
    static let responsesSchema = ObjectSchema(
        "replies", "One response for each name of the closed list.",
        fields: DialectResponseName.allCases.map { name in
            Field(name.rawValue, Format<Node>.node(.object(ResponseKeys.schema.inheritable())), name.about)
        }
    ).inheritable()

    package static let schema = ObjectSchema(
        "a dialect", "The error responses of a family of banks: `dialects/NAME.yaml`.",
        fields: [
            dialect, extends, about, contentType, jsonLayout, headers, requestID, idempotency, magic, moreDigits, rateLimit, responses,
        ]
    ).inheritable()
}

/// The keys of `idempotency` in a dialect.
enum IdempotencyKeys {
    static let key = Field(required: "key", .source, "the location of the key, for operations with `key: dialect`")
    static let required = Field(
        required: "required", .bool, "whether a request without a key gets `key-missing`; otherwise it has no protection")
    static let quoted = Field(
        "quoted", .choice(of: IdempotencyPolicy.Quoting.self), default: .no,
        "`either`: `\"k1\"` and `k1` are the same key; `no`: quotes are rejected; `required`: a Structured Field string (RFC 8941 §3.3.3)")
    static let longest = Field(required: "longest", .int(in: 1...10_000), "the maximum length in characters, without quotes")
    static let uuid = Field(
        "uuid", .bool, default: false, "whether the key must be a UUID; upper and lower case are the same key (RFC 9562 §4)")
    static let scope = Field(
        "scope", .choice(of: IdempotencyPolicy.KeyScope.self), default: .operation,
        "whether keys of a customer are separate for each operation, or shared by all")
    static let fingerprint = Field(
        "fingerprint", .node(.anyOf([.words(["whole", "bytes"]), .list(.text("a path into the body"), atLeast: 1)])),
        "the part of a retry that must equal the first request: `whole` (JSON by value), `bytes`, or these fields of the body")
    static let window = Field(
        "window", .duration, "the time for which a key is stored, by the session clock; without it, keys never expire")
    static let stored = Field(
        required: "stored", .node(.anyOf([.words(["executed", "success"]), statuses, .object(storedNot)])),
        "the results that a key stores: every executed request, only successes, or by status")
    static let replay = Field(
        "replay", .choice(of: IdempotencyPolicy.Replay.self), default: .stored,
        "the bytes of the first response (`stored`), or its status and a newly rendered body (`current`)")
    static let marker = Field("marker", .node(HeaderKeys.schema), "a header that only replays have")

    private static let statuses = Schema.list(.text("a status such as 402, 5xx or 501-599"), atLeast: 1)
    private static let storedNot = ObjectSchema(
        "stored not", "Every status except these.", fields: [Field(required: "not", Format<Node>.node(statuses), "statuses")])

    static let schema = ObjectSchema(
        "idempotency", "The behavior of writes with an idempotency key.",
        fields: [key, required, quoted, longest, uuid, scope, fingerprint, window, stored, replay, marker],
        example: "{key: {header: Idempotency-Key}, required: true, longest: 255, window: 24h, stored: executed}")
}

/// The keys of `magic` in a dialect.
enum MagicKeys {
    static let outcomes = Schema.anyOf([.words(["rejected"] + DialectResponseName.allCases.map(\.rawValue)), .nothing])
    static let amounts = Field(
        "amounts", .node(.map(keys: "amounts in minor units, in quotes,", outcomes)), "outcomes by the amount, whatever the currency")
    static let payees = Field(
        "payees", .node(.map(keys: "texts of payees", outcomes)), "outcomes by the payee's key, or any text of its row")

    static let schema = ObjectSchema(
        "magic", "Magic test values that trigger errors: names of the closed list, or `rejected`.", fields: [amounts, payees],
        example: "{amounts: {\"6660101\": insufficient-funds}, payees: {magic-step-up: step-up}}")
}

/// The keys of a response that stands for itself, in a dialect or under `refuse`.
enum ResponseKeys {
    static let status = Field(required: "status", .int(in: 200...599), "the HTTP status")
    static let headers = Field("headers", .node(HeaderKeys.schema), "headers that are added to those of every response, or replace them")
    static let body = Field("body", .template, "its structure, see [value](#value); without it there is no body")
    static let contentType = Field("content_type", .text(), "the media type; by default the dialect's")
    static let invented = Field("invented", .bool, default: false, "marks a body that has no source")

    static let schema = ObjectSchema(
        "a response", "A complete response.", fields: [status, headers, body, contentType, invented],
        example: "{status: 401, headers: {WWW-Authenticate: Bearer}, body: {code: unauthorized, message: {detail: \"Sign in again.\"}}}")
}

/// Headers of a response.
enum HeaderKeys {
    static let schema = Schema.map(keys: "the names of headers", TemplateKeys.source)
}

/// The keys of `rate_limit`, in a dialect and in an operation.
enum RateLimitKeys {
    static let requests = Field(required: "requests", .int(in: 1...1_000_000), "the number of requests of a window")
    static let within = Field(
        required: "within", .wholeSeconds,
        "the length of a window, in whole seconds of the session clock; it begins with its first request")
    static let per = Field(
        "per", .choice(of: RateLimit.Grouping.self), default: .token,
        "the requests that are counted together: those with one token, those of one customer, or those to one operation")
    static let headers = Field(
        "headers", .choice(of: RateLimit.HeaderStyle.self),
        "the headers of every response: `RateLimit` and `RateLimit-Policy` (`ietf`), `X-RateLimit-…` (`x`), or none; without it `ietf`, "
            + "in an operation as in the dialect's limit")

    static let schema = ObjectSchema(
        "rate_limit", "A limit for requests. Requests beyond it get `rate-limited` until the window ends.",
        fields: [requests, within, per, headers], example: "{requests: 100, within: 1m, per: customer, headers: x}")
}

extension Format<Duration> {
    /// A duration that a header can give in whole seconds.
    fileprivate static var wholeSeconds: Format {
        Format(
            .text(TextSchema("a duration in whole seconds such as `30s`, `1m` or `1h`", pattern: "[0-9]+(ms|s|m|h|d)")),
            read: { node, complaints in
                guard let duration = node.duration(complaints) else { return nil }
                guard duration.components.attoseconds == 0, duration >= .seconds(1) else {
                    return node.wrong(complaints, "at least 1s, in whole seconds")
                }
                return duration
            }, write: { .string($0.shortText) })
    }
}
