package import BankModel

/// Turns the toxics of one of Toxiproxy's proxies into an outage: pure, from bytes to bytes.
package struct ToxiproxyImport: Sendable {
    /// The proxy meant; nil where the file has one only.
    package var proxy: String?

    package init(proxy: String? = nil) { self.proxy = proxy }

    /// The plan.
    ///
    /// - Parameters:
    ///   - file: Toxiproxy's configuration (an array of proxies) or its answer to `GET /proxies` (an object of them).
    ///   - path: what the plan is to be called.
    /// - Throws: if the file is no such thing, or which proxy is meant is not clear.
    package func convert(_ file: ImportFile, to path: String) throws(ComplaintsError) -> Imported {
        let notes = ImportNotes()
        let rules = read(file, notes)
        guard let rules, notes.complaints.errors.isEmpty else { throw ComplaintsError(notes.complaints.errors) }
        guard !rules.isEmpty else {
            throw notes.rejection(
                "found no convertible toxic, expected at least one: a plan needs a rule", at: SourcePosition(file: file.path))
        }
        let plan = PlanText.file(path, about: "Imported from toxics of Toxiproxy.", rules: rules)
        return Imported(files: [plan], warnings: notes.warnings, rules: rules.count)
    }

    private func read(_ file: ImportFile, _ notes: ImportNotes) -> [JSON]? {
        guard let root = notes.json(file) else { return nil }
        let proxies = root.json.array == nil ? root.members.map(\.value) : root.elements
        let named = proxies.enumerated().map { index, piece in
            piece.named(piece["name"]?.json.string ?? root.json.object?.keys[index] ?? "proxy \(index + 1)")
        }
        guard !named.isEmpty, named.allSatisfy({ $0.json.object != nil }) else {
            return notes.wrong(root, expected: "an array or object of proxies" + OtherFile.remark(on: root.json))
        }
        let names = distinct(named.map(\.item))
        guard let wanted = proxy ?? (names.count == 1 ? names[0] : nil) else {
            notes.complaints.add(
                found: "\(named.count) proxies", expected: "one proxy, or --proxy with \(oneOf(names))",
                at: SourcePosition(file: file.path))
            return nil
        }
        guard let piece = named.first(where: { $0.item == wanted }) else {
            let hint = didYouMean(wanted, among: names)
            notes.complaints.add(found: "no proxy `\(wanted)`", expected: oneOf(names) + hint, at: SourcePosition(file: file.path))
            return nil
        }
        let count = named.count { $0.item == wanted }
        guard count == 1 else {
            notes.complaints.add(found: "\(count) proxies `\(wanted)`", expected: "one of that name", at: SourcePosition(file: file.path))
            return nil
        }
        return ToxicReader(notes: notes).rules(piece)
    }
}
