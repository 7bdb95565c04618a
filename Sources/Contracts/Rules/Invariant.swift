package import BankModel

/// A requirement that applies to every run of every case: no case lists it, and none switches it off without a stated reason.
///
/// A case checks only what it lists; every run checks which money moved, whose token was sent and where a secret went, whatever
/// the case tests. A breach is a separate result, beside that of the case.
package struct Invariant: Sendable {
    /// `invariant.pays-what-was-wished`
    package var id: String
    /// The rule in a sentence.
    package var why: String
    package var level: ContractCase.Level
    /// Its source, such as `RFC 6750 §3.1`.
    package var authority: String?
    /// The condition that must be met, with its settings.
    package var rule: ClientRule
    package var position: SourcePosition

    /// The beginning of every id.
    package static let prefix = "invariant."
    static let suite = "invariant"

    /// The names that two had before 1.0, in files that were written then, and their present ones.
    private static let renamed = [
        "pays-only-wishes": "no-unrequested-payments", "told-as-it-was": "result-shown-as-received",
    ]

    /// The text with present names in place of earlier ones: a name, or a pattern over ids.
    package static func presentName(_ text: String) -> String { renamed.reduce(text) { $0.replacing($1.key, with: $1.value) } }

    /// How many mutants must show that it can be broken.
    package static let leastMutants = 3
}

/// The verdicts of the invariants on one run.
package struct InvariantVerdicts: Sendable {
    /// The invariants that were broken, each with its breaches.
    package var broken: [(invariant: Invariant, unmet: [UnmetExpectation])] = []
    /// The ids of those that applied and were met.
    package var held: [String] = []

    /// Checks a run: a pure function of the instance and the evidence.
    ///
    /// A run that broke down outside the client, or in which the client reported `unsupported`, does not count.
    package init(_ invariants: [Invariant], of instance: Instance, _ evidence: Evidence) {
        guard evidence.harnessTrouble == nil, !evidence.steps.values.contains(where: { $0.outcome == .unsupported }) else { return }
        let scene = Scene(instance, evidence)
        for invariant in invariants where !instance.exempt.contains(where: { $0.invariant == invariant.id }) {
            guard invariant.rule.applies(to: scene) else { continue }
            let findings = invariant.rule.findings(in: scene)
            if !findings.broken.isEmpty {
                broken.append((invariant, findings.broken.map { UnmetExpectation(.violation, $0) }))
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
