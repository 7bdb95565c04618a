package import BankModel

/// One bank's API as data, checked and immutable; every session of the bank shares it.
package struct Bank: Sendable {
    /// The folder's name, such as `roundup`.
    package var name: String
    /// One sentence for people.
    package var about: String
    /// Put before every operation's path: `/api/v2`, or empty.
    package var base: String
    package var dialect: Dialect
    package var tables: [String: Table]
    package var customers: [Customer]
    /// Nil for a bank without tokens.
    package var auth: AuthPolicy?
    /// In the order of the file; of two that fit a request the first that fits wholly is met.
    package var operations: [Operation]
    /// Driver operations that make sense on this bank.
    package var clientOperations: [String]
    /// What a harness fills in: arguments per driver operation.
    package var defaults: JSON
    /// Fields that must not lie readable on a client's disk.
    package var sensitive: [String]
    /// Methods and paths are compared as they were sent: HEAD is not GET, and `%61` is no `a`.
    package var asSent = false

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

    /// A read that needs nothing but perhaps a token: what to try first. Nil if there is none.
    package var plainRead: Operation? {
        let reads: [Role] = [.accounts, .transactions, .balance]
        return reads.flatMap(operations).first { $0.method == "GET" && $0.path.parameters.isEmpty }
    }

    /// Whether a client signs in by a call of the bank's own.
    package var hasLoginCall: Bool { operations.contains { $0.roles.contains(.login) } }
}

/// A person with an account, and the password that signs them in.
package final class Customer: Sendable {
    package let login: String
    /// Nil where the bank has no login call.
    package let password: String?
    /// A locked customer's right password is refused with the operation's `locked` reply.
    package let locked: Bool
    /// Keys of the rows that are theirs, per table.
    package let owns: [String: Set<String>]
    /// Whatever else replies tell of them.
    package let profile: JSONObject

    package init(login: String, password: String?, locked: Bool, owns: [String: Set<String>], profile: JSONObject) {
        self.login = login
        self.password = password
        self.locked = locked
        self.owns = owns
        self.profile = profile
    }
}

/// How a bank's tokens live (RFC 6750 bearer tokens; RFC 6749 refresh).
package struct AuthPolicy: Sendable {
    /// Of an access token, by the session's clock.
    package var lifetime: Duration
    /// Every scope there is; a token without a list of its own has all.
    package var scopes: [String]
    /// Of a refresh token; nil where the bank has none.
    package var refreshLifetime: Duration?

    package init(lifetime: Duration, scopes: [String], refreshLifetime: Duration?) {
        self.lifetime = lifetime
        self.scopes = scopes
        self.refreshLifetime = refreshLifetime
    }
}
