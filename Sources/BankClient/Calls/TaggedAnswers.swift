import BankModel

/// Cached answers that carry an entity tag, so that they are sent again only if they have changed (RFC 9110 §13.1.2).
///
/// Holds public answers only, such as cash machines. A customer's data is cached in one place only, in the form in which it
/// is shown; and the stub banks forbid caching it as sent (`no-store`).
package struct TaggedAnswers: Sendable {
    /// Signing out removes these answers with the rest, as they show what a customer has viewed.
    let cache: any DataCache
    let clock: any ClientClock

    /// The cached answer of that address; nil if there is none that can be read.
    func answer(_ address: String) -> (tag: String, json: JSON)? {
        guard let kept = cache.entry(question(address), of: "")?.value, let tag = kept["etag"]?.string, let json = kept["json"] else {
            return nil
        }
        return (tag, json)
    }

    /// Caches the response if the bank allows it and has tagged it.
    func store(_ json: JSON, _ headers: HTTPHeaders, at address: String) {
        let now = clock.now()
        guard let tag = headers["ETag"], tag.utf8.count <= 1024, Freshness(headers, now: now) != nil else { return }
        cache.store(CachedData(["etag": .string(tag), "json": json], asOf: now), as: question(address), of: "")
    }

    private func question(_ address: String) -> String { "tagged\0" + address }
}

extension BankCaller {
    /// A public list, sent by the bank only if it has changed since the last read.
    ///
    /// - Parameter list: reads the JSON of an answer.
    /// - Throws: ``ClientFailure``.
    func publicList<Row>(
        _ call: BankCall, _ list: (JSON) throws(ClientFailure) -> Listing<Row>
    ) async throws(ClientFailure) -> Listing<Row> {
        let address = baseURL + call.path
        let kept = call.authorised ? nil : tagged?.answer(address)
        // An unreadable entry is not revalidated: the bank would only confirm it.
        let known = kept.flatMap { try? list($0.json) }
        var call = call
        if let kept, known != nil {
            call.headers["If-None-Match"] = kept.tag
            call.expected.insert(304)
        }
        return try await read(call) { response throws(ClientFailure) in
            if response.status == 304, let known { return known }
            let json = try reader.json(response)
            let listing = try list(json)
            // Unreadable rows may have been damaged on the way: cached under the tag they would stay damaged.
            if !call.authorised, listing.setAside == 0 { tagged?.store(json, response.headers, at: address) }
            return listing
        }
    }
}
