import BankCore
package import BankModel

/// Turns pacts into a bank: pure, from files to files.
///
/// Read are the HTTP interactions of pact files of the versions 2, 3 and 4. Of two interactions that one request would meet the
/// first stays; a location is a JSON Pointer (RFC 6901) into the pact.
package struct PactImport: Sendable {
    /// The bank's name.
    package var name: String

    package init(name: String) { self.name = name }

    /// The bank's folder and its dialect.
    ///
    /// - Parameter files: the pacts, by the paths that locations are reported with.
    /// - Throws: every file that is not JSON, no pact, or a pact without interactions; and all that kept a bank from having one.
    package func convert(_ files: [ImportFile]) throws(ComplaintsError) -> Imported {
        let notes = ImportNotes()
        var interactions: [(piece: LocatedJSON, version: PactVersion)] = []
        for file in files {
            guard let root = notes.json(file, root: ""), let version = PactVersion(root, notes) else { continue }
            interactions += listed(root, notes).map { ($0, version) }
        }
        let stubs = interactions.enumerated().compactMap { order, interaction in
            // A canned bank prefers the last of equals, as WireMock does; a pact's reader thinks of the first.
            InteractionReader(notes: notes, version: interaction.version).stub(interaction.piece, order: -order)
        }
        guard notes.complaints.errors.isEmpty else { throw ComplaintsError(notes.complaints.errors) }
        var bank = CannedBank(name: name, notes: notes, origin: .pact)
        bank.add(stubs)
        return try bank.imported(interactions.count, "interaction", of: "Pact")
    }

    /// The HTTP interactions of a pact; those of other kinds are noted.
    private func listed(_ root: LocatedJSON, _ notes: ImportNotes) -> [LocatedJSON] {
        notes.unknown(root, known: ["consumer", "provider", "interactions", "messages", "metadata"], .ignored)
        for plugin in root["metadata"]?["plugins"]?.elements ?? [] {
            notes.warn(.ignored, plugin, "plugins are not supported; content that needs one is skipped")
        }
        for key in ["interactions", "messages"] {
            if let piece = root[key], piece.json.array == nil { return notes.wrong(piece, expected: "an array") ?? [] }
        }
        func labelled(_ key: String, _ noun: String) -> [LocatedJSON] {
            (root[key]?.elements ?? []).enumerated().map { number, piece in
                piece.named((piece["description"]?.json.string).map { "`\($0)`" } ?? "\(noun) \(number + 1)")
            }
        }
        let (interactions, messages) = (labelled("interactions", "interaction"), labelled("messages", "message"))
        if interactions.isEmpty, messages.isEmpty {
            notes.complaints.add(
                found: "a pact without interactions", expected: "at least one interaction" + OtherFile.remark(on: root.json),
                at: SourcePosition(file: root.file))
        }
        for message in messages { notes.warn(.leftOut, message, "a bank supports HTTP only, no messages") }
        return interactions.filter { piece in
            guard let type = piece["type"], type.json != "Synchronous/HTTP" else { return true }
            notes.warn(.leftOut, type, "a bank supports HTTP only, no messages")
            return false
        }
    }
}

/// The version of the specification that a pact follows; it decides how rules, queries and bodies are written.
enum PactVersion: Int {
    case two = 2
    case three, four

    /// The version that the pact's metadata names, 2 with a note where it names none; a complaint if it is another.
    init?(_ root: LocatedJSON, _ notes: ImportNotes) {
        guard root.json.object != nil else {
            let _: Void? = notes.wrong(root, expected: "a pact: an object with `interactions`")
            return nil
        }
        let metadata = root["metadata"]
        let named =
            metadata?["pactSpecification"]?["version"] ?? metadata?["pact-specification"]?["version"]
            ?? metadata?["pactSpecificationVersion"]
        let expected = "a pact of version 2, 3 or 4 by its /metadata/pactSpecification/version"
        guard let named else {
            // Pacts are of version 2 by default: it is older than the metadata.
            notes.warn(.approximate, root.member("metadata").named("pact"), "it names no version: the pact is read as version 2")
            self = .two
            return
        }
        let text = named.json.plainText
        guard let number = text.split(separator: ".").first.flatMap({ Int($0) }), let version = PactVersion(rawValue: number) else {
            notes.complaints.add(
                found: "the version \(named.json.text)", expected: expected, at: SourcePosition(file: root.file, path: named.path))
            return nil
        }
        self = version
    }
}

/// Reads one HTTP interaction of a pact as a canned response.
struct InteractionReader {
    let notes: ImportNotes
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
        if let plugin = piece["pluginConfiguration"] { notes.warn(.leftOut, plugin, "plugins are not supported") }
        if let transport = piece["transport"], transport.json != "http" {
            notes.warn(.leftOut, transport, "a bank supports HTTP only")
        }
        var stub = Stub(piece: piece, priority: 1, order: order, name: piece["description"]?.json.string)
        PactRequestReader(notes: notes, version: version, rules: PactRules(request, version, notes)).read(request, into: &stub)
        stub.response = self.response(response)
        let noted = notes.warnings[warnings...]
        stub.isWider = noted.contains { $0.effect == .wider }
        return noted.contains { $0.effect == .leftOut } || notes.complaints.errors.count > wrong ? nil : stub
    }
}
