package import BankModel

/// One bank's API as data, validated and immutable; every session of the bank shares it.
package struct Bank: Sendable {
    /// The folder's name, such as `roundup`.
    package var name: String
    /// One sentence for readers.
    package var about: String
    /// The prefix of every operation's path: `/api/v2`, or empty.
    package var base: String
    package var dialect: Dialect
    package var tables: [String: Table]
    package var customers: [Customer]
    /// Nil for a bank without tokens.
    package var auth: AuthPolicy?
    /// Nil for a bank without a sign-in page.
    package var signIn: SignInPolicy?
    /// The rules of its consents, by their tables; empty for a bank in which a sign-in covers everything.
    package var consents: [String: ConsentPolicy] = [:]
    /// Nil for a bank that challenges no request.
    package var challenges: ChallengePolicy?
    /// In the order of the file; if several match a request, the first counts.
    package var operations: [Operation]
    /// How lists show events; nil for a bank without events.
    package var events: EventLists?
    /// Nil for a bank that sends no webhooks.
    package var webhooks: WebhookPolicy?
    /// The events that happen by themselves.
    package var life: [LifeEvent] = []
    /// The driver operations that this bank supports.
    package var clientOperations: [String]
    /// The arguments that a harness fills in, per driver operation.
    package var defaults: JSON
    /// Fields that must not be readable on a client's disk.
    package var sensitive: [String]
    /// Whether methods and paths are compared as sent: HEAD is not GET, and `%61` is not `a`.
    package var asSent = false
    /// The codings of responses to requests that accept them, the preferred one first; empty for a bank that compresses nothing.
    package var compression: [ContentCoding] = []

    /// The scopes that a token can have: those of `auth`, and those that a client may ask for on the sign-in page.
    package var allScopes: [String] { (auth?.scopes ?? []) + (signIn?.scopes ?? []) }

    package init(
        name: String, about: String, base: String, dialect: Dialect, tables: [String: Table], customers: [Customer], auth: AuthPolicy?,
        operations: [Operation], clientOperations: [String], defaults: JSON, sensitive: [String]
    ) {
        self.name = name
        self.about = about
        self.base = base
        self.dialect = dialect
        self.tables = tables
        self.customers = customers
        self.auth = auth
        self.operations = operations
        self.clientOperations = clientOperations
        self.defaults = defaults
        self.sensitive = sensitive
    }

    /// The operations bound to a role, in order.
    package func operations(of role: Role) -> [Operation] { operations.filter { $0.roles.contains(role) } }

    /// A read that needs at most a token: the first request to try. Nil if there is none.
    package var plainRead: Operation? {
        let reads: [Role] = [.accounts, .transactions, .balance]
        return reads.flatMap(operations).first { $0.method == "GET" && $0.path.parameters.isEmpty }
    }

    /// Whether a client signs in by a call of the bank.
    package var hasLoginCall: Bool { operations.contains { $0.roles.contains(.login) } }
}

/// A user with an account, and the password for the sign-in.
package final class Customer: Sendable {
    package let login: String
    /// Nil if the bank has no login call.
    package let password: String?
    /// A fixed credential of the customer, valid in every session and without end; nil if there is none.
    package let token: String?
    /// Whether the right password is rejected with the operation's `locked` response.
    package let locked: Bool
    /// The keys of the customer's rows, per table.
    package let owns: [String: Set<String>]
    /// Further data of the customer that responses contain.
    package let profile: JSONObject
    /// The only rows that a request shows, per table, if a consent limits it: no others, regardless of their owners.
    let limits: [String: Set<String>]

    package init(
        login: String, password: String?, token: String? = nil, locked: Bool, owns: [String: Set<String>], profile: JSONObject
    ) {
        self.login = login
        self.password = password
        self.token = token
        self.locked = locked
        self.owns = owns
        self.profile = profile
        limits = [:]
    }

    /// The customer with some of their rows.
    init(_ customer: Customer, limitedTo limits: [String: Set<String>]) {
        login = customer.login
        password = customer.password
        token = customer.token
        locked = customer.locked
        owns = customer.owns.merging(limits) { $0.intersection($1) }
        profile = customer.profile
        self.limits = limits
    }
}

/// The lifetimes and scopes of a bank's tokens (RFC 6750 bearer tokens; RFC 6749 refresh), and where requests carry them.
package struct AuthPolicy: Sendable {
    /// The part of a request that carries the token.
    package var location = CredentialLocation.bearer
    /// The lifetime of an access token, by the session's clock.
    package var lifetime: Duration
    /// All scopes; a token without a list has all of them.
    package var scopes: [String]
    /// The lifetime of a refresh token; nil if the bank has none.
    package var refreshLifetime: Duration?
    package var rotation = Rotation.always

    /// The treatment of a refresh token that is used.
    package enum Rotation: Sendable, Hashable {
        /// Each use gives a new one and invalidates the old one; a second use of the old one revokes all tokens of the sign-in.
        case always
        /// The token stays valid, and no new one is issued.
        case never
        /// As always, but the old one may be used again for that time after its first use.
        case grace(Duration)
    }

    /// The part of a request that carries a credential.
    package enum CredentialLocation: Sendable, Hashable {
        /// `Authorization: Bearer …` (RFC 6750 §2.1).
        case bearer
        /// `Authorization: Basic …`: a customer's login and password (RFC 7617).
        case basic
        case header(String)
        case query(String)
        case cookie(String)
    }

    package init(lifetime: Duration, scopes: [String], refreshLifetime: Duration?) {
        self.lifetime = lifetime
        self.scopes = scopes
        self.refreshLifetime = refreshLifetime
    }
}
