import BankModel

/// Reads what an interaction answers. Rules on it define what else a provider may answer: the example, which is sent, is one of these.
struct PactResponseReader {
    let notes: Notes
    let version: PactVersion

    func response(_ described: LocatedJSON) -> StubResponse {
        var response = StubResponse()
        notes.unknown(described, known: ["status", "headers", "body", "matchingRules", "generators", "bodyMatchers"], .ignored)
        for rule in PactRules(described, version, notes).unknown {
            notes.cannot(.ignored, rule, "this rule is unknown; the example is sent unchanged")
        }
        noteGenerators(described)
        if let piece = described["status"], let status = notes.int(piece) {
            response.status = status
            if !(200...599).contains(status) { notes.cannot(.leftOut, piece, "a status is from 200 to 599") }
        }
        let body = PactBody(described, version, notes)
        if let body {
            response.body = body.bytes
            response.suffix = body.json == nil ? "txt" : "json"
        }
        ResponseReader(notes: notes, files: [:]).readHeaders(described["headers"], into: &response)
        if let body, response.contentType == nil {
            response.contentType = body.contentType ?? (body.json == nil ? nil : "application/json")
        }
        return response
    }

    /// Generators make a value for each response; ours is the example.
    private func noteGenerators(_ described: LocatedJSON) {
        for (_, category) in described["generators"]?.members ?? [] {
            let isOne = category["type"] != nil
            for generator in isOne ? [category] : category.members.map(\.value) {
                notes.cannot(.approximate, generator, "the example is sent unchanged, not generated for each response")
            }
        }
    }
}
