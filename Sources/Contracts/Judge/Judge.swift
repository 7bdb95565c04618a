import BankModel
import DriverProtocol

/// The verdict on one run: a pure function of the instance and the evidence.
///
/// Precedence: failures outside the client; an unsupported step; what no client may do (hang, exit, report ok without a
/// request, do what is `never` allowed); unmet preconditions; rules that apply whatever the preconditions; a fault for which no
/// request came; the other expectations; last what the client never did and is not required to do. A failure is inconclusive if
/// the machine's clock was set meanwhile, whatever its weight.
package func judge(_ instance: Instance, _ evidence: Evidence) -> Judgement {
    if let trouble = evidence.harnessTrouble {
        return Judgement(.harnessError, [UnmetExpectation(.inconclusive, .noRun(trouble))])
    }
    if let reason = evidence.beyondMachine {
        return Judgement(.unsupported, [UnmetExpectation(.notExercised, .beyondMachine(reason))])
    }
    let scene = Scene(instance, evidence)
    var unmet = unmetExpectations(of: instance, scene)
    if let trouble = evidence.clientTrouble {
        let hung = evidence.steps.filter { $0.value.outcome == .hung }.keys.min()
        let last = hung.flatMap { scene.exchanges(during: $0).last { $0.responseHeader("retry-after") != nil } }
        unmet.insert(UnmetExpectation(.violation, .clientEnded(trouble, isHang: hung != nil, mayWaitFor: last)), at: 0)
    } else if let step = instance.allSteps.first(where: { evidence.steps[$0.n]?.outcome == .unsupported }) {
        return Judgement(.unsupported, [UnmetExpectation(.notExercised, .stepUnsupported(step.named))])
    }
    for rule in ClientRule.ofEveryCase where rule.applies(to: scene) {
        unmet += rule.result(in: scene).broken.map { UnmetExpectation(.violation, $0) }
    }
    unmet += failedHarnessSteps(in: scene)
    // A client that the bank's own limit has stopped may have failed for that alone.
    if !unmet.isEmpty, let limited = evidence.journal.first(where: \.isBeyondLimit) {
        unmet.append(UnmetExpectation(.inconclusive, .limited(limited)))
    }
    if !unmet.isEmpty, let binding = scene.bindingOfTokens { unmet.append(UnmetExpectation(.notExercised, binding)) }
    if evidence.dropped > 0 {
        // Its remaining entries or the client's process show a violation. All other reasons may rest on an entry that was dropped.
        unmet =
            [UnmetExpectation(.inconclusive, .dropped(evidence.dropped))]
            + unmet.filter { [.violation, .inconclusive].contains($0.weight) }
    }
    let heaviest = UnmetExpectation.Weight.allCases.first { weight in unmet.contains { $0.weight == weight } }
    guard let heaviest else { return Judgement(.pass) }
    return Judgement(heaviest.verdict, unmet.filter { $0.weight == heaviest } + unmet.filter { $0.weight != heaviest })
        .unlessClockWasSet(in: evidence)
}

/// What is not met of the case's own expectations. Where a step before a fault that met no request fails the case, the expectations that may
/// depend on that fault are undecided.
private func unmetExpectations(of instance: Instance, _ scene: Scene) -> [UnmetExpectation] {
    let judged = instance.expectations.map { (expectation: $0, unmet: $0.judge(scene)) }
    let isFailedBefore = judged.contains { part in part.expectation is FiredPredicate && part.unmet.contains { $0.weight == .undecided } }
    return judged.flatMap { part -> [UnmetExpectation] in
        guard isFailedBefore, !scene.isBeforeMissedRules(part.expectation) else { return part.unmet }
        return part.unmet.map { $0.weight == .failure ? UnmetExpectation(.undecided, $0.finding) : $0 }
    }
}

extension Evidence {
    /// Whether the machine's clock was set so far that a client may have failed for that alone. Cases are exact to a second: the certificate
    /// that expires during `tls.expires-while-it-runs` leaves no more.
    package var isClockUnreliable: Bool { clockWasSet > .seconds(1) }
}

extension Judgement {
    /// The same; inconclusive in place of a failure if the machine's clock was set during the run. A certificate, an ID token, a cookie or a
    /// date in `Retry-After` ends by the clock that the client reads, and the harness cannot know which step the client decided by it.
    package func unlessClockWasSet(in evidence: Evidence) -> Judgement {
        guard verdict == .fail, evidence.isClockUnreliable else { return self }
        return Judgement(.inconclusive, [UnmetExpectation(.inconclusive, .clockWasSet(by: evidence.clockWasSet))] + reasons)
    }

    /// The same failure, inconclusive because the run was interrupted before the case was repeated alone.
    package var unrepeated: Judgement { Judgement(.inconclusive, [UnmetExpectation(.inconclusive, .unrepeated())] + reasons) }
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

/// Steps of the harness that failed: a client that was never killed in the middle, a disk with nothing on it to damage or to block, a
/// sign-in page that did not open.
private func failedHarnessSteps(in scene: Scene) -> [UnmetExpectation] {
    scene.steps.compactMap { step in
        switch (step.action, scene.outcome(of: step.n)) {
        case (.kill, .killed?), (.kill, nil): nil
        case (.kill(let kill), let outcome?):
            UnmetExpectation(.inconclusive, .noKill(step.named, point: kill.at.rawValue, outcome: "\(outcome)"))
        case (.damageDisk, .skipped?):
            UnmetExpectation(.notExercised, .noFile(step.named, "the case damages the client's files"))
        case (.browser, .skipped?): UnmetExpectation(scene.hasNothingToOpen(before: step) ? .notExercised : .failure, .noPage(step.named))
        case (.browser, .error?) where scene.opensChallengeWithoutClient(in: step):
            UnmetExpectation(.notExercised, .pageWithoutClient(step.named))
        case (.browser, .error(let name, let detail)?):
            // What the bank does not accept, and shows on its page only, is how the app is registered there.
            name == PageTrouble.foreign.rawValue
                ? UnmetExpectation(.pageElsewhere(step.named, detail ?? ""))
                : UnmetExpectation(.inconclusive, .pageFailed(step.named, detail ?? ""))
        case (.happen, .error(_, let detail)?), (.webhook, .error(_, let detail)?), (.challenge, .error(_, let detail)?):
            // Without the payment of an optional step there may be nothing that the event could be about.
            UnmetExpectation(
                scene.optionalFailures.contains { $0.n < step.n } ? .notExercised : .inconclusive, .noEvent(step.named, detail ?? ""))
        case (.disk(let refusal), .skipped?):
            UnmetExpectation(.notExercised, .noFile(step.named, "in the case \(refusal.words)"))
        default: nil
        }
    }
}
