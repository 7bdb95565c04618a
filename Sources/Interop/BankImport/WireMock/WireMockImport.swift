package import BankModel

/// Turns a folder of WireMock's into a bank: pure, from files to files.
///
/// Read are `mappings/**/*.json` and `__files/`, or, where there is no `mappings/`, every JSON file outside `__files/`; a
/// file holds one mapping or `{"mappings": […]}`. Of two mappings that match a request, the one with the lower priority
/// number wins, then the newer; the last in the order of files and their lines is the newest.
package struct WireMockImport: Sendable {
    /// The folder of body files, below WireMock's folder.
    package static let bodies = "__files/"

    /// The bank's name.
    package var name: String

    /// Whether the source is one file of mappings, whatever it is called.
    package var isOneFile: Bool

    package init(name: String, isOneFile: Bool = false) {
        self.name = name
        self.isOneFile = isOneFile
    }

    /// The bank's folder, its dialect and its plan.
    ///
    /// - Parameter files: by their paths inside the folder.
    /// - Throws: every file that is not JSON or no mapping.
    package func convert(_ files: [ImportFile]) throws(ComplaintsError) -> Imported {
        let notes = ImportNotes(coercingScalars: true)
        let prefix = WireMockImport.bodies
        let bodies = Dictionary(
            files.filter { $0.path.hasPrefix(prefix) }.map { (String($0.path.dropFirst(prefix.count)), $0.bytes) }
        ) { first, _ in first }
        let reader = StubReader(notes: notes, files: bodies)
        let pieces = mappings(files, notes)
        let stubs = pieces.enumerated().compactMap { reader.stub($1, order: $0) }
        guard notes.complaints.errors.isEmpty else { throw ComplaintsError(notes.complaints.errors) }
        var bank = CannedBank(name: name, notes: notes, origin: .wireMock)
        bank.add(stubs)
        return try bank.imported(pieces.count, "mapping", of: "WireMock")
    }

    /// Every mapping, the oldest first.
    private func mappings(_ files: [ImportFile], _ notes: ImportNotes) -> [LocatedJSON] {
        let json = files.filter { (isOneFile || $0.path.hasSuffix(".json")) && !$0.path.hasPrefix(WireMockImport.bodies) }
        let inFolder = json.filter { $0.path.hasPrefix("mappings/") }
        let sources = (inFolder.isEmpty ? json : inFolder).sorted { $0.path < $1.path }
        if sources.isEmpty {
            notes.complaints.add(
                found: "no JSON file", expected: "mappings/*.json, or JSON files beside __files", at: SourcePosition(file: name))
        }
        return sources.flatMap { file -> [LocatedJSON] in
            guard let root = notes.json(file) else { return [] }
            guard let list = root["mappings"] else { return [named(root, 1)] }
            guard list.json.array != nil else { return notes.wrong(list, expected: "an array of mappings") ?? [] }
            return list.elements.enumerated().map { named($1, $0 + 1) }
        }
    }

    /// The mapping with its name in a user's words.
    private func named(_ piece: LocatedJSON, _ number: Int) -> LocatedJSON {
        let name = (piece["name"]?.json.string).map { "`\($0)`" } ?? (piece["id"] ?? piece["uuid"])?.json.string
        return piece.named(name ?? "mapping \(number)")
    }
}
