import BankModel

/// The verdicts of the invariants on one run.
package struct InvariantVerdicts: Sendable {
    /// The invariants that were broken, each with its breaches.
    package var broken: [(invariant: Invariant, unmet: [Unmet])] = []
    /// The ids of those that had something to look at and held.
    package var held: [String] = []

    package init() {}

    /// Judges a run: a pure function of the instance and the evidence.
    ///
    /// A run that broke down outside the client, or in which the client said `unsupported`, says nothing.
    package init(_ invariants: [Invariant], of instance: Instance, _ evidence: Evidence) {
        guard evidence.harnessTrouble == nil, !evidence.steps.values.contains(where: { $0.outcome == .unsupported }) else { return }
        let scene = Scene(instance, evidence)
        for invariant in invariants where !instance.exempt.contains(where: { $0.invariant == invariant.id }) {
            guard evidence.dropped == 0 || invariant.rule.survivesDroppedEntries else { continue }
            let findings = invariant.rule.check(scene)
            if !findings.broken.isEmpty {
                broken.append((invariant, findings.broken))
            } else if findings.met > 0 {
                held.append(invariant.id)
            }
        }
    }
}

extension Instance {
    /// The same run under the name of an invariant that was broken in it.
    package func brokenBy(_ invariant: Invariant) -> Instance {
        var instance = self
        instance.caseID = invariant.id
        instance.why = invariant.why
        instance.bugs = []
        instance.level = invariant.level
        instance.brokenIn = BrokenIn(instance: name, caseID: caseID)
        return instance
    }

    /// The names by which mutants call what must fail them: a case's id, with or without the bank (`data.exact-amounts@bins`), or
    /// `invariant.bounded in retry.bounded`.
    package var provedNames: [String] { brokenIn.map { ["\(caseID) in \($0.caseID)"] } ?? [caseID, "\(caseID)@\(bank.name)"] }
}
