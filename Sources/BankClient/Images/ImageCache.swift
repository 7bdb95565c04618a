public import BankModel

/// Where pictures lie that the bank lets a client keep. They are public, got without a token, and nobody's data.
public protocol ImageCache: Sendable {
    /// The picture of that address; nil if there is none that can be read.
    func picture(_ address: String) -> KeptImage?
    /// Keeps the picture in place of an older one; nil removes it. What cannot be kept is told to a person and otherwise no
    /// matter.
    func keep(_ picture: KeptImage?, at address: String)
    /// - Throws: ``StoreError`` if something is still there.
    func removeAll() throws(StoreError)
}

/// A picture, and what the bank said of keeping it.
public struct KeptImage: Sendable, Hashable {
    public var image: Image
    /// The bank's name for this version of it, quotes and all (RFC 9110 §8.8.3).
    public var etag: String?
    /// When it came, by the device's clock.
    public var since: Instant
    public var freshness: Freshness

    public init(image: Image, etag: String?, since: Instant, freshness: Freshness) {
        self.image = image
        self.etag = etag
        self.since = since
        self.freshness = freshness
    }

    /// False from the end of its time on, and when the device's clock was set back before its beginning.
    func isFresh(at now: Instant) -> Bool { since <= now && now < freshness.until }
}
