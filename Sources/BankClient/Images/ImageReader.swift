import BankModel

/// Reads pictures: from the cache as long as the bank allows, else by asking whether they have changed.
struct ImageReader: Sendable {
    var cache: (any ImageCache)?
    var clock: any ClientClock

    /// - Parameter path: from the bank's address on; begins with `/`.
    func read(_ path: String, of bank: any ImageServing, by caller: BankCaller) async throws(ClientFailure) -> Image {
        let address = caller.baseURL + path
        let kept = cache?.picture(address)
        if let kept, kept.isFresh(at: clock.now()) { return kept.shown }
        do throws(ClientFailure) {
            switch try await bank.image(caller, path: path, unless: kept?.etag) {
            case .new(let image, let headers):
                let now = clock.now()
                let freshness = Freshness(headers, now: now)
                cache?.keep(freshness.map { KeptImage(image: image, etag: headers["ETag"], since: now, freshness: $0) }, at: address)
                return image
            case .unchanged(let headers):
                guard let kept else {
                    throw ClientFailure(.decode, "found 304, which nobody asked for, expected an image", mayHaveLeft: true)
                }
                cache?.keep(kept.renewed(by: headers, now: clock.now()), at: address)
                return kept.shown
            }
        } catch {
            guard let kept, error.mayShowOldData, !kept.freshness.mustAsk else { throw error }
            return kept.shown
        }
    }
}

extension KeptImage {
    fileprivate var shown: Image {
        var image = image
        image.isFromCache = true
        return image
    }

    /// What a 304 says of keeping stands for what was said before (RFC 9111 §4.3.4); what it leaves out stays: then the
    /// picture is shown this once and asked for again the next time. nil if it may be kept no longer.
    fileprivate func renewed(by headers: HTTPHeaders, now: Instant) -> KeptImage? {
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
