package import BankModel

/// How long a response may be shown without revalidation (RFC 9111 §4.2), for a private cache.
package struct Freshness: Sendable, Hashable {
    /// By the device's clock.
    package var until: Instant
    /// True if it may not be shown after that time without revalidation, not even if the bank is unavailable (`no-cache`,
    /// `must-revalidate`).
    package var mustAsk: Bool

    /// A longer lifetime is limited to a year (RFC 9111 §1.2.2: any number must be accepted).
    private static let longest: Int64 = 31_536_000

    package init(until: Instant, mustAsk: Bool) {
        self.until = until
        self.mustAsk = mustAsk
    }

    /// nil if the response may not be cached: `no-store`, `Vary: *`, or neither a lifetime nor a tag for revalidation.
    ///
    /// Uses no heuristic lifetime.
    package init?(_ headers: HTTPHeaders, now: Instant) {
        let directives = Freshness.directives(headers)
        guard directives["no-store"] == nil, headers["Vary"]?.contains("*") != true else { return nil }
        let stated = directives["max-age"].map(Freshness.seconds) ?? Freshness.untilExpiry(headers)
        let asks = directives["no-cache"] != nil
        let lifetime = asks ? 0 : max(0, stated - (headers["Age"].map(Freshness.seconds) ?? 0))
        guard lifetime > 0 || headers["ETag"] != nil else { return nil }
        self.init(until: now + .seconds(lifetime), mustAsk: asks || directives["must-revalidate"] != nil)
    }

    /// `name` or `name=value`, separated by commas, over any number of lines; names without case.
    private static func directives(_ headers: HTTPHeaders) -> [String: String] {
        let lines = headers.lines.filter { $0.name.lowercased() == "cache-control" }
        var directives: [String: String] = [:]
        for part in lines.flatMap({ $0.value.split(separator: ",") }) {
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" } }
            guard let name = pair.first?.lowercased() else { continue }
            let value = pair.count > 1 ? pair[1] : ""
            // The first of two directives counts, or the shorter of two lifetimes: the safe reading (RFC 9111 §4.2.1).
            let known = directives[name].map { seconds($0) <= seconds(value) ? $0 : value }
            directives[name] = known ?? value
        }
        return directives
    }

    /// Parses digits; anything else counts as 0 (RFC 9111 §4.2.1: stale).
    private static func seconds(_ text: String) -> Int64 {
        guard text.isDigits else { return 0 }
        return min(longest, Int64(text) ?? longest)
    }

    /// Counts from the bank's own `Date`, as the device's clock may be wrong; without one the result is 0.
    private static func untilExpiry(_ headers: HTTPHeaders) -> Int64 {
        guard let expires = headers["Expires"].flatMap(Instant.init(httpDate:)), let date = headers["Date"].flatMap(Instant.init(httpDate:))
        else { return 0 }
        return min(longest, max(0, expires.seconds - date.seconds))
    }
}
