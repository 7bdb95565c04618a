import BankModel

/// Answers that the bank gave a tag to, kept so that they need only be asked for again if they have changed
/// (RFC 9110 §13.1.2).
///
/// Only of what is public, such as cash machines. What a customer alone may see is kept in one place only, in the form in
/// which it is shown; and the six banks forbid to keep it as it came (`no-store`).
public struct TaggedAnswers: Sendable {
    private let cache: any DataCache
    private let clock: any ClientClock

    /// - Parameter cache: signing out removes what is kept here with all the rest: it tells what somebody looked at.
    public init(cache: any DataCache, clock: any ClientClock) {
        self.cache = cache
        self.clock = clock
    }

    /// What was kept of that address; nil if there is nothing that can be read.
    func answer(_ address: String) -> (tag: String, json: JSON)? {
        guard let kept = cache.entry(question(address), of: "")?.value, let tag = kept["etag"]?.string, let json = kept["json"] else {
            return nil
        }
        return (tag, json)
    }

    /// Keeps the answer if the bank allows it and has given it a tag.
    func keep(_ json: JSON, _ headers: HTTPHeaders, at address: String) {
        let now = clock.now()
        guard let tag = headers["ETag"], tag.utf8.count <= 1024, Freshness(headers, now: now) != nil else { return }
        cache.keep(CachedData(["etag": .string(tag), "json": json], asOf: now), as: question(address), of: "")
    }

    private func question(_ address: String) -> String { "tagged\0" + address }
}

extension BankCaller {
    /// A list that anybody may read, sent by the bank only if it has changed since it was last read.
    ///
    /// - Parameter list: reads the JSON of an answer.
    /// - Throws: ``ClientFailure``.
    func publicList<Row>(
        _ call: BankCall, _ list: (JSON) throws(ClientFailure) -> Listing<Row>
    ) async throws(ClientFailure) -> Listing<Row> {
        let address = baseURL + call.path
        let kept = call.authorised ? nil : tagged?.answer(address)
        // What can no longer be read is not asked with: the bank would only say that it is the same.
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
            // Rows that make no sense may have been damaged on the way: under their tag they would stay so.
            if !call.authorised, listing.setAside == 0 { tagged?.keep(json, response.headers, at: address) }
            return listing
        }
    }
}
