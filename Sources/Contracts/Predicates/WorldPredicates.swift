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
        switch scene.outcome(of: step) {
        // Nothing is broken yet: a client that shows old data now would show them whatever comes, and prove nothing by it.
        case .ok(let view) where view["stale"]?.bool == true:
            [Unmet(.inconclusive, expected: "step \(step) shows current data, as no fault is active yet", seen: "old data")]
        case .ok, .skipped: []
        case let outcome:
            [
                Unmet(
                    .inconclusive, expected: "step \(step) succeeds before any fault is active",
                    seen: outcome.map { "\($0)" } ?? "it never started")
            ]
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
        let expected = "the fault applies at least \(count == 1 ? "once" : "\(count) times")"
        guard fired < count else { return astray(scene) }
        let habit = scene.evidence.rules.lazy.compactMap(scene.habitMissed).first
        let why = habit.map { ": \($0)" } ?? ""
        return [
            Unmet(habit == nil ? .inconclusive : .notExercised, expected: expected, seen: "it applied \(counted(fired, "time"))\(why)")
        ]
    }

    /// Faults that struck a wish of which the expectations do not speak: nothing follows from them.
    private func astray(_ scene: Scene) -> [Unmet] {
        scene.evidence.rules.compactMap { armed in
            guard let others = scene.othersStruck(by: armed) else { return nil }
            let meant = scene.intents(meantBy: armed).joined(separator: ", ")
            return Unmet(
                .notExercised, expected: "the fault of step \(armed.step) applies to a request for the intent \(meant)",
                seen: "it applied to one for \(others.joined(separator: ", ")): the client sent no earlier request that it could apply to")
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
        return [
            Unmet(
                isHabit ? .notExercised : .inconclusive,
                expected: "the bank refuses a token at least \(count == 1 ? "once" : "\(count) times")",
                seen: "\(seen) refusals")
        ]
    }
}
