package import BankModel

/// Which exchanges a rule is for: all of these that are given must match.
package struct RuleSelector: Sendable, Hashable {
    package var role: Role?
    package var operation: String?
    package var method: String?
    /// The path as sent, without the session's prefix; `*` stands for any text.
    package var path: String?
    package var header: JournalEntry.Header?
    package var customer: String?
    /// A token's id, such as `token#1`.
    package var token: String?
    package var connection: Temperature?
    package var wireProtocol: WireProtocol?
    /// Which request of one intent, as the bank can see it, from 1.
    package var attempt: Int?

    /// Whether a connection has carried a request before.
    package enum Temperature: String, Sendable, CaseIterable {
        case cold, warm
    }

    package init(role: Role? = nil, operation: String? = nil, attempt: Int? = nil) {
        self.role = role
        self.operation = operation
        self.attempt = attempt
    }

    private init(_ fields: Fields) {
        role = fields[Key.role]
        operation = fields[Key.operation]
        method = fields[Key.method]
        path = fields[Key.path]
        header = fields[Key.header] ?? nil
        customer = fields[Key.customer]
        token = fields[Key.token]
        connection = fields[Key.connection]
        wireProtocol = fields[Key.wireProtocol]
        attempt = fields[Key.attempt]
    }

    private enum Key {
        static let role = Field("role", .choice(of: Role.self), "the operation's role")
        static let operation = Field("operation", .text(), "the operation's name")
        static let method = Field("method", .text(), "the request's method")
        static let path = Field("path", .text(), "the path as sent, without the query and the session's prefix; `*` stands for any text")
        static let header = Field("header", headerFormat, "a header by name and value; `*` stands for any text")
        static let customer = Field(
            "customer", .text(), "the customer whose token the request has; a request that matches no operation has none")
        static let token = Field("token", .text(), "a token's id, such as `token#1`")
        static let connection = Field(
            "connection", .choice(of: Temperature.self), "`cold`: the connection's first request to the session; `warm`: a later one")
        static let wireProtocol = Field("protocol", .choice(of: WireProtocol.self), "HTTP/1.1 in clear text, HTTP/1.1 over TLS, or HTTP/2")
        static let attempt = Field(
            "attempt", .int(in: 1...Int.max),
            "the request's number among the attempts: requests of one customer with the same key, or else the same operation and body"
        )

        static let all: [any AnyField] = [
            role, operation, method, path, header, customer, token, connection, wireProtocol, attempt,
        ]

        /// Its only member; nil if there is none.
        private static let headerFormat = Format<JournalEntry.Header?>(
            .map(keys: "a header's name", Format<String>.text().schema),
            read: { node, complaints in
                let headers = Fields(node, of: "`header`", complaints).all
                if headers.count > 1 { complaints.add(found: "\(headers.count) headers", expected: "one", at: node.position) }
                let header: JournalEntry.Header? = headers.first.flatMap { name, _, value in
                    guard !value.isNull else { return value.wrong(complaints, "a text") }
                    return value.text(complaints).map { JournalEntry.Header(name, $0) }
                }
                return .some(header)
            }, write: { header in .object(JSONObject(header.map { [($0.name, .string($0.value))] } ?? [])) })
    }

    static let format: Format<RuleSelector> = .object(
        ObjectSchema("`on`", "The requests that a rule affects. All conditions that are given must hold.", fields: Key.all),
        read: { fields, _ in RuleSelector(fields) }, write: { $0.json })

    package func matches(_ exchange: ExchangeFacts) -> Bool {
        (role.map(exchange.roles.contains) ?? true)
            && (operation.map { $0 == exchange.operation } ?? true)
            && (method.map { $0 == exchange.method } ?? true)
            && (path.map { globMatches($0, exchange.path) } ?? true)
            && (header.map { exchange.hasHeader($0) } ?? true)
            && (customer.map { $0 == exchange.customer } ?? true)
            && (token.map { $0 == exchange.token } ?? true)
            && (connection.map { ($0 == .cold) == (exchange.requestOnConnection == 1) } ?? true)
            && (wireProtocol.map { $0 == exchange.wireProtocol } ?? true)
            && (attempt.map { $0 == exchange.attempt } ?? true)
    }

    /// The names of what is asked for.
    var memberNames: [String] { json.object?.members.map(\.key) ?? [] }

    private var json: JSON {
        var object = JSONObject()
        object.set(Key.role, role)
        object.set(Key.operation, operation)
        object.set(Key.method, method)
        object.set(Key.path, path)
        object.set(Key.header, header.map(Optional.some))
        object.set(Key.customer, customer)
        object.set(Key.token, token)
        object.set(Key.connection, connection)
        object.set(Key.wireProtocol, wireProtocol)
        object.set(Key.attempt, attempt)
        return .object(object)
    }
}

/// The properties of an exchange that a rule can select.
package struct ExchangeFacts: Sendable {
    package var roles: [Role]
    package var operation: String?
    package var method: String
    package var path: String
    package var headers: [JournalEntry.Header]
    package var customer: String?
    package var token: String?
    package var requestOnConnection: Int
    package var wireProtocol: WireProtocol
    /// The connection is under TLS.
    package var isSecure: Bool
    package var attempt: Int
    /// It came by a redirect to another address of its operation.
    package var hasFollowed: Bool
    /// The further abilities of the exchange that faults need.
    package var abilities: Set<FaultNeed>

    package init(
        roles: [Role] = [], operation: String? = nil, method: String = "GET", path: String = "/", headers: [JournalEntry.Header] = [],
        customer: String? = nil, token: String? = nil, requestOnConnection: Int = 1, wireProtocol: WireProtocol = .h1,
        isSecure: Bool = false, attempt: Int = 1, hasFollowed: Bool = false,
        abilities: Set<FaultNeed> = []
    ) {
        self.roles = roles
        self.operation = operation
        self.method = method
        self.path = path
        self.headers = headers
        self.customer = customer
        self.token = token
        self.attempt = attempt
        self.requestOnConnection = requestOnConnection
        self.wireProtocol = wireProtocol
        self.isSecure = isSecure
        self.hasFollowed = hasFollowed
        self.abilities = abilities
    }

    /// Whether the request has that header. Of `Accept-Encoding` only the codings count that the request accepts: `gzip;q=0` rejects gzip.
    func hasHeader(_ wanted: JournalEntry.Header) -> Bool {
        let isCodings = wanted.name.isHeaderName("accept-encoding")
        return headers.contains { header in
            let value = isCodings ? AcceptedCodings.accepted(in: header.value) : header.value
            return header.name.isHeaderName(wanted.name) && globMatches(wanted.value, value)
        }
    }
}
