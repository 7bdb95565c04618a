import BankModel
import Faults

extension RunReport {
    /// The next thing to do about a result that is not a verdict on the client; nil for a verdict on it.
    ///
    /// Derived from the expectation that decided, and from the evidence; never from the words of a reason.
    func advice(_ result: InstanceResult) -> String? {
        guard [.inconclusive, .notExercised].contains(result.judgement.verdict) else { return nil }
        let instance = result.instance
        let evidence = result.evidence
        let skip = "--skip \(RunReport.quoted(instance.caseID))"
        let decisive = result.judgement.reasons.first
        let scene = Scene(instance, evidence)
        let deciding = decisive.flatMap { reason in instance.expectations.first { $0.judge(scene).contains(reason) } }
        switch deciding {
        case let control as ControlPredicate where result.judgement.verdict == .inconclusive:
            if let failed = failedPage(before: control.step, scene) { return "\(failed), or skip the case: \(skip)" }
            let step = instance.step(control.step).map { " (\($0.action))" } ?? ""
            return "step \(control.step)\(step) must succeed while no fault is active; compare the data that the client displays: "
                + "\(invocation) --bank \(instance.bank.name) --try"
        case is RejectedPredicate:
            if let failed = failedSignIn(scene) { return "\(failed), or skip the case: \(skip)" }
            if scene.exchanges.contains(where: { $0.has(.refresh) }) {
                return "nothing, if the client renewed its token before the bank could reject it; otherwise \(skip)"
            }
            guard scene.exchanges.contains(where: { $0.token != nil }) else {
                return "send the token with every request; if the bank's data is public, \(skip)"
            }
            return "send a request with the token once the bank has ended it, or skip the case: \(skip)"
        case let rule as FiredPredicate: return faultMissed(rule.rules(of: scene), decisive?.weight, scene) + ", or skip the case: \(skip)"
        case is GapPredicate: return "nothing, if the client leaves retries to the customer; otherwise \(skip)"
        case is StepPredicate where decisive?.weight == .inconclusive:
            return "write the expected view into the bank's folder, or skip the case: \(skip)"
        case is DiskPredicate where result.judgement.verdict == .inconclusive:
            return "keep the client's files in its folder, readable, and smaller than 64 MiB, or skip the case: \(skip)"
        default: break
        }
        if result.judgement.verdict == .notExercised { return "nothing, if the client need not do that; otherwise \(skip)" }
        if evidence.isClockUnreliable { return "run it again while nothing sets the machine's clock, and the machine does not sleep" }
        if evidence.dropped > 0 { return "run it alone; if its journal is still full, the client sends too many requests" }
        if let failed = failedPage(before: .max, scene) { return "\(failed), or skip the case: \(skip)" }
        return "run it alone; if it stays inconclusive, skip the case: \(skip)"
    }

    /// The request that the case's fault was set for and that never came.
    private func faultMissed(_ rules: [Evidence.ArmedRule], _ weight: UnmetExpectation.Weight?, _ scene: Scene) -> String {
        guard let armed = rules.first(where: { $0.applied == 0 }) ?? rules.first else {
            return failedSignIn(scene) ?? "the outage applied to no request: send one that it selects"
        }
        let rule = armed.rule
        let on = rule.on
        if weight == .notExercised, armed.applied > 0 || rule.count.leastNumber > 1 {
            return "nothing, if the client need not send more requests of this kind"
        }
        let request = on.role.map { "request of role \($0.rawValue)" } ?? (on.operation ?? on.method).map { "request \($0)" } ?? "request"
        if weight == .notExercised, let attempt = on.attempt, attempt > 1 {
            return "nothing, if the client need not retry (it sent no attempt \(attempt) of a \(request))"
        }
        if weight == .notExercised, let connection = on.connection {
            return "nothing, if the client need not do so (it sent no \(request) on a \(connection.rawValue) connection)"
        }
        if on.role != .login, let failed = failedSignIn(scene) { return failed }
        if weight == .notExercised {
            return "nothing, if the client need not do so (it sent no \(request) that the fault \(rule.kind) selects)"
        }
        return "the client sent no \(request) that the fault \(rule.kind) selects: send one"
    }

    /// The last visit of the bank's page before that step, if the customer could not sign in there.
    private func failedPage(before last: Int, _ scene: Scene) -> String? {
        var failed: (step: Int, outcome: StepOutcome)?
        for step in scene.steps where step.n < last {
            guard case .browser = step.action, let outcome = scene.outcome(of: step.n) else { continue }
            if case .error = outcome { failed = (step.n, outcome) } else { failed = nil }
        }
        guard let (step, outcome) = failed else { return nil }
        return "the sign-in on the bank's page failed before, in step \(step) (browser) with the \(outcome): "
            + "compare the address that `authorize_begin` shows with the bank's"
    }

    /// The sign-in without which the client could not send the request that the case is about; nil if none failed.
    private func failedSignIn(_ scene: Scene) -> String? {
        guard let (step, outcome) = scene.failedSignIn else { return nil }
        let ended = if case .error(let name, _) = outcome { "the error \(name)" } else { "\(outcome)" }
        return "the sign-in failed before, in step \(step.n) (\(step.action)) with \(ended): run it alone"
    }
}
