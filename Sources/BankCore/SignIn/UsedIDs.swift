package import BankModel

/// The ids (`jti`) of signed tokens that clients have presented: a second use is a replay (RFC 9449 §11.1, RFC 7523 §3).
///
/// Like the counts of rate limits it is in no state file.
package struct UsedIDs: Sendable {
    /// The ends of their validity, by digests.
    private var ends: [String: Instant] = [:]

    /// The largest number of ids; those that are no longer valid are dropped then, or all if that is not enough.
    package static let largestCount = 50_000

    /// The number of ids that are stored.
    package var count: Int { ends.count }

    package init() {}

    /// Remembers an id.
    ///
    /// - Parameters:
    ///   - digest: of the id, and of the signer whose it is.
    ///   - end: the instant from which the signed token is not valid anyway.
    /// - Returns: whether the id is new.
    package mutating func insert(_ digest: String, until end: Instant, at now: Instant) -> Bool {
        if let known = ends[digest], now < known { return false }
        if ends.count >= UsedIDs.largestCount {
            ends = ends.filter { now < $0.value }
            if ends.count > UsedIDs.largestCount / 2 { ends = [:] }
        }
        ends[digest] = end
        return true
    }
}
