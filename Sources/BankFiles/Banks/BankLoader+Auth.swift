import BankCore
import BankModel

/// The tokens of a bank: where requests carry them, and how long they last.
extension BankLoader {
    func auth(_ node: Node) -> AuthPolicy {
        let fields = Fields(node, of: AuthKeys.schema, complaints)
        defer { fields.finish() }
        var policy = AuthPolicy(lifetime: fields[AuthKeys.lifetime] ?? .zero)
        policy.location = location(fields[AuthKeys.scheme] ?? .bearer, fields[AuthKeys.location], at: node.position)
        policy.scopes = fields[AuthKeys.scopes] ?? []
        let refresh = fields[AuthKeys.refresh]
        policy.refreshLifetime = refresh
        policy.rotation = fields[AuthKeys.rotation].flatMap { rotation($0, refresh: refresh) } ?? .always
        return policy
    }

    private func rotation(_ node: Node, refresh: Duration?) -> AuthPolicy.Rotation? {
        if refresh == nil {
            complaints.add(found: "`rotation`", expected: "it beside `refresh`: there are no refresh tokens", at: node.position)
        }
        guard case .scalar = node.content else {
            let fields = Fields(node, of: AuthKeys.graceSchema, complaints)
            let grace = fields[AuthKeys.grace]
            fields.finish()
            return grace.map(AuthPolicy.Rotation.grace)
        }
        return switch node.scalar {
        case "always": .always
        case "never": .never
        default: node.wrong(complaints, "always, never or {grace: 10s}")
        }
    }

    /// Where requests carry the token.
    private func location(_ scheme: AuthScheme, _ node: Node?, at position: SourcePosition) -> AuthPolicy.CredentialLocation {
        if scheme != .apiKey, let node {
            complaints.add(found: "`in`", expected: "it with `scheme: api-key` only", at: node.position)
        }
        switch scheme {
        case .bearer: return .bearer
        case .basic: return .basic
        case .apiKey:
            guard let node else {
                complaints.add("`in` is missing in auth: `scheme: api-key` needs the header, query field or cookie", at: position)
                return .bearer
            }
            let fields = Fields(node, of: AuthKeys.locations[0].key, complaints)
            let found = AuthKeys.locations.compactMap { location in fields[location.key]?.text(complaints).map { (location.key, $0) } }
            fields.finish()
            guard found.count == 1 else { return node.wrong(complaints, "one of header, query and cookie") ?? .bearer }
            return switch found[0].0 {
            case "header": .header(found[0].1)
            case "query": .query(found[0].1)
            default: .cookie(found[0].1)
            }
        }
    }
}
