import BankModel

/// Results of one case that have one reason.
struct FailureGroup: Sendable, Equatable {
    var caseID: String
    /// Their indices among the results of the run, in order.
    var results: [Int]
}

/// A cause, and the cases in which something went wrong because of it.
struct FailureReason: Sendable, Equatable {
    var cause: Cause
    /// The verdict of its results.
    var verdict: Verdict
    /// In the order in which they first come.
    var cases: [FailureGroup]

    /// `27 cases, 164 instances: the client sends a payment order again under a new idempotency key`
    var title: String { "\(size): \(cause.title)" }

    /// `27 cases, 164 instances`
    var size: String { "\(counted(cases.count, "case")), \(counted(instances, "instance"))" }

    var instances: Int { cases.reduce(0) { $0 + $1.results.count } }
}

extension ReportDocument {
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

/// What the results of one reason share.
private struct Kind: Hashable {
    let cause: Cause
    let verdict: Verdict

    init(_ result: ReportDocument.Result) {
        cause = result.cause ?? Cause(Cause.Topic(of: result.caseID), result.reasons.first?.seen ?? "")
        verdict = result.verdict
    }
}

extension ReportDocument.Result {
    /// Whether the result needs attention.
    var needsLooking: Bool { !isKnownFailure && platform == nil && [.fail, .inconclusive, .harnessError].contains(verdict) }
}
