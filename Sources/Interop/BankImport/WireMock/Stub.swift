import BankCore
import BankModel

/// One WireMock mapping, as far as it can be converted.
struct Stub {
    let piece: LocatedJSON
    /// 1 comes before 5, which is what a mapping without one has.
    let priority: Int
    /// Its index among all mappings read; of equal priority the later wins.
    let order: Int
    /// Its own name, if it has one.
    let name: String?
    var methods: [String] = []
    var path = ""
    var when: [Condition] = []
    /// The state that it sets; nil is the one at first.
    var then: (variable: String, state: String?)?
    /// It answers more than the mapping does: those converted whole stand before it.
    var isWider = false
    var response = StubResponse()
}

/// The response of a mapping.
struct StubResponse {
    var status = 200
    /// Texts, or values of the bank language; a name may come twice.
    var headers: [(name: String, value: JSON)] = []
    var contentType: String?
    var body: [UInt8] = []
    /// The body as a value of the bank language, where it depends on the request.
    var template: JSON?
    /// The file's name in `__files`; nil for a body in the mapping.
    var file: String?
    /// The file extension of a body from the mapping: `json`, `txt`, `bin`.
    var suffix = "txt"
    /// Faults, each as a rule without `on`.
    var rules: [JSON] = []

    /// The headers that the server sets itself.
    private static let framing: Set<String> = ["transfer-encoding", "connection", "keep-alive", "trailer", "upgrade"]

    /// Takes the headers that a bank can send; the others are noted.
    mutating func readHeaders(_ lines: LocatedJSON?, _ notes: ImportNotes) {
        for (name, piece) in lines?.members ?? [] {
            let values = piece.json.array == nil ? [piece] : piece.elements
            let texts = values.compactMap { $0.json.string ?? $0.json.number?.digits ?? notes.text($0) }
            let lower = name.lowercased()
            if !name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) }) || name.isEmpty {
                notes.warn(.ignored, piece, "not a header name (RFC 9110 §5.6.2)")
            } else if StubResponse.framing.contains(lower) {
                notes.warn(.ignored, piece, "the server determines the framing of a body")
            } else if lower == "content-length" {
                guard texts != [String(body.count)] else { continue }
                notes.warn(.ignored, piece, "the length is that of the body; for a false one, use the fault `longer-length`")
            } else if lower == "date" {
                notes.warn(.ignored, piece, "the server sends the date of its own clock (RFC 9110 §6.6.1)")
            } else if texts.contains(where: { text in text.utf8.contains { $0 < 0x20 && $0 != 9 || $0 == 0x7F } }) {
                notes.warn(.ignored, piece, "a header is one line of text")
            } else if lower == "content-type", !body.isEmpty {
                let type = texts.joined(separator: ", ")
                contentType = type.isEmpty ? nil : type
            } else {
                headers += texts.map { (name, .string($0)) }
            }
        }
    }
}

/// Reads one mapping (WireMock's `StubMapping`).
struct StubReader {
    let notes: ImportNotes
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
            return notes.wrong(piece, expected: "a mapping with `request`" + OtherFile.remark(on: piece.json))
        }
        var stub = Stub(piece: piece, priority: piece["priority"].flatMap(notes.int) ?? 5, order: order, name: piece["name"]?.json.string)
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
