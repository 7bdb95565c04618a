import BankModel

/// How many results there are of each verdict. Every report of a run counts by it.
struct ResultCounts: Sendable, Hashable {
    private var all: [Verdict: Int] = [:]
    /// Those of them that do not count: known failures, those of the platform, and rules that a journal cannot decide.
    private var acceptedOnes: [Verdict: Int] = [:]

    init(_ results: some Sequence<ReportDocument.Result>) {
        for result in results {
            all[result.verdict, default: 0] += 1
            if result.isKnownFailure || result.isExcused { acceptedOnes[result.verdict, default: 0] += 1 }
        }
    }

    var total: Int { all.values.reduce(0, +) }

    func count(_ verdicts: Verdict...) -> Int { verdicts.reduce(0) { $0 + all[$1, default: 0] } }

    /// The number of those that do not count.
    func accepted(_ verdicts: Verdict...) -> Int { verdicts.reduce(0) { $0 + acceptedOnes[$1, default: 0] } }

    /// The number of failures that count.
    var failures: Int { count(.fail) - accepted(.fail) }

    /// The number of those without a verdict that count: JUnit has an error for each.
    var errors: Int { count(.harnessError, .inconclusive) - accepted(.harnessError, .inconclusive) }

    /// The number of all others that did not pass.
    var skipped: Int { total - count(.pass) - failures - errors }

    /// `38 passed, 2 failed, 1 of them known`: the verdicts that occur, and how many passed in any case if there is one that can.
    func text(hasPassed: Bool = true) -> String {
        let parts = Verdict.allCases.filter { $0 == .pass && hasPassed || count($0) > 0 }.map { verdict in
            let known = accepted(.fail)
            let note = verdict == .fail && known > 0 ? ", \(known) of them known" : ""
            return verdict == .harnessError ? counted(count(verdict), verdict.words) : "\(count(verdict)) \(verdict.words)\(note)"
        }
        return parts.joined(separator: ", ")
    }
}

extension ReportDocument {
    /// The results of the instances, each as often as it was repeated: without repetitions as many as `driver check` counts.
    var instanceResults: [Result] { results.filter { !$0.isOfInvariant } }

    /// The results of invariants that were broken in an instance, which has a result itself.
    var invariantResults: [Result] { results.filter(\.isOfInvariant) }
}

extension ReportDocument.Result {
    fileprivate var isOfInvariant: Bool { KnownFailing.instance(of: name) != nil }
}
