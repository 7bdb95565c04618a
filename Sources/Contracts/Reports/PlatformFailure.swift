import BankModel

/// A failure that the platform's own HTTP stack has too: a baseline, which is a client that is nothing but that stack, failed the
/// same instance in the same way.
package enum PlatformFailure: String, Sendable, CaseIterable {
    /// It is reported apart and counts as a failure.
    case shared
    /// It is reported apart and does not count.
    case forgiven
}

extension RunReport {
    /// The instances in which something failed, to run a baseline against: one that broke an invariant stands for it.
    package func failed(of instances: [Instance]) -> [Instance] {
        let names = Set(results.filter { $0.judgement.verdict == .fail && $0.known == nil }.map(\.instance.filterName))
        return instances.filter { names.contains($0.name) }
    }

    /// Marks each failure that the baseline has too: the same instance, and no reason that the baseline does not have, apart from
    /// numbers, ids and texts of the run. A reason that no other platform failure has makes a failure the client's.
    package mutating func mark(sharedWith baseline: RunReport, as mark: PlatformFailure) {
        var reasons: [String: Set<String>] = [:]
        for result in baseline.results where result.judgement.verdict == .fail {
            reasons[result.name, default: []].formUnion(result.judgement.kinds)
        }
        for index in results.indices where results[index].judgement.verdict == .fail && results[index].known == nil {
            guard let shared = reasons[results[index].name], shared.isSuperset(of: results[index].judgement.kinds) else { continue }
            results[index].platform = mark
        }
        self.baseline = baseline.client
    }
}

extension Judgement {
    /// Its reasons without what differs from run to run.
    fileprivate var kinds: Set<String> { Set(reasons.map { "\($0.finding.seen.shape). \($0.finding.expected.shape)" }) }
}

extension ReportDocument {
    /// The failures that a baseline has too, a line each below a title; empty if there is none.
    var platformLines: [String] {
        let shared = results.filter { $0.platform != nil }
        guard !shared.isEmpty else { return [] }
        let failures = count(.fail)
        let forgiven = shared.allSatisfy { $0.platform == .forgiven } ? ", which do not count" : ""
        let named = baseline.map { " (baseline \($0))" } ?? ""
        let title = "the platform does this too: \(shared.count) of \(counted(failures, "failure"))\(forgiven)\(named)"
        return [title.inOneLine] + shared.map { "platform \($0.name): \($0.headline ?? "")".inOneLine }
    }
}
