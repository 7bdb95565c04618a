import BankModel

/// A failed case as the reports for code hosts list it: once, however many of its instances failed.
struct CaseFailure {
    /// The result that the report shows: the first that counts.
    let example: ReportDocument.Result
    /// How many instances failed in the same case.
    let count: Int

    /// `auth.no-empty-bearer@roundup[by=close] and 3 more`
    var title: String { (example.name + (count > 1 ? " and \(count - 1) more" : "")).inOneLine }

    /// The file of the case, and its line; the folder of the contracts if the report does not have it.
    var position: (path: String, line: Int) { (example.position?.file ?? "Contracts", example.position?.line ?? 1) }
}

extension ReportDocument {
    /// The cases that failed, and the invariants, in the order of the run. A case that is known to fail is among them.
    var caseFailures: [CaseFailure] {
        let failed = results.filter { $0.verdict == .fail }
        return distinct(failed.map(\.caseID)).compactMap { id in
            let own = failed.filter { $0.caseID == id }
            let counting = own.filter { !$0.isKnownFailure }
            let shown = counting.isEmpty ? own : counting
            let example = shown.first { $0.level == .must } ?? shown.first
            return example.map { CaseFailure(example: $0, count: shown.count) }
        }
    }

    /// Adds to each result where its case is written, and the document that the case is based on.
    ///
    /// - Parameter folder: the folder that files are named from; a file elsewhere is named by its own folder, as in
    ///   `Contracts/auth.refusals.yaml`.
    package mutating func locate(_ suites: [Suite], _ invariants: [Invariant], from folder: String) {
        let cases =
            suites.flatMap(\.cases).map { ($0.id, $0.authority, $0.position) } + invariants.map { ($0.id, $0.authority, $0.position) }
        let found = Dictionary(cases.map { ($0.0, ($0.1, $0.2)) }) { first, _ in first }
        for index in results.indices {
            guard let (source, position) = found[results[index].caseID], let file = position.file else { continue }
            let isBelow = file.hasPrefix(folder + "/")
            let name = isBelow ? String(file.dropFirst(folder.count + 1)) : file.split(separator: "/").suffix(2).joined(separator: "/")
            results[index].source = source
            results[index].position = SourcePosition(file: name, line: position.line)
        }
    }
}

extension ReportDocument.Result {
    /// The text of annotations and code hosts about a result: what happened and the requirement, then the reason, what to do, and the command that
    /// runs it again.
    ///
    /// - Parameter notes: lines that follow the first.
    func account(_ notes: String?...) -> String {
        let lines: [String?] =
            [headline ?? ""] + notes + [
                platform != nil ? "the platform does this too" : nil, "why: \(why)", advice.map { "do: \($0)" }, "again: \(again)",
            ]
        return lines.compactMap(\.self).joined(separator: "\n")
    }
}
