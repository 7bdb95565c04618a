/// How many requests a bank accepts in a window of time; those beyond get the dialect's `rate-limited`.
package struct RateLimit: Sendable, Hashable {
    /// The number of requests of a window.
    package var requests: Int
    /// The length of a window, in whole seconds of the session's clock. It begins with its first request.
    package var within: Duration
    package var per: Grouping
    package var headers: HeaderStyle

    package init(requests: Int, within: Duration, per: Grouping = .token, headers: HeaderStyle = .ietf) {
        self.requests = requests
        self.within = within
        self.per = per
        self.headers = headers
    }

    /// Which requests are counted together.
    package enum Grouping: String, Sendable, CaseIterable {
        /// Those with the same token.
        case token
        /// Those of the same customer.
        case customer
        /// Those to the same operation, of all clients.
        case operation
    }

    /// The headers that show the limit in every response.
    package enum HeaderStyle: String, Sendable, CaseIterable {
        /// `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers).
        case ietf
        /// `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`.
        case x
        /// None but `Retry-After` beyond the limit.
        case none

        /// The names of the headers of every response.
        package var names: [String] {
            switch self {
            case .ietf: ["RateLimit-Policy", "RateLimit"]
            case .x: ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]
            case .none: []
            }
        }
    }
}

extension Operation {
    /// The limit for requests to an operation.
    package enum Limit: Sendable, Hashable {
        /// The dialect's, if it has one.
        case ofDialect
        /// Its own limit, counted separately, instead of the dialect's.
        case own(RateLimit)
        case none
    }

    /// The limit for its requests in a bank of that dialect; nil if there is none.
    package func rateLimit(_ dialect: Dialect) -> RateLimit? {
        switch limit {
        case .ofDialect: dialect.rateLimit
        case .own(let limit): limit
        case .none: nil
        }
    }
}
