import BankModel

/// The quality of the test suite: which mutants it detected, and which it missed.
package struct MutationReport: Sendable {
    package var outcomes: [Outcome]
    /// The `must` cases that no mutant names, and the invariants that fewer than three name: too little shows that they can fail.
    package var unproved: [String]
    /// Why the hunt was not made to its end.
    package var trouble: String?

    /// - Parameter wanted: how many mutants must be detected; fewer outcomes than that are trouble.
    package init(_ outcomes: [Outcome], of wanted: Int, unproved: [String]) {
        let trouble = outcomes.count < wanted ? "the run ended after \(outcomes.count) of \(counted(wanted, "mutant"))" : nil
        self.outcomes = outcomes
        self.unproved = unproved
        self.trouble = trouble
    }

    package struct Outcome: Sendable {
        package var mutant: MutantRecord
        package var report: RunReport

        package init(_ mutant: MutantRecord, _ report: RunReport) {
            self.mutant = mutant
            self.report = report
        }

        /// The cases that were to kill it and did not.
        package var escaped: [String] { mutant.killedBy.filter { verdicts($0).allSatisfy { $0 != .fail } } }

        /// A defect besides its one mistake; nil if there is none.
        package var brokenness: String? {
            if let trouble = report.trouble { return "could not be run: \(trouble)" }
            if let result = report.results.first(where: { $0.judgement.verdict == .harnessError }) {
                return "breaks the harness in \(result.name): \(result.judgement.reasons.first?.finding.seen.text ?? "")"
            }
            let control = report.results.filter { ($0.instance.brokenIn?.caseID ?? $0.instance.caseID) == mutant.control }
            if let result = control.first(where: { ![.pass, .unsupported].contains($0.judgement.verdict) }) {
                let seen = result.judgement.reasons.first.map { ": \($0.finding.seen)" } ?? ""
                return "does not pass its control \(result.name) (\(result.judgement.verdict.rawValue)\(seen))"
            }
            let isExercised = control.contains { $0.judgement.verdict == .pass }
            return isExercised ? nil : "was not exercised by its control \(mutant.control)"
        }

        /// Detected by every case that it names, and only by those as far as others were run.
        package var isKilled: Bool { escaped.isEmpty && brokenness == nil }

        /// The first instance that detected it.
        package var killer: String? {
            report.results.first { $0.judgement.verdict == .fail && $0.instance.provedNames.contains(where: mutant.killedBy.contains) }?
                .name
        }

        private func verdicts(_ id: String) -> [Verdict] {
            report.results.filter { $0.instance.provedNames.contains(id) }.map(\.judgement.verdict)
        }
    }

    package var killed: Int { outcomes.count(where: \.isKilled) }

    /// `0` if every mutant was detected and every `must` case is proved, else what a failed run ends with.
    package var exitCode: ExitCode {
        if trouble != nil || outcomes.contains(where: { $0.report.trouble != nil }) { return .noVerdict }
        if outcomes.isEmpty { return .nothingExercised }
        return killed == outcomes.count && unproved.isEmpty ? .ok : .failed
    }

    /// One line a mutant, then what is not proved, then the sum: `61 of 61 mutants killed`.
    package var text: String {
        let width = outcomes.map(\.mutant.name.count).max() ?? 0
        var lines = outcomes.map { outcome in
            let isRun = outcome.report.trouble == nil
            let word = outcome.isKilled ? "killed  " : isRun ? "ESCAPED " : "NOT RUN "
            var text = "\(word)  \(outcome.mutant.name.padded(to: width))  \(outcome.isKilled ? outcome.killer ?? "" : "")"
            if !outcome.isKilled {
                var reasons = isRun ? outcome.escaped.map { "\($0) did not fail it" } : []
                if let brokenness = outcome.brokenness { reasons.append(brokenness) }
                text += "\(outcome.mutant.mistake): \(reasons.joined(separator: "; "))"
            }
            return text
        }
        lines += unproved.map { "UNPROVED  \($0)" }
        if let trouble { lines.append("no verdict: \(trouble)") }
        lines.append("\(killed) of \(counted(outcomes.count, "mutant")) killed")
        return lines.joined(separator: "\n") + "\n"
    }

    /// The `must` cases that no mutant names, and the invariants that fewer than three name, each with the reason.
    package static func unproved(named: [String], cases: [String], invariants: [Invariant]) -> [String] {
        // A case that an invariant is seen to be broken in is proved by that.
        let known = Set(named.map(MutantRecord.caseID))
        let bare = cases.filter { !known.contains($0) }.map { "\($0): no mutant names it" }
        let few = invariants.compactMap { invariant -> String? in
            let count = named.count { $0.hasPrefix(invariant.id + " ") }
            return count < Invariant.leastMutants
                ? "\(invariant.id): \(counted(count, "mutant")) named it, expected at least \(Invariant.leastMutants)" : nil
        }
        return bare + few
    }
}
