package import BankModel

/// One bank's API as data, validated and immutable; every session of the bank shares it.
package struct Bank: Sendable {
    /// The folder's name, such as `roundup`.
    package var name: String
    /// One sentence for readers.
    package var about = ""
    /// The prefix of every operation's path: `/api/v2`, or empty.
    package var base = ""
    package var dialect: Dialect
    package var tables: [String: Table] = [:]
    package var customers: [Customer] = []
    /// Nil for a bank without tokens.
    package var auth: AuthPolicy?
    /// Nil for a bank without a sign-in page.
    package var signIn: SignInPolicy?
    /// The rules of its consents, by their tables; empty for a bank in which a sign-in covers everything.
    package var consents: [String: ConsentPolicy] = [:]
    /// Nil for a bank that challenges no request.
    package var challenges: ChallengePolicy?
    /// In the order of the file; if several match a request, the first counts.
    package var operations: [Operation] = []
    /// How lists show events; nil for a bank without events.
    package var events: EventLists?
    /// Nil for a bank that sends no webhooks.
    package var webhooks: WebhookPolicy?
    /// The events that happen by themselves.
    package var life: [LifeEvent] = []
    /// The driver operations that this bank supports.
    package var clientOperations: [String] = []
    /// The arguments that a harness fills in, per driver operation.
    package var defaults: JSON = [:]
    /// Fields that must not be readable on a client's disk.
    package var sensitive: [String] = []
    /// Whether methods and paths are compared as sent: HEAD is not GET, and `%61` is not `a`.
    package var asSent = false
    /// The codings of responses to requests that accept them, the preferred one first; empty for a bank that compresses nothing.
    package var compression: [ContentCoding] = []

    /// The scopes that a token can have: those of `auth`, and those that a client may ask for on the sign-in page.
    package var allScopes: [String] { (auth?.scopes ?? []) + (signIn?.scopes ?? []) }

    package init(name: String, dialect: Dialect) {
        self.name = name
        self.dialect = dialect
    }

    /// The operations bound to a role, in order.
    package func operations(of role: Role) -> [Operation] { operations.filter { $0.roles.contains(role) } }

    /// A read that needs at most a token: the first request to try, of those with a role if there is one. Nil if there is none.
    package var plainRead: Operation? {
        let reads: [Role] = [.accounts, .transactions, .balance]
        let plain = { (operation: Operation) in operation.method == "GET" && operation.path.parameters.isEmpty }
        return reads.flatMap(operations).first(where: plain)
            ?? operations.first { plain($0) && $0.when.isEmpty && $0.signIn == nil && $0.stream == nil }
    }

    /// Whether a client signs in by a call of the bank.
    package var hasLoginCall: Bool { operations.contains { $0.roles.contains(.login) } }

    /// For each table, the sets of fields by which its rows are queried, each sorted: without the key, which has an index of
    /// its own, and without the owner's field.
    var askedFields: [String: Set<[String]>] {
        var asked: [String: Set<[String]>] = [:]
        var templates: [Template] = operations.flatMap(\.templates) + dialect.responses.values.compactMap(\.body)
        templates += (webhooks?.bodies ?? [:]).values
        templates += consents.values.flatMap(\.bodies.values)
        for (name, filters) in templates.flatMap(\.queries) {
            guard let table = tables[name], !filters.contains(where: { $0.field == table.key }) else { continue }
            asked[table.name, default: []].insert(table.askedFields(filters.map(\.field)))
        }
        return asked
    }

    /// The arguments that a harness fills in for a driver operation, for the customer who signs in.
    ///
    /// The bank's `defaults` are written for its first customer. For another one, each value that is the key of an owned row
    /// is replaced by the key of the first such row of theirs, in the order of the fixture: their first account, the first
    /// goal of that account; a second account, as the payee of the first one, by their second. An argument is left out if they
    /// have no such row. Values that belong to no customer (a currency, a path, an ATM) remain.
    ///
    /// - Parameters:
    ///   - operation: its name in the driver protocol.
    ///   - login: the customer's; nil, or an unknown one, means the bank's first customer.
    package func defaults(of operation: String, for login: String?) -> JSONObject {
        let written = defaults[operation]?.object ?? JSONObject()
        guard let first = customers.first(where: { !$0.locked }), let customer = customers.first(where: { $0.login == login }),
            customer.login != first.login
        else { return written }
        // By table: rows that are part of another table's row, as goals are of an account, follow it.
        var chosen: [String: String] = [:]
        // By the key that is written.
        var replacements: [JSON: String] = [:]
        // Accounts are chosen before the rows that are part of one.
        let order = written.members.sorted { isPart($0.value) == false && isPart($1.value) == true }
        for (_, value) in order {
            guard let table = ownedTable(of: value), replacements[value] == nil else { continue }
            let taken = Set(replacements.filter { ownedTable(of: $0.key)?.name == table.name }.values)
            let row = table.rows.lazy.filter { self.row($0, of: table, isOf: customer, and: chosen) }
                .compactMap { $0[table.key]?.plainText }.first { !taken.contains($0) }
            replacements[value] = row
            chosen[table.name] = chosen[table.name] ?? row
        }
        return JSONObject(
            written.members.compactMap { name, value in
                guard ownedTable(of: value) != nil else { return (name, value) }
                return replacements[value].map { (name, .string($0)) }
            })
    }

    /// The arguments among an operation's `defaults` that the customer has no row for: none, or no second one.
    package func unfilledDefaults(of operation: String, for login: String) -> [String] {
        let filled = defaults(of: operation, for: login)
        return (defaults[operation]?.object ?? JSONObject()).members.map(\.key).filter { filled[$0] == nil }
    }

    /// The table that has a row with that key, if its rows have owners.
    private func ownedTable(of key: JSON) -> Table? {
        let key = key.plainText
        return tables.values.filter { $0.belongs != nil }.sorted { $0.name < $1.name }.first { table in
            table.rows.contains { $0[table.key]?.plainText == key }
        }
    }

    /// Whether the value names a row that is part of another.
    private func isPart(_ value: JSON) -> Bool {
        if case .row = ownedTable(of: value)?.belongs { true } else { false }
    }

    /// Whether a row is the customer's, and part of the row chosen in its parents' table, if there is one.
    private func row(_ row: JSONObject, of table: Table, isOf customer: Customer, and chosen: [String: String]) -> Bool {
        switch table.belongs {
        case nil: return true
        case .owner: return row[table.key].map { customer.owns[table.name]?.contains($0.plainText) ?? false } ?? false
        case .customer(let field): return JSON.object(row).at(field)?.plainText == customer.login
        case .row(let field, let name):
            guard let key = JSON.object(row).at(field)?.plainText, let parents = tables[name] else { return false }
            if let wanted = chosen[name] { return key == wanted }
            return parents.rows.contains { parent in
                parent[parents.key]?.plainText == key && self.row(parent, of: parents, isOf: customer, and: chosen)
            }
        }
    }
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

    package init(login: String, password: String?, token: String? = nil, locked: Bool, owns: [String: Set<String>], profile: JSONObject) {
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
    package var scopes: [String] = []
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

    package init(lifetime: Duration) { self.lifetime = lifetime }
}

extension Table {
    /// The fields of a query that an index covers.
    func askedFields(_ fields: [String]) -> [String] { fields.filter { $0 != ownerField }.sorted() }
}

extension Operation {
    /// Every template that is rendered for it.
    fileprivate var templates: [Template] {
        var templates: [Template] = []
        if case .json(let template) = response { templates.append(template) }
        if let businessFailure { templates.append(businessFailure) }
        templates += rejections.values.compactMap(\.body)
        for (row, stages) in (move?.lists.map { ($0.row, $0.stages) } ?? []) + (insert.map { [($0.row, $0.stages)] } ?? []) {
            templates.append(row)
            for case .with(let template) in [stages.settled, stages.rejected, stages.cancelled] { templates.append(template) }
            if let authorised = stages.authorised { templates.append(authorised) }
        }
        if let update { templates.append(update.changes) }
        return templates
    }
}
