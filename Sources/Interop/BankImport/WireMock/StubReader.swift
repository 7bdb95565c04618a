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

    /// The mapping; nil if something in it that matters cannot be converted, which is then noted, or cannot be read.
    func stub(_ piece: LocatedJSON, order: Int) -> Stub? {
        let warnings = notes.warnings.count
        let wrong = notes.complaints.errors.count
        guard let request = piece["request"], request.json.object != nil else {
            return notes.wrong(piece, expected: "a mapping with `request`")
        }
        var stub = Stub(
            piece: piece, priority: piece["priority"].flatMap(notes.int) ?? 5, order: order, name: piece["name"]?.json.string)
        notes.unknown(piece, known: StubReader.known, .ignored)
        RequestReader(notes: notes).read(request, into: &stub)
        readScenario(piece, into: &stub)
        if let response = piece["response"] {
            stub.response = ResponseReader(notes: notes, files: files).response(response)
        }
        let noted = notes.warnings[warnings...]
        stub.isWider = noted.contains { $0.effect == .wider }
        return noted.contains { $0.effect == .leftOut } || notes.complaints.errors.count > wrong ? nil : stub
    }

    /// A scenario is a state of the session, which `Started` leaves as it is at first: without one.
    private func readScenario(_ piece: LocatedJSON, into stub: inout Stub) {
        guard let scenario = piece["scenarioName"].flatMap(notes.text) else { return }
        if let required = piece["requiredScenarioState"].flatMap(notes.text) {
            stub.when.append(Condition(.state, scenario, required == "Started" ? .absent : .value(.string(required))))
        }
        if let next = piece["newScenarioState"].flatMap(notes.text) {
            stub.then = (variable: scenario, state: next == "Started" ? nil : next)
        }
    }
}
