import BankCore
import BankModel

/// Reads a `rate_limit`.
struct RateLimitReader {
    let complaints: Complaints

    /// - Parameter usual: the headers of a limit that names none.
    func limit(_ node: Node, usual: RateLimit.HeaderStyle = .ietf) -> RateLimit? {
        let fields = Fields(node, of: RateLimitKeys.schema, complaints)
        let requests = fields[RateLimitKeys.requests]
        let within = fields[RateLimitKeys.within]
        let per = fields[RateLimitKeys.per] ?? .token
        let headers = fields[RateLimitKeys.headers] ?? usual
        fields.finish()
        guard let requests, let within else { return nil }
        return RateLimit(requests: requests, within: within, per: per, headers: headers)
    }

    /// The limit of an operation, or `none`.
    func limit(_ node: Node, in dialect: Dialect?) -> Operation.Limit {
        if node.scalar == "none" { return .none }
        guard case .mapping = node.content else {
            return node.wrong(complaints, "{requests: 100, within: 1m}, or `none`") ?? .ofDialect
        }
        return limit(node, usual: dialect?.rateLimit?.headers ?? .ietf).map { .own($0) } ?? .ofDialect
    }
}
