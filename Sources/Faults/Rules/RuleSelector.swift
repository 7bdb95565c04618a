package import BankModel

/// Which exchanges a rule is for: all of these that are given must hold.
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

    init(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: "`on`", complaints)
        role = fields["role"].flatMap { $0.choice(of: Role.self, complaints) }
        operation = fields["operation"].flatMap { $0.text(complaints) }
        method = fields["method"].flatMap { $0.text(complaints) }
        path = fields["path"].flatMap { $0.text(complaints) }
        if let node = fields["header"], let header = Fields(node, of: "`header`", complaints).all.first {
            self.header = JournalEntry.Header(header.key, header.value.scalar ?? "")
        }
        customer = fields["customer"].flatMap { $0.text(complaints) }
        token = fields["token"].flatMap { $0.text(complaints) }
        connection = fields["connection"].flatMap { $0.choice(of: Temperature.self, complaints) }
        wireProtocol = fields["protocol"].flatMap { $0.choice(of: WireProtocol.self, complaints) }
        attempt = fields["attempt"].flatMap { $0.int(in: 1...Int.max, complaints) }
        fields.finish()
    }

    /// Whether the exchange is one of these.
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

    var json: JSON {
        var object = JSONObject()
        object["role"] = role.map { .string($0.rawValue) }
        object["operation"] = operation.map(JSON.string)
        object["method"] = method.map(JSON.string)
        object["path"] = path.map(JSON.string)
        object["header"] = header.map { .object(JSONObject([($0.name, .string($0.value))])) }
        object["customer"] = customer.map(JSON.string)
        object["token"] = token.map(JSON.string)
        object["connection"] = connection.map { .string($0.rawValue) }
        object["protocol"] = wireProtocol.map { .string($0.rawValue) }
        object["attempt"] = attempt.map { .int($0) }
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
    /// The further abilities of the exchange that faults need.
    package var abilities: Set<FaultNeed>

    package init(
        roles: [Role] = [], operation: String? = nil, method: String = "GET", path: String = "/", headers: [JournalEntry.Header] = [],
        customer: String? = nil, token: String? = nil, requestOnConnection: Int = 1, wireProtocol: WireProtocol = .h1,
        isSecure: Bool = false, attempt: Int = 1,
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
        self.abilities = abilities
    }

    func hasHeader(_ wanted: JournalEntry.Header) -> Bool {
        headers.contains { $0.name.lowercased() == wanted.name.lowercased() && globMatches(wanted.value, $0.value) }
    }
}
