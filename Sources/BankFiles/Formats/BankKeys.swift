import BankCore
package import BankModel
import DriverProtocol

/// The keys of `bank.yaml`.
package enum BankKeys {
    static let bank = Field(required: "bank", .node(.text("the folder's name")), "the bank's name")
    static let about = Field(required: "about", .text(), "a description in one sentence")
    static let base = Field("base", .node(.words("a path such as `/api/v2`, or nothing")), "the prefix of every path")
    static let asSent = Field(
        "as_sent", .bool, default: false, "whether methods and paths are compared as sent: HEAD is not GET, and `%61` is not `a`")
    static let compression = Field(
        "compression", .list(of: .choice(of: ContentCoding.self), atLeast: 1),
        "the compressions for requests that accept them, the preferred coding first; omit it for a bank that never compresses")
    static let dirty = Field(
        "dirty", .node(.list(.choice(of: RowChecks.Dirt.self), atLeast: 0)), "intentional errors in the fixtures")
    static let clientOperations = Field(
        "operations_of_a_client", .node(.list(.choice(of: DriverOperation.self), atLeast: 0)),
        "the operations that a client of the bank supports")
    static let defaults = Field(
        "defaults", .node(.object(defaultsSchema)), "default arguments of operations, for contracts that name no account")
    static let sensitive = Field("sensitive", .texts("a field's name"), "fields that a client must not store as readable text on disk")
    static let dialect = Field(required: "dialect", .node(.text("the name of a dialect")), "the dialect of its error responses")
    static let tables = Field("tables", .node(.map(keys: "names", .object(TableKeys.schema))), "its tables")
    static let auth = Field("auth", .node(.object(AuthKeys.schema)), "its tokens; omit it for a bank without them")
    static let signIn = Field(
        "sign_in", .node(.object(SignInKeys.schema)), "its sign-in page and the clients that may use it; omit it for a bank without one")
    static let consents = Field(
        "consents", .node(.map(keys: "tables", .object(ConsentKeys.schema))),
        "its consents, by table; omit it if a sign-in covers everything")
    static let challenges = Field(
        "challenges", .node(.object(ChallengeKeys.schema)), "how customers confirm requests; omit it for a bank without challenges")
    static let customers = Field("customers", .node(.list(.object(CustomerKeys.schema), atLeast: 0)), "its customers")
    static let operations = Field(
        required: "operations", .node(.map(keys: "names", .object(OperationKeys.schema))), "its operations, by name")
    static let events = Field("events", .node(.object(EventsKeys.schema)), "how lists show events, such as money that comes in")
    static let life = Field(
        "life", .node(.list(.object(BankEvent.scheduledSchema), atLeast: 0)), "scheduled events, each at a time after the session's start")
    static let webhooks = Field(
        "webhooks", .node(.object(WebhookPolicy.schema)), "its webhooks; omit it for a bank that sends none")
    static let roles = Field("roles", .node(.object(rolesSchema)), "the role of each operation in contracts")

    private static let rolesSchema = ObjectSchema(
        "roles", "Operations by role. Contracts refer to roles, never to paths.",
        fields: Role.allCases.map { Field($0.rawValue, Format<[String]>.texts("an operation"), "the operations of this role") },
        example: "{accounts: [accounts], transactions: [list, pages]}")

    private static let defaultsSchema = ObjectSchema(
        "defaults", "Default arguments for each operation of the driver protocol.",
        fields: DriverOperation.allCases.map {
            Field($0.rawValue, Format<Node>.node(.object(argumentsSchema)), "for `\($0.rawValue)`")
        }, example: "{pay: {from: a1, to: p1, currency: GBP}, balance: {account: a1}}")

    private static let argumentsSchema = ObjectSchema(
        "default arguments", "Each must name an existing row.",
        fields: ClientReader.Argument.allCases.map { Field($0.rawValue, Format<String>.text(), $0.help) })

    package static let schema = ObjectSchema(
        "a bank", "A bank: `bank.yaml` in its folder.",
        fields: [
            bank, about, base, asSent, compression, dirty, clientOperations, defaults, sensitive, dialect, tables, auth, signIn, challenges,
            customers, consents, operations, events, life, webhooks, roles,
        ])
}

/// The keys of `auth`.
enum AuthKeys {
    static let scheme = Field("scheme", .choice(of: AuthScheme.self), default: .bearer, "how requests carry the token")
    static let location = Field(
        "in", .node(.object(placeSchema)), "with `scheme: api-key`: the header, the field of the query, or the cookie with the token")
    static let locations: [Field<String>] = [
        Field("header", .text("a header's name"), "the value of a header"),
        Field("query", .text("a field's name"), "a field of the query"),
        Field("cookie", .text("a cookie's name"), "a cookie"),
    ]
    private static let placeSchema = ObjectSchema(
        "in", "Where requests carry the token.", fields: locations, rules: [.exactlyOne(locations.map { [$0.key] })],
        example: "{header: X-Api-Key}")
    static let lifetime = Field(required: "lifetime", .duration, "the lifetime of an access token")
    static let scopes = Field("scopes", .texts("a scope"), "the scopes of a token")
    static let refresh = Field("refresh", .duration, "the lifetime of a refresh token; without it there are no refresh tokens")

    static let rotation = Field(
        "rotation", .node(.anyOf([.words(["always", "never"]), .object(graceSchema)])),
        "what happens when a refresh token is used: `always` (the default) issues a new one, and a second use of the old one revokes "
            + "both; `never` keeps it; with a grace time, the old one can be used again during that time"
    )
    static let grace = Field(required: "grace", .duration, "the time after the first use")
    static let graceSchema = ObjectSchema(
        "rotation", "Rotation with a grace time.", fields: [grace], example: "{grace: 10s}")

    static let schema = ObjectSchema(
        "auth", "The bank's tokens.", fields: [scheme, location, lifetime, scopes, refresh, rotation],
        example: "{lifetime: 15m, scopes: [accounts, payments], refresh: 30d}")
}

/// The ways in which requests carry a token.
enum AuthScheme: String, CaseIterable {
    /// `Authorization: Bearer …` (RFC 6750)
    case bearer
    /// `Authorization: Basic …`, a customer's login and password (RFC 7617)
    case basic
    /// A header, a field of the query or a cookie.
    case apiKey = "api-key"
}

enum CustomerKeys {
    static let login = Field(required: "login", .node(.text()), "the name to sign in with")
    static let password = Field("password", .text(), "required if the bank has a login operation")
    static let token = Field(
        "token", .text(), "a fixed token of the customer, valid in every session without a sign-in: an API key")
    static let locked = Field("locked", .bool, default: false, "whether the sign-in is rejected")
    static let owns = Field(
        "owns", .node(.map(keys: "tables with `belongs: owner`", .list(.text("a row's key"), atLeast: 0))),
        "rows that only this customer can see")
    static let profile = Field("profile", .node(.map(keys: "fields", .any)), "the fields that `{customer: …}` can return")

    static let schema = ObjectSchema(
        "a customer", "A customer who can sign in.", fields: [login, password, token, locked, owns, profile],
        example: "{login: ava, password: correct-horse, owns: {accounts: [a1]}, profile: {name: Ava Lindqvist}}")
}
