package import BankModel

/// Reads images: from the cache for as long as the bank allows, otherwise by revalidation.
struct CachedImageReader: Sendable {
    var cache: FileImageCache?
    var clock: any ClientClock

    /// - Parameter path: the path at the bank's address; begins with `/`.
    func read(_ path: String, of bank: any ImageServing, by caller: BankCaller) async throws(ClientFailure) -> Image {
        let address = caller.baseURL + path
        let kept = cache?.picture(address)
        if let kept, kept.isFresh(at: clock.now()) { return kept.shown }
        do throws(ClientFailure) {
            switch try await bank.image(caller, path: path, unless: kept?.etag) {
            case .new(let image, let headers):
                let now = clock.now()
                let freshness = Freshness(headers, now: now)
                cache?.store(freshness.map { CachedImage(image: image, etag: headers["ETag"], since: now, freshness: $0) }, at: address)
                return image
            case .unchanged(let headers):
                guard let kept else {
                    throw ClientFailure(.decode, "found 304 for an unconditional request, expected an image", mayHaveLeft: true)
                }
                cache?.store(kept.renewed(by: headers, now: clock.now()), at: address)
                return kept.shown
            }
        } catch {
            guard let kept, error.mayShowOldData, !kept.freshness.mustAsk else { throw error }
            return kept.shown
        }
    }
}

extension CachedImage {
    fileprivate var shown: Image {
        var image = image
        image.isFromCache = true
        return image
    }

    /// Applies the caching rules of a 304 (RFC 9111 §4.3.4). If it states none, the previous rules remain: the image is shown
    /// once and revalidated at the next read. nil if it may no longer be cached.
    fileprivate func renewed(by headers: HTTPHeaders, now: Instant) -> CachedImage? {
        var kept = self
        kept.etag = headers["ETag"] ?? etag
        guard headers["Cache-Control"] != nil || headers["Expires"] != nil else { return kept }
        var complete = headers
        complete["ETag"] = kept.etag
        guard let freshness = Freshness(complete, now: now) else { return nil }
        (kept.freshness, kept.since) = (freshness, now)
        return kept
    }
}

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
