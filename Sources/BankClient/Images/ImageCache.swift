package import BankModel

/// Stores images that the bank allows a client to cache. They are public and requested without a token.
package protocol ImageCache: Sendable {
    /// The image of that address; nil if there is none that can be read.
    func picture(_ address: String) -> CachedImage?
    /// Stores the image, replacing an older one; nil removes it. A failure is reported to a user and otherwise ignored.
    func store(_ picture: CachedImage?, at address: String)
    /// - Throws: ``StorageError`` if something remains.
    func removeAll() throws(StorageError)
}

/// An image with the bank's caching rules for it.
package struct CachedImage: Sendable, Hashable {
    package var image: Image
    /// The bank's tag for this version, including its quotes (RFC 9110 §8.8.3).
    package var etag: String?
    /// The time it was received, by the device's clock.
    package var since: Instant
    package var freshness: Freshness

    package init(image: Image, etag: String?, since: Instant, freshness: Freshness) {
        self.image = image
        self.etag = etag
        self.since = since
        self.freshness = freshness
    }

    /// False once its lifetime has ended, and if the device's clock was set back before its beginning.
    func isFresh(at now: Instant) -> Bool { since <= now && now < freshness.until }
}
