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
            // Which wish money moved for, and whose a token or a text is, follows from entries that may have been dropped.
            guard evidence.dropped == 0 || invariant.rule.isShownByEntries else { continue }
            let finding = invariant.rule.check(scene)
            if !finding.broken.isEmpty {
                broken.append((invariant, finding.broken))
            } else if finding.met > 0 {
                held.append(invariant.id)
            }
        }
    }
}

extension Invariant.Rule {
    /// Whether each breach is shown by what there is: an entry, a file, a step's end. Nothing else is one where entries were dropped.
    fileprivate var isShownByEntries: Bool {
        switch self {
        case .noSecretInAddress, .noSecretOnDiskInClear, .noSecretInLog, .filesPrivate, .tlsStaysTLS, .sameWishSameBody, .neverHangs,
            .neverDies:
            true
        case .paysWhatWasWished, .paysOnlyWishes, .ownTokenOnly, .ownDataOnly, .otherWishOtherKey, .bounded, .toldAsItWas, .noForeignHost:
            false
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
