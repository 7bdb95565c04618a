import BankCore
import BankModel

/// Reads one mapping (WireMock's `StubMapping`).
struct StubReader {
    let notes: Notes
    /// The files in `__files`, by their paths there.
    let files: [String: [UInt8]]

    private static let known: Set<String> = [
        "id", "uuid", "name", "request", "response", "priority", "scenarioName", "requiredScenarioState", "newScenarioState", "persistent",
        "metadata", "insertionIndex",
    ]

    /// The mapping; nil if something in it that matters cannot be said, which is then noted, or cannot be read.
    func stub(_ piece: LocatedJSON, order: Int) -> Stub? {
        let warnings = notes.warnings.count
        let wrong = notes.complaints.errors.count
        guard let request = piece["request"], request.json.object != nil else {
            return notes.wrong(piece, expected: "a mapping with `request`")
        }
        var stub = Stub(
            piece: piece, priority: piece["priority"].flatMap(notes.int) ?? 5, order: order, name: piece["name"]?.json.string)
        notes.unknown(piece, known: StubReader.known, .ignored)
        readScenario(piece)
        RequestReader(notes: notes).read(request, into: &stub)
        if let response = piece["response"] {
            stub.reply = ResponseReader(notes: notes, files: files).reply(response)
        }
        let noted = notes.warnings[warnings...]
        stub.isWider = noted.contains { $0.effect == .wider }
        return noted.contains { $0.effect == .leftOut } || notes.complaints.errors.count > wrong ? nil : stub
    }

    /// Scenarios are states that responses move through; a bank's state is its tables.
    private func readScenario(_ piece: LocatedJSON) {
        guard piece["scenarioName"] != nil else { return }
        if let required = piece["requiredScenarioState"], required.json != "Started" {
            notes.cannot(.leftOut, required, "scenarios are not supported; only mappings of the first state, Started, are converted")
        } else if let next = piece["newScenarioState"] {
            notes.cannot(.ignored, next, "scenarios are not supported; the response of the first state is sent each time")
        } else if let required = piece["requiredScenarioState"] {
            notes.cannot(.ignored, required, "scenarios are not supported; the response of the first state is sent each time")
        }
    }
}
