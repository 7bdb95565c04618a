package import BankModel

/// The case's rules were applied at least that often: `{fired: 1}`, or the rule of one step was: `{fired: {step: lost}}`.
///
/// Unmet because no exchange met a rule's `attempt`, `connection` or `header`, or because there were too few requests for its count, means
/// not exercised: a client need not retry, keep connections alive, or ask for compressed responses or another page. The same holds for a
/// rule for the role `login` if the client signs in on the bank's page, for one for the role `logout` if it signs out without a request, for
/// the bank's stream if it watches an account without one, for a rule for the bank's metadata if the client did not ask for them, if
/// it was applied to another payment order than the one asked for next, for rules for new connections if the client opened none, for rules
/// for paths that it did not use, as a bank has several calls for one thing, if the client showed a response that it may cache, if it opened
/// another page of the bank, and if the case ended before the rule, with a step that the client need not be able to do. If a step that came before the rule has failed an expectation, that
/// failure decides, and the other expectations of the case are undecided. For any other reason it is inconclusive.
package struct FiredPredicate: Predicate {
    package static let name = "fired"

    package static let forms = [
        form(
            "The case's rules applied at least this often, or the rule of a step applied at least once. If not, the case is inconclusive; "
                + "or failed, if a step before the rules has failed an expectation; "
                + "or not exercised, if all that was missing is a second attempt, a warm connection, a header, further requests, the bank's "
                + "call to sign in, a request for its metadata or any request to the rules' paths.", [body],
            example: "fired: 1")
    ]

    private static let body = Field(
        required: name, .node(.anyOf([.integer(1...Int.max), .object(schema)])),
        "the minimum number of times, or the step whose rule must apply, if other rules only prepare the case")
    private static let schema = ObjectSchema(
        "a step's rule", "The rule that the case is about.", fields: [step], example: "fired: {step: lost}")
    private static let step = Field(required: "step", .node(StepOutline.schema), "the step that sets the rule")

    /// How often; once for the rule of a step.
    let count: Int
    /// The step whose rule it is about; nil: all rules of the case.
    let step: Int?

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let node = fields[Self.body] else { return nil }
        if !outline.hasFault { complaints.add("`fired` needs a step `fault` or `outage`, or an outage in `given`", at: node.position) }
        guard case .mapping = node.content else {
            guard let count = node.int(in: 1...Int.max, complaints) else { return nil }
            self.count = count
            step = nil
            return
        }
        let inner = Fields(node, of: Self.schema, complaints)
        let n = inner[Self.step].flatMap { outline.number($0, complaints) }
        inner.finish()
        guard let n else { return nil }
        guard outline.setsRule(n) else {
            complaints.add(found: "step \(n), which sets no rule", expected: "a step `fault` or `outage`", at: node.position)
            return nil
        }
        count = 1
        step = n
    }

    func rules(of scene: Scene) -> [Evidence.ArmedRule] { scene.evidence.rules.filter { step == nil || step == $0.step } }

    package func judge(_ scene: Scene) -> [UnmetExpectation] {
        let rules = rules(of: scene)
        let applied = rules.reduce(0) { $0 + $1.applied }
        guard applied < count else { return astray(rules, scene) }
        let habit =
            rules.lazy.compactMap(scene.habitMissed).first ?? rules.lazy.compactMap(scene.shortage).first ?? wayAround(rules, scene)
        let weight: UnmetExpectation.Weight = habit != nil ? .notExercised : isBrokenBefore(scene) ? .undecided : .inconclusive
        return [UnmetExpectation(weight, .notApplied(applied, needed: count, why: habit))]
    }

    /// Whether an expectation is broken that does not depend on the rules without an effect.
    private func isBrokenBefore(_ scene: Scene) -> Bool {
        (scene.instance?.expectations ?? []).contains { expectation in
            scene.isBeforeMissedRules(expectation) && expectation.judge(scene).contains { $0.weight == .failure }
        }
    }

    /// What the client did instead of sending the request that the rules are for; nil if nothing explains it.
    private func wayAround(_ rules: [Evidence.ArmedRule], _ scene: Scene) -> String? {
        if stoppedEarlier(scene) { return "another fault of the case was applied to an earlier request of the client" }
        if !isBrokenBefore(scene), !rules.isEmpty, rules.allSatisfy(scene.opensNoConnection) {
            return "the client sent its requests on connections that were opened before"
        }
        if scene.usesOtherPaths(than: rules) { return "the client sent requests, and none to the paths of the rules" }
        if scene.showsCached(after: rules) { return "the client showed a response that it may cache, and that the bank had sent before" }
        if scene.opensOtherPage { return "the client opened another page of the bank than the one of the case" }
        let isReached = !rules.isEmpty || !scene.lacksOptionalStep(before: step ?? .max)
        return isReached ? nil : "the case ended before, with a step that the client need not be able to do"
    }

    /// Whether another rule of the case kept the client from the request that the step's rule is for: for example, it reads before it pays.
    private func stoppedEarlier(_ scene: Scene) -> Bool {
        guard let step else { return false }
        return scene.evidence.rules.contains { $0.step != step && $0.applied > 0 }
    }

    /// Faults that were applied to a payment order of which the expectations do not speak: nothing follows from them.
    private func astray(_ rules: [Evidence.ArmedRule], _ scene: Scene) -> [UnmetExpectation] {
        rules.compactMap { armed in
            guard let others = scene.othersAffected(by: armed) else { return nil }
            let meant = scene.intents(meantBy: armed).joined(separator: ", ")
            return UnmetExpectation(
                .notExercised, .appliedElsewhere(armed.step, to: others, meant: meant, why: scene.reasonElsewhere(armed)))
        }
    }
}

extension Scene {
    /// Whether an expectation is about a step that came before all rules without an effect: it does not depend on them.
    func isBeforeMissedRules(_ expectation: any Predicate) -> Bool {
        guard let expected = expectation as? StepPredicate else { return false }
        let missed = evidence.rules.filter { $0.applied == 0 }.map(\.step)
        return !missed.isEmpty && missed.allSatisfy { expected.step < $0 }
    }
}
