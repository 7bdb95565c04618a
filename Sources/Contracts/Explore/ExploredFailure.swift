import BankModel

/// A failure of a random scenario: which oracle noticed it, and what distinguishes it from others.
package struct ExploredFailure: Sendable {
    /// The name of an invariant, `ledger`, `displayed-data`, `success-after-response`, or `client-ended`.
    package var oracle: String
    /// The result that shows it: that of the case, or of the invariant that was broken in it.
    package var result: InstanceResult

    /// What distinguishes it from other failures: the oracle, and what happened without what differs from run to run.
    package var signature: String { "\(oracle): \(finding?.seen.shape ?? "")" }

    private var finding: Finding? { result.judgement.reasons.first?.finding }

    /// What happened, and the requirement.
    package var text: String { finding?.text ?? "" }

    /// A short name for the contract, which follows from the signature: `never-dies-3f2a`.
    package var name: String {
        let digits = String(SeededGenerator.hash(0, signature) & 0xFFFF, radix: 16)
        return "\(oracle)-" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// The failures of one run, the gravest first: the invariants that were broken in it; if none was, what the case itself expects. A
    /// failure counts only if its oracle is certain: what the case expects says nothing of a run that did not come to its end, and a step
    /// of the harness that could not do its work says nothing of the client.
    package static func all(in results: [InstanceResult]) -> [ExploredFailure] {
        let failed = results.filter { $0.judgement.verdict == .fail && $0.instance.level == .must }
        let broken = failed.filter { $0.instance.brokenIn != nil }
        if !broken.isEmpty {
            return broken.map { ExploredFailure(oracle: String($0.instance.caseID.dropFirst(Invariant.prefix.count)), result: $0) }
        }
        return failed.prefix(1).compactMap(expected)
    }

    private static func expected(_ result: InstanceResult) -> ExploredFailure? {
        func failure(_ oracle: String, _ unmet: [UnmetExpectation]) -> ExploredFailure? {
            var result = result
            result.judgement.reasons = unmet
            return ExploredFailure(oracle: oracle, result: result)
        }
        let reasons = result.judgement.reasons
        if result.evidence.clientTrouble != nil { return failure("client-ended", reasons) }
        guard result.instance.allSteps.allSatisfy({ result.evidence.steps[$0.n] != nil }) else { return nil }
        let scene = Scene(result.instance, result.evidence)
        for rule in ClientRule.ofEveryCase where rule.applies(to: scene) {
            let broken = rule.result(in: scene).broken
            if !broken.isEmpty { return failure("success-after-response", broken.map { UnmetExpectation(.violation, $0) }) }
        }
        for expectation in result.instance.expectations {
            let unmet = expectation.judge(scene).filter { $0.weight.verdict == .fail }
            guard !unmet.isEmpty else { continue }
            return failure(expectation is LedgerPredicate ? "ledger" : "displayed-data", unmet)
        }
        return nil
    }
}
