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

    /// The run with the document and the position of each case; a file outside `folder` is named by its own folder.
    package func located(_ suites: [Suite], _ invariants: [Invariant], from folder: String) -> ReportDocument {
        let cases =
            suites.flatMap(\.cases).map { ($0.id, $0.authority, $0.position) } + invariants.map { ($0.id, $0.authority, $0.position) }
        let found = Dictionary(cases.map { ($0.0, ($0.1, $0.2)) }) { first, _ in first }
        var document = self
        for index in results.indices {
            guard let (source, position) = found[results[index].caseID], let file = position.file else { continue }
            let isBelow = file.hasPrefix(folder + "/")
            let name = isBelow ? String(file.dropFirst(folder.count + 1)) : file.split(separator: "/").suffix(2).joined(separator: "/")
            document.results[index].source = source
            document.results[index].position = SourcePosition(file: name, line: position.line)
        }
        return document
    }

    /// All results that need attention, by cause and then by case: failures before the rest, money first, then tokens, then the other causes
    /// in the order of the run.
    var failures: [FailureReason] { causes(of: \.needsLooking) }

    /// The chosen results in that order.
    func causes(of isChosen: (Result) -> Bool) -> [FailureReason] {
        let chosen = results.indices.filter { isChosen(results[$0]) }
        let byKind = Dictionary(grouping: chosen) { Kind(results[$0]) }.sorted { ($0.value.first ?? 0) < ($1.value.first ?? 0) }
        let found = byKind.map { kind, indices in
            let cases = distinct(indices.map { results[$0].caseID }).map { id in
                FailureGroup(caseID: id, results: indices.filter { results[$0].caseID == id })
            }
            return FailureReason(cause: kind.cause, verdict: kind.verdict, cases: cases)
        }
        return [true, false].flatMap { isFailure in
            Cause.Topic.allCases.flatMap { topic in found.filter { ($0.verdict == .fail) == isFailure && $0.cause.topic == topic } }
        }
    }
}

extension ReportDocument.Result {
    /// The text of annotations and code hosts about a result: its headline, the notes, the reason, what to do, the command to run it again.
    func account(_ notes: String?...) -> String {
        let lines: [String?] =
            [headline ?? ""] + notes + [
                platform != nil ? "the platform does this too" : nil, "why: \(why)", advice.map { "do: \($0)" }, "again: \(again)",
            ]
        return lines.compactMap(\.self).joined(separator: "\n")
    }

    var needsLooking: Bool { !isKnownFailure && platform == nil && [.fail, .inconclusive, .harnessError].contains(verdict) }
}

/// Results of one case that have one reason.
struct FailureGroup: Sendable, Equatable {
    var caseID: String
    /// Their indices among the results of the run, in order.
    var results: [Int]
}

/// A cause, and the cases in which something went wrong because of it.
struct FailureReason: Sendable, Equatable {
    var cause: Cause
    var verdict: Verdict
    /// In the order in which they first come.
    var cases: [FailureGroup]

    /// `27 cases, 164 instances: the client sends a payment order again under a new idempotency key`
    var title: String { "\(size): \(cause.title)" }

    /// `27 cases, 164 instances`
    var size: String { "\(counted(cases.count, "case")), \(counted(instances, "instance"))" }

    var instances: Int { cases.reduce(0) { $0 + $1.results.count } }
}

/// What the results of one reason share.
private struct Kind: Hashable {
    let cause: Cause
    let verdict: Verdict

    init(_ result: ReportDocument.Result) {
        cause = result.cause ?? Cause(Cause.Topic(of: result.caseID), result.reasons.first?.seen ?? "")
        verdict = result.verdict
    }
}
