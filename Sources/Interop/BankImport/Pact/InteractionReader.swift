import BankCore
import BankModel

/// Reads one HTTP interaction of a pact as a canned response.
struct InteractionReader {
    let notes: Notes
    let version: PactVersion

    private static let known: Set<String> = [
        "type", "key", "description", "providerState", "providerStates", "provider_state", "request", "response", "pending", "comments",
        "transport", "interactionMarkup", "pluginConfiguration", "_id",
    ]

    /// The interaction; nil if something in it that matters cannot be converted, which is then noted, or cannot be read.
    func stub(_ piece: LocatedJSON, order: Int) -> Stub? {
        let warnings = notes.warnings.count
        let wrong = notes.complaints.errors.count
        guard let request = piece["request"], request.json.object != nil, let response = piece["response"], response.json.object != nil
        else { return notes.wrong(piece, expected: "an interaction with `request` and `response`") }
        notes.unknown(piece, known: InteractionReader.known, .ignored)
        if let plugin = piece["pluginConfiguration"] { notes.cannot(.leftOut, plugin, "plugins are not supported") }
        if let transport = piece["transport"], transport.json != "http" {
            notes.cannot(.leftOut, transport, "a bank supports HTTP only")
        }
        var stub = Stub(piece: piece, priority: 1, order: order, name: piece["description"]?.json.string)
        PactRequestReader(notes: notes, version: version, rules: PactRules(request, version, notes)).read(request, into: &stub)
        stub.response = PactResponseReader(notes: notes, version: version).response(response)
        let noted = notes.warnings[warnings...]
        stub.isWider = noted.contains { $0.effect == .wider }
        return noted.contains { $0.effect == .leftOut } || notes.complaints.errors.count > wrong ? nil : stub
    }
}
