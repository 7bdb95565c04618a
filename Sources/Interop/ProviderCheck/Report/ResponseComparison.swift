import BankModel

/// The responses of both sides to one request, or to several of one operation, compared with each other.
package struct ResponseComparison: Sendable, Hashable {
    package private(set) var drifts: [Drift] = []
    /// Locations for which one side showed nothing.
    package private(set) var uncompared: [String] = []
    /// All drifts, for looking up: a provider may have as many new fields as its response has room for.
    private var noted: Set<Drift> = []

    /// The two responses.
    package enum Meaning: Sendable {
        case success
        /// The words by which programs distinguish rejections are compared too.
        case rejection
    }

    package init(stub: [ObservedResponse], provider: [ObservedResponse], _ meaning: Meaning = .success) {
        let statuses = Set(stub.map(\.status))
        let expected = statuses.sorted().map(String.init).joined(separator: " or ")
        for response in provider where !statuses.contains(response.status) {
            note(Drift(.otherStatus, stub: expected, provider: response.statusText))
        }
        let alike = provider.filter { statuses.contains($0.status) }
        let own = stub.filter { response in alike.contains { $0.status == response.status } }
        compareTypes(own, alike)
        compareBodies(own, alike)
        if meaning == .rejection { compareRejections(own, alike) }
    }

    private mutating func note(_ drift: Drift) { if noted.insert(drift).inserted { drifts.append(drift) } }

    private mutating func compareTypes(_ stub: [ObservedResponse], _ provider: [ObservedResponse]) {
        let types = Set(stub.filter { !$0.body.isEmpty }.map(\.mediaType))
        for response in provider where !response.body.isEmpty && !types.isEmpty && !types.contains(response.mediaType) {
            let expected = types.map { $0 ?? "no type" }.sorted().joined(separator: " or ")
            note(Drift(.otherContentType, stub: expected, provider: ResponseComparison.shown(response)))
        }
    }

    private mutating func compareBodies(_ stub: [ObservedResponse], _ provider: [ObservedResponse]) {
        let isEmpty = (stub: stub.allSatisfy(\.body.isEmpty), provider: provider.allSatisfy(\.body.isEmpty))
        if isEmpty.stub != isEmpty.provider, !stub.isEmpty, !provider.isEmpty {
            let (stubText, providerText) = isEmpty.stub ? ("no body", "a body") : ("a body", "no body")
            return note(Drift(.otherType, stub: stubText, provider: providerText))
        }
        for response in provider where response.saysJSON && !response.body.isEmpty && response.json == nil {
            note(
                Drift(
                    .noJSON, stub: "JSON",
                    provider: response.looksLikeHTML ? "an HTML page" : "\(response.body.count) bytes that are not JSON")
            )
        }
        let comparison = ShapeComparison(stub: ResponseComparison.shape(stub), provider: ResponseComparison.shape(provider))
        comparison.drifts.forEach { note($0) }
        uncompared += comparison.uncompared
    }

    private mutating func compareRejections(_ stub: [ObservedResponse], _ provider: [ObservedResponse]) {
        guard let own = stub.first, let other = provider.first else { return }
        if own.header("WWW-Authenticate") != nil, other.header("WWW-Authenticate") == nil {
            note(Drift(.missingHeader, stub: "the header WWW-Authenticate", provider: "nothing"))
        }
        if let expected = own.json, let seen = other.json { compareWords(expected, seen, at: "") }
    }

    private mutating func compareWords(_ stub: JSON, _ provider: JSON, at pointer: String) {
        switch (stub, provider) {
        case (.string(let word), .string(let other)) where ResponseComparison.isWord(word) && word != other:
            note(Drift(.otherErrorCode, at: pointer, stub: "`\(word)`", provider: "another text"))
        case (.object(let members), .object):
            for (name, value) in members.members {
                if let other = provider[name] { compareWords(value, other, at: "\(pointer)/\(name)") }
            }
        case (.array(let values), .array(let others)):
            for (number, pair) in zip(values, others).enumerated() { compareWords(pair.0, pair.1, at: "\(pointer)/\(number)") }
        default: break
        }
    }

    private static func shape(_ responses: [ObservedResponse]) -> Shape {
        var shape = Shape()
        for json in responses.compactMap(\.json) { shape.add(json) }
        return shape
    }

    /// Whether a text is for programs: one word, and not one that is generated for each response.
    private static func isWord(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0.isDigit || $0.isLetter || "._:-/".utf8.contains($0) } && TextForm(text) == .any
    }

    private static func shown(_ response: ObservedResponse) -> String {
        let type = response.mediaType.map { $0.utf8.count > 80 ? String($0.prefix(80)) + "…" : $0 } ?? "no type"
        return response.looksLikeHTML && type != "text/html" ? "\(type) (an HTML page)" : type
    }
}
