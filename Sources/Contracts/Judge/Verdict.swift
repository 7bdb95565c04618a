/// What the judge says of one instance.
package enum Verdict: String, Sendable, CaseIterable {
    case pass
    /// The client did wrong.
    case fail
    /// The run does not show whether the client does right: the world was not as the case needs it.
    case inconclusive
    /// The client has not what the case needs.
    case unsupported
    /// The client never did what the case is about.
    case notExercised = "not-exercised"
    /// The harness or the driver's protocol broke down.
    case harnessError = "harness-error"
}

/// One expectation that was not met.
package struct Unmet: Sendable, Hashable {
    package var weight: Weight
    package var expected: String
    package var seen: String

    /// What an unmet expectation means for the verdict.
    package enum Weight: Sendable, Hashable {
        /// What must never happen has happened.
        case violation
        case failure
        case inconclusive
        case notExercised
    }

    package init(_ weight: Weight = .failure, expected: String, seen: String) {
        (self.weight, self.expected, self.seen) = (weight, expected, seen)
    }
}

/// A verdict and its reasons.
package struct Judgement: Sendable, Hashable {
    package var verdict: Verdict
    /// Why it is no pass, the decisive ones first.
    package var reasons: [Unmet]

    package init(_ verdict: Verdict, _ reasons: [Unmet] = []) { (self.verdict, self.reasons) = (verdict, reasons) }
}
