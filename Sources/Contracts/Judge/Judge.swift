import BankModel
import DriverProtocol

/// The verdict on one run: a pure function of the instance and the evidence.
///
/// Precedence: what broke outside the client; an unsupported step; what no client may do (hang, go away, say ok without a
/// request, what is `never` allowed); a world that was not as the case needs it; rules that bind in any world; a fault that
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
    unmet += lies(scene) + idle(scene)
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

/// Successes without a request behind them. A journal that dropped entries shows none: the request may be among them.
///
/// A view that says it is `stale` or `from_cache` needs none, nor do `status`, `logout` and a `login` with a token handed
/// over. A cacheable view (`atms`, `image`) or a completed intent needs one at any time before.
private func lies(_ scene: Scene) -> [Unmet] {
    guard scene.evidence.dropped == 0 else { return [] }
    return scene.steps.compactMap { step in
        guard let operation = step.action.operation, case .ok(let view) = scene.outcome(of: step.n) else { return nil }
        switch operation {
        case .status, .logout: return nil
        case .login where !(scene.instance?.bank.hasLoginCall ?? false): return nil
        default: break
        }
        if view["stale"]?.bool == true || view["from_cache"]?.bool == true { return nil }
        // A connection that ended before any head was read was no request.
        if scene.exchanges(during: step.n).contains(where: { $0.method != nil }) { return nil }
        let ended = scene.evidence.steps[step.n]?.ended ?? 0
        let earlier = scene.exchanges.filter { $0.monoNanoseconds <= ended }
        switch operation {
        case .atms, .image:
            if earlier.contains(where: { $0.roles.contains(operation.rawValue) }) { return nil }
        case .pay, .resume, .roundUp:
            if earlier.contains(where: { scene.intent(of: $0) == step.action.intent }) { return nil }
        default: break
        }
        // A client that takes the rest of an earlier response for the answer reports ok before the bank has read the request.
        if let late = scene.firstRequest(after: step, for: operation) {
            let microseconds = (late.monoNanoseconds - ended) / 1000
            return Unmet(.violation, .successBeforeRequest(step.named, late, microseconds: microseconds))
        }
        return Unmet(.violation, .successWithoutRequest(step.named))
    }
}

extension Scene {
    /// The first request for an operation that was read after a step had ended and before the client was asked for anything else.
    fileprivate func firstRequest(after step: NumberedStep, for operation: DriverOperation) -> JournalEntry? {
        let next = evidence.steps.filter { $0.key > step.n && asksClient(in: $0.key) }.map(\.value.started).min() ?? .max
        return exchanges(after: step.n).first { $0.roles.contains(operation.rawValue) && $0.monoNanoseconds < next }
    }

    /// Whether the client is asked for something in the step of that number.
    private func asksClient(in n: Int) -> Bool { steps.contains { $0.n == n && $0.action.asked != nil } }
}

extension NumberedStep {
    /// `step 4 (accounts)`
    var named: Phrase {
        let word = action.asked?.rawValue ?? String("\(action)".prefix { $0 != " " })
        return "step \(n) (\(fixed: word))"
    }
}

/// Steps of the harness that could not do their work: a client that was never killed in the middle, a disk with nothing on
/// it to damage or to refuse.
private func idle(_ scene: Scene) -> [Unmet] {
    scene.steps.compactMap { step in
        switch (step.action, scene.outcome(of: step.n)) {
        case (.kill, .killed?), (.kill, nil): nil
        case (.kill(let kill), let outcome?):
            Unmet(.inconclusive, .noKill(step.named, point: kill.at.rawValue, outcome: "\(outcome)"))
        case (.damageDisk, .skipped?):
            Unmet(.notExercised, .noFile(step.named, "the case damages the client's files"))
        case (.disk(let refusal), .skipped?):
            Unmet(.notExercised, .noFile(step.named, "in the case \(refusal.words)"))
        default: nil
        }
    }
}
