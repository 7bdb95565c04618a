import BankModel
import DriverProtocol

/// The verdict on one run: a pure function of the instance and the evidence.
///
/// A run without a result for the client ends here. Otherwise all that is unmet is listed, and the first weight in the order of
/// ``UnmetExpectation/Weight`` decides. A failure is inconclusive if the machine's clock was set meanwhile, whatever its weight.
package func judge(_ instance: Instance, _ evidence: Evidence) -> Judgement {
    if let noResult = judgementWithoutResult(instance, evidence) { return noResult }
    let scene = Scene(instance, evidence)
    let unmet =
        endOfClient(in: scene) + unmetExpectations(of: instance, scene) + brokenRules(in: scene) + failedHarnessSteps(in: scene)
    return judgement(on: decidable(unmet + otherCauses(of: unmet, in: scene), evidence)).unlessClockWasSet(in: evidence)
}

/// The judgement on a run that shows nothing of the client: something else failed, or a step cannot be done. A client that ended shows that,
/// whatever it does not support.
private func judgementWithoutResult(_ instance: Instance, _ evidence: Evidence) -> Judgement? {
    if let trouble = evidence.harnessTrouble { return Judgement(.harnessError, [UnmetExpectation(.inconclusive, .noRun(trouble))]) }
    if let reason = evidence.beyondMachine { return Judgement(.unsupported, [UnmetExpectation(.notExercised, .beyondMachine(reason))]) }
    guard evidence.clientTrouble == nil,
        let step = instance.allSteps.first(where: { evidence.steps[$0.n]?.outcome == .unsupported })
    else { return nil }
    return Judgement(.unsupported, [UnmetExpectation(.notExercised, .stepUnsupported(step.named))])
}

/// The verdict of the heaviest reason, which is put first; a pass without any.
private func judgement(on unmet: [UnmetExpectation]) -> Judgement {
    let heaviest = UnmetExpectation.Weight.allCases.first { weight in unmet.contains { $0.weight == weight } }
    guard let heaviest else { return Judgement(.pass) }
    return Judgement(heaviest.verdict, unmet.filter { $0.weight == heaviest } + unmet.filter { $0.weight != heaviest })
}

/// What of this can be decided from a journal that may have dropped entries: its remaining entries or the client's process show a violation,
/// all other reasons may rest on an entry that was dropped.
private func decidable(_ unmet: [UnmetExpectation], _ evidence: Evidence) -> [UnmetExpectation] {
    guard evidence.dropped > 0 else { return unmet }
    return [UnmetExpectation(.inconclusive, .dropped(evidence.dropped))] + unmet.filter { [.violation, .inconclusive].contains($0.weight) }
}

/// What a client may have failed for alone, if anything is unmet: the bank's own limit stopped it, or it binds its tokens to a key.
private func otherCauses(of unmet: [UnmetExpectation], in scene: Scene) -> [UnmetExpectation] {
    guard !unmet.isEmpty else { return [] }
    let limited = scene.evidence.journal.first(where: \.isBeyondLimit).map { UnmetExpectation(.inconclusive, .limited($0)) }
    let binding = scene.bindingOfTokens.map { UnmetExpectation(.notExercised, $0) }
    return [limited, binding].compactMap(\.self)
}

/// That the client hung or exited.
private func endOfClient(in scene: Scene) -> [UnmetExpectation] {
    guard let trouble = scene.evidence.clientTrouble else { return [] }
    let hung = scene.evidence.steps.filter { $0.value.outcome == .hung }.keys.min()
    let last = hung.flatMap { scene.exchanges(during: $0).last { $0.responseHeader("retry-after") != nil } }
    return [UnmetExpectation(.violation, .clientEnded(trouble, isHang: hung != nil, mayWaitFor: last))]
}

/// What breaks a rule of every case, such as a success that is reported without a request.
private func brokenRules(in scene: Scene) -> [UnmetExpectation] {
    ClientRule.ofEveryCase.filter { $0.applies(to: scene) }.flatMap { $0.result(in: scene).broken }.map { UnmetExpectation(.violation, $0) }
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
            UnmetExpectation(
                kill.operation == .logout && scene.signsOutWithoutRequest(in: step.n) ? .notExercised : .inconclusive,
                .noKill(step.named, point: kill.at.rawValue, outcome: "\(outcome)"))
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
