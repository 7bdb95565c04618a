package import BankModel

/// The least number of requests that the bank rejected because of their token: `{rejected: 1}`. Unmet means inconclusive, or not exercised
/// if a rule of the case was not applied because the client need not do what it waits for.
package struct RejectedPredicate: Predicate {
    package static let name = "rejected"

    package static let forms = [
        form(
            "The bank rejected at least this many requests because of their token. Otherwise the case is inconclusive.", [body],
            example: "rejected: 1")
    ]

    private static let body = Field(required: name, .int(in: 1...Int.max), "the minimum number of requests")

    let count: Int

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let count = fields[Self.body] else { return nil }
        self.count = count
    }

    package func judge(_ scene: Scene) -> [UnmetExpectation] {
        let seen = scene.rejections.count
        // A journal with dropped entries has no complete count.
        guard seen < count, scene.evidence.dropped == 0 else { return [] }
        let isHabit = scene.evidence.rules.contains { scene.habitMissed(by: $0) != nil }
        return [UnmetExpectation(isHabit ? .notExercised : .inconclusive, .tooFewRejections(seen, needed: count))]
    }
}
