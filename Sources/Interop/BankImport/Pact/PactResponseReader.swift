import BankModel

/// Reads what an interaction answers. Rules on it define what else a provider may answer: the example, which is sent, is one of these.
struct PactResponseReader {
    let notes: Notes
    let version: PactVersion

    func reply(_ response: LocatedJSON) -> StubResponse {
        var reply = StubResponse()
        notes.unknown(response, known: ["status", "headers", "body", "matchingRules", "generators", "bodyMatchers"], .ignored)
        for rule in PactRules(response, version, notes).unknown {
            notes.cannot(.ignored, rule, "this rule is unknown; the example is sent unchanged")
        }
        noteGenerators(response)
        if let piece = response["status"], let status = notes.int(piece) {
            reply.status = status
            if !(200...599).contains(status) { notes.cannot(.leftOut, piece, "a status is from 200 to 599") }
        }
        let body = PactBody(response, version, notes)
        if let body {
            reply.body = body.bytes
            reply.suffix = body.json == nil ? "txt" : "json"
        }
        ResponseReader(notes: notes, files: [:]).readHeaders(response["headers"], into: &reply)
        if let body, reply.contentType == nil {
            reply.contentType = body.contentType ?? (body.json == nil ? nil : "application/json")
        }
        return reply
    }

    /// Generators make a value for each response; ours is the example.
    private func noteGenerators(_ response: LocatedJSON) {
        for (_, category) in response["generators"]?.members ?? [] {
            let isOne = category["type"] != nil
            for generator in isOne ? [category] : category.members.map(\.value) {
                notes.cannot(.approximate, generator, "the example is sent unchanged, not generated for each response")
            }
        }
    }
}
