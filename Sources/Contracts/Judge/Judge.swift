import BankModel
import DriverProtocol

/// The verdict on one run: a pure function of the instance and the evidence.
///
/// Precedence: what broke outside the client; an unsupported step; what no client may do (hang, go away, say ok without a
/// request, what is `never` allowed); preconditions that were not met; rules that apply whatever the preconditions; a fault that
/// never met its request; the other expectations; last what the client never did and need not do.
package func judge(_ instance: Instance, _ evidence: Evidence) -> Judgement {
    if let trouble = evidence.harnessTrouble {
        return Judgement(.harnessError, [Unmet(.inconclusive, .noRun(trouble))])
    }
    if let reason = evidence.beyondMachine {
        return Judgement(.unsupported, [Unmet(.notExercised, .beyondMachine(reason))])
    }
    let scene = Scene(instance, evidence)
    var unmet = instance.expectations.flatMap { $0.judge(scene) }
    if let trouble = evidence.clientTrouble {
        let hung = evidence.steps.filter { $0.value.outcome == .hung }.keys.min()
        let last = hung.flatMap { scene.exchanges(during: $0).last { $0.replyHeader("retry-after") != nil } }
        unmet.insert(Unmet(.violation, .clientEnded(trouble, isHang: hung != nil, mayWaitFor: last)), at: 0)
    } else if let step = instance.allSteps.first(where: { evidence.steps[$0.n]?.outcome == .unsupported }) {
        return Judgement(.unsupported, [Unmet(.notExercised, .stepUnsupported(step.named))])
    }
    for rule in ClientRule.ofEveryCase where rule.applies(to: scene) {
        unmet += rule.findings(in: scene).broken.map { Unmet(.violation, $0) }
    }
    unmet += idle(scene)
    // A client that the bank's own limit has stopped may have failed for that alone.
    if !unmet.isEmpty, let limited = evidence.journal.first(where: \.isBeyondLimit) {
        unmet.append(Unmet(.inconclusive, .limited(limited)))
    }
    if evidence.dropped > 0 { unmet = withoutAbsence(unmet, evidence.dropped) }
    let heaviest = Unmet.Weight.allCases.first { weight in unmet.contains { $0.weight == weight } }
    guard let heaviest else { return Judgement(.pass) }
    return Judgement(heaviest.verdict, unmet.filter { $0.weight == heaviest } + unmet.filter { $0.weight != heaviest })
}

/// The reasons that hold though the journal dropped entries: violations, which its remaining entries or the client's process
/// show, and what kept the case from being judged. All others may rest on an entry that was dropped.
private func withoutAbsence(_ unmet: [Unmet], _ dropped: Int) -> [Unmet] {
    [Unmet(.inconclusive, .dropped(dropped))] + unmet.filter { [.violation, .inconclusive].contains($0.weight) }
}

extension NumberedStep {
    /// `step 4 (accounts)`
    var named: Phrase {
        let word = action.asked?.rawValue ?? String("\(action)".prefix { $0 != " " })
        return "step \(n) (\(fixed: word))"
    }
}

/// Why a step `browser` did not come to its end.
package enum PageTrouble: String, Sendable {
    /// The client's address does not lead to the bank.
    case foreign = "foreign-address"
    /// The bank's page shows an error, or none came.
    case page = "page-error"
}

/// Steps of the harness that could not do their work: a client that was never killed in the middle, a disk with nothing on
/// it to damage or to block, a sign-in page that did not open.
private func idle(_ scene: Scene) -> [Unmet] {
    scene.steps.compactMap { step in
        switch (step.action, scene.outcome(of: step.n)) {
        case (.kill, .killed?), (.kill, nil): nil
        case (.kill(let kill), let outcome?):
            Unmet(.inconclusive, .noKill(step.named, point: kill.at.rawValue, outcome: "\(outcome)"))
        case (.damageDisk, .skipped?):
            Unmet(.notExercised, .noFile(step.named, "the case damages the client's files"))
        case (.browser, .skipped?): Unmet(.noPage(step.named))
        case (.browser, .error(let name, let detail)?):
            // What the bank does not accept, and shows on its page only, is how the app is registered there.
            name == PageTrouble.foreign.rawValue
                ? Unmet(.pageElsewhere(step.named, detail ?? ""))
                : Unmet(.inconclusive, .pageFailed(step.named, detail ?? ""))
        case (.happen, .error(_, let detail)?): Unmet(.inconclusive, .noEvent(step.named, detail ?? ""))
        case (.disk(let refusal), .skipped?):
            Unmet(.notExercised, .noFile(step.named, "in the case \(refusal.words)"))
        default: nil
        }
    }
}
