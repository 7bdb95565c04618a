import BankCore
package import BankModel
import DriverProtocol

/// The keys of `bank.yaml`.
package enum BankKeys {
    static let bank = Field(required: "bank", .node(.text("the folder's name")), "the bank's name")
    static let about = Field(required: "about", .text(), "what it is, in a sentence")
    static let base = Field("base", .node(.words("a path such as `/api/v2`, or nothing")), "put before every path")
    static let asSent = Field(
        "as_sent", .bool, default: false, "whether methods and paths are compared as they were sent: HEAD is not GET, and `%61` is no `a`")
    static let compression = Field(
        "compression", .list(of: .choice(of: ContentCoding.self), atLeast: 1),
        "how it compresses text for a request that accepts it, the preferred coding first; left out for a bank that never does")
    static let dirty = Field(
        "dirty", .node(.list(.choice(of: RowChecks.Dirt.self), atLeast: 0)), "errors that the fixtures have on purpose")
    static let clientOperations = Field(
        "operations_of_a_client", .node(.list(.choice(of: DriverOperation.self), atLeast: 0)), "what a client of the bank can be asked for")
    static let defaults = Field(
        "defaults", .node(.object(defaultsSchema)), "what a harness fills in, where a contract names no account")
    static let sensitive = Field("sensitive", .texts("a field's name"), "fields whose text must not lie readable on a client's disk")
    static let dialect = Field(required: "dialect", .node(.text("the name of a dialect")), "how the bank says no")
    static let tables = Field("tables", .node(.map(keys: "names", .object(TableKeys.schema))), "the rows that it has")
    static let auth = Field("auth", .node(.object(AuthKeys.schema)), "its tokens; left out for a bank without them")
    static let customers = Field("customers", .node(.list(.object(CustomerKeys.schema), atLeast: 0)), "who may sign in")
    static let operations = Field(
        required: "operations", .node(.map(keys: "names", .object(OperationKeys.schema))), "its calls, by name")
    static let roles = Field("roles", .node(.object(rolesSchema)), "what each operation is to a contract")

    private static let rolesSchema = ObjectSchema(
        "roles", "Operations by what they are for. Contracts speak of roles, never of paths.",
        fields: Role.allCases.map { Field($0.rawValue, Format<[String]>.texts("an operation"), "the operations of this role") },
        example: "{accounts: [accounts], transactions: [list, pages]}")

    private static let defaultsSchema = ObjectSchema(
        "defaults", "Arguments by operation of the driver protocol.",
        fields: DriverOperation.allCases.map {
            Field($0.rawValue, Format<Node>.node(.object(argumentsSchema)), "for `\($0.rawValue)`")
        }, example: "{pay: {from: a1, to: p1, currency: GBP}, balance: {account: a1}}")

    private static let argumentsSchema = ObjectSchema(
        "default arguments", "Each names something that is there.",
        fields: ClientReader.Argument.allCases.map { Field($0.rawValue, Format<String>.text(), $0.help) })

    package static let schema = ObjectSchema(
        "a bank", "A bank: `bank.yaml` in its folder.",
        fields: [
            bank, about, base, asSent, compression, dirty, clientOperations, defaults, sensitive, dialect, tables, auth, customers,
            operations, roles,
        ])
}

/// The keys of `auth`.
enum AuthKeys {
    static let scheme = Field("scheme", .choice(of: AuthScheme.self), default: .bearer, "how a token is brought")
    static let lifetime = Field(required: "lifetime", .duration, "how long an access token is good")
    static let scopes = Field("scopes", .texts("a scope"), "what a token may allow")
    static let refresh = Field("refresh", .duration, "how long a refresh token is good; without it there are none")

    static let schema = ObjectSchema(
        "auth", "The bank's tokens.", fields: [scheme, lifetime, scopes, refresh],
        example: "{lifetime: 15m, scopes: [accounts, payments], refresh: 30d}")
}

/// The one way to bring a token there is (RFC 6750).
enum AuthScheme: String, CaseIterable {
    case bearer
}

/// The keys of a customer.
enum CustomerKeys {
    static let login = Field(required: "login", .node(.text()), "the name to sign in with")
    static let password = Field("password", .text(), "needed where there is a login call")
    static let locked = Field("locked", .bool, default: false, "whether the sign-in is refused")
    static let owns = Field(
        "owns", .node(.map(keys: "tables with `belongs: owner`", .list(.text("a row's key"), atLeast: 0))),
        "rows that only this customer sees")
    static let profile = Field("profile", .node(.map(keys: "fields", .any)), "what `{customer: …}` may show")

    static let schema = ObjectSchema(
        "a customer", "Who may sign in.", fields: [login, password, locked, owns, profile],
        example: "{login: ava, password: correct-horse, owns: {accounts: [a1]}, profile: {name: Ava Lindqvist}}")
}
