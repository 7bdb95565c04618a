package import BankModel

/// How many requests there may be: `{requests: {role: pay, max: 3}}`.
package struct RequestsPredicate: Predicate {
    package static let name = "requests"

    package static let forms = [form("The permitted number of requests.", [body], example: "requests: {role: pay, max: 3}")]

    private static let body = Field(required: name, .node(.object(schema)), "the limits")
    private static let schema = ObjectSchema(
        "`requests`", "The number of requests that reach the bank.", fields: ExchangeFilter.fields + [fewest, most],
        rules: [.atLeastOne([fewest.key, most.key])])
    private static let fewest = Field("min", .int(in: 0...Int.max), "at least this many")
    private static let most = Field("max", .node(Format<Int>.int(in: 0...Int.max).schema), "at most this many, not below `min`")

    let filter: ExchangeFilter
    let allowed: ClosedRange<Int>

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let node = fields[Self.body] else { return nil }
        let inner = Fields(node, of: Self.schema, complaints)
        filter = ExchangeFilter(inner, outline, complaints)
        let least = inner[Self.fewest]
        let most = inner[Self.most].flatMap { $0.int(in: (least ?? 0)...Int.max, complaints) }
        inner.finish()
        guard least != nil || most != nil else {
            complaints.add("`requests` needs `min` or `max`", at: node.position)
            return nil
        }
        if least ?? 0 > 0 { outline.demand(filter.role, so: "no request can match", at: node.position, complaints) }
        allowed = (least ?? 0)...(most ?? .max)
    }

    package func judge(_ scene: Scene) -> [UnmetExpectation] {
        // A connection that ended before any head was read has an entry too, and is not a request.
        var requests = filter.exchanges(of: scene).filter { $0.method != nil }
        // None is allowed on a connection with the fault; one that was opened before may still be used.
        if allowed.upperBound == 0 { requests.removeAll(where: scene.isOnOlderConnection) }
        guard !allowed.contains(requests.count) else { return [] }
        // No client need have a form for the password.
        if requests.isEmpty, filter.role == .login, scene.signsInOnPage { return [UnmetExpectation(.absent, .noSuchRequest(filter.text))] }
        // Too many: the first that is one too many shows it.
        let last = requests.dropFirst(allowed.upperBound == .max ? requests.count : allowed.upperBound).first
        let text = RequestsPredicate.text(allowed)
        return [UnmetExpectation(.requests(requests.count, filter.text, allowed: text, isMinimum: allowed.upperBound == .max, last: last))]
    }

    /// `exactly 1 request`, `at least 2 requests`, `no request`.
    private static func text(_ allowed: ClosedRange<Int>) -> String {
        if allowed.upperBound == .max { return "at least \(counted(allowed.lowerBound, "request"))" }
        if allowed.upperBound == 0 { return "no request" }
        if allowed.count == 1 { return "exactly \(counted(allowed.lowerBound, "request"))" }
        let most = counted(allowed.upperBound, "request")
        return allowed.lowerBound == 0 ? "at most \(most)" : "\(allowed.lowerBound) to \(most)"
    }
}

/// In which order roles first come: `{order: [login, accounts]}`.
package struct OrderPredicate: Predicate {
    package static let name = "order"

    package static let forms = [form("The order of the first requests of roles.", [body], example: "order: [login, accounts]")]

    private static let body = Field(required: name, .node(.list(.words(Role.allCases.map(\.rawValue)), atLeast: 2)), "the roles, in order")

    let roles: [Role]

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let node = fields[Self.body], let nodes = node.elements(complaints) else { return nil }
        roles = nodes.compactMap { node in
            let role = node.choice(of: Role.self, complaints)
            outline.demand(role, so: "no request can match", at: node.position, complaints)
            return role
        }
    }

    package func judge(_ scene: Scene) -> [UnmetExpectation] {
        let exchanges = scene.exchanges
        var rest = exchanges[...]
        for role in roles {
            guard let index = rest.firstIndex(where: { $0.roles.contains(role.rawValue) }) else {
                let seen = exchanges.map { $0.roles.isEmpty ? $0.path : $0.roles.joined(separator: "+") }
                return [UnmetExpectation(.otherOrder(seen, expected: roles.map(\.rawValue)))]
            }
            rest = exchanges[(index + 1)...]
        }
        return []
    }
}
