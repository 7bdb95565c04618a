package import BankModel

/// A step that must have gone well for the rest to say anything: `{control: 2}`. Unmet means inconclusive.
package struct ControlPredicate: Predicate {
    package static let name = "control"

    package static let forms = [
        form(
            "A step that must have gone well for the rest to say anything. Unmet means inconclusive.", [body], example: "control: accounts")
    ]

    private static let body = Field(required: name, .node(StepOutline.schema), "a step that asks the client for something")

    let step: Int

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let step = fields[Self.body].flatMap({ outline.number($0, operationOnly: true, complaints) }) else { return nil }
        self.step = step
    }

    package func judge(_ scene: Scene) -> [Unmet] {
        let named = scene.instance.step(step)?.named ?? "step \(step)"
        switch scene.outcome(of: step) {
        // Nothing is broken yet: a client that shows old data now would show them whatever comes, and prove nothing by it.
        case .ok(let view) where view["stale"]?.bool == true:
            return [Unmet(.inconclusive, .staleControl(named))]
        case .ok, .skipped: return []
        case nil: return [Unmet(.inconclusive, .neverStarted(named, endings: "ok, because no fault is active yet"))]
        case let outcome?: return [Unmet(.inconclusive, .failedControl(named, "\(outcome)"))]
        }
    }
}

/// The case's rules struck at least so often: `{fired: 1}`.
///
/// Unmet because no exchange met a rule's `attempt`, `connection` or `header`, or because there were too few requests for its count, means
/// not exercised: a client need not retry, nor keep connections, nor ask for compressed responses or another page. The same holds if it
/// was applied to another payment order than the one asked for next. For any other reason it is inconclusive.
package struct FiredPredicate: Predicate {
    package static let name = "fired"

    package static let forms = [
        form(
            "The case's rules acted at least this often. Unmet for want of a second attempt, a warm connection, a header or further "
                + "requests means not exercised, else inconclusive.", [body], example: "fired: 1")
    ]

    private static let body = Field(required: name, .int(in: 1...Int.max), "how often")

    let count: Int

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let count = fields[Self.body], let node = fields.node(of: Self.body) else { return nil }
        if !outline.hasFault { complaints.add("`fired` needs a step `fault`", at: node.place) }
        self.count = count
    }

    package func judge(_ scene: Scene) -> [Unmet] {
        let fired = scene.evidence.rules.reduce(0) { $0 + $1.fired }
        guard fired < count else { return astray(scene) }
        let habit = scene.evidence.rules.lazy.compactMap(scene.habitMissed).first
        return [Unmet(habit == nil ? .inconclusive : .notExercised, .notApplied(fired, needed: count, why: habit))]
    }

    /// Faults that struck a wish of which the expectations do not speak: nothing follows from them.
    private func astray(_ scene: Scene) -> [Unmet] {
        scene.evidence.rules.compactMap { armed in
            guard let others = scene.othersStruck(by: armed) else { return nil }
            let meant = scene.intents(meantBy: armed).joined(separator: ", ")
            return Unmet(.notExercised, .appliedElsewhere(armed.step, to: others, meant: meant))
        }
    }
}

/// The least number of requests that the bank refused because of their token: `{rejected: 1}`. Unmet means inconclusive, or not exercised
/// if a rule of the case was not applied because the client need not do what it waits for.
package struct RejectedPredicate: Predicate {
    package static let name = "rejected"

    package static let forms = [
        form(
            "The bank refused at least this many requests because of their token. Unmet means inconclusive.", [body], example: "rejected: 1"
        )
    ]

    private static let body = Field(required: name, .int(in: 1...Int.max), "how many")

    let count: Int

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let count = fields[Self.body] else { return nil }
        self.count = count
    }

    package func judge(_ scene: Scene) -> [Unmet] {
        let seen = scene.rejections.count
        // A journal with dropped entries has no complete count.
        guard seen < count, scene.evidence.dropped == 0 else { return [] }
        let isHabit = scene.evidence.rules.contains { scene.habitMissed(by: $0) != nil }
        return [Unmet(isHabit ? .notExercised : .inconclusive, .tooFewRejections(seen, needed: count))]
    }
}
