package import BankModel

/// An image with the bank's caching rules for it.
package struct CachedImage: Sendable, Hashable {
    package var image: Image
    /// The bank's tag for this version, including its quotes (RFC 9110 §8.8.3).
    package var etag: String?
    /// The time it was received, by the device's clock.
    package var since: Instant
    package var freshness: Freshness

    /// False once its lifetime has ended, and if the device's clock was set back before its beginning.
    func isFresh(at now: Instant) -> Bool { since <= now && now < freshness.until }
}
