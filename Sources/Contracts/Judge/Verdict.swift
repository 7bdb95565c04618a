/// The verdict on one instance.
package enum Verdict: String, Sendable, CaseIterable {
    case pass
    /// The client broke a requirement.
    case fail
    /// The run does not show whether the client conforms, because preconditions were not met.
    case inconclusive
    /// The client lacks what the case needs.
    case unsupported
    /// The client never did what the case tests.
    case notExercised = "not-exercised"
    /// The harness or the driver's protocol broke down.
    case harnessError = "harness-error"
}

/// One expectation that was not met.
package struct UnmetExpectation: Sendable, Hashable {
    package var weight: Weight
    package var finding: Finding

    /// The weight of an unmet expectation, the heaviest first: the first of these that a run has decides its verdict.
    package enum Weight: Sendable, Hashable, CaseIterable {
        /// A forbidden event happened.
        case violation
        /// Preconditions were not met, and the client did not cause that.
        case inconclusive
        /// A rule was broken that applies whatever the case does to the client: one about its keys or its secrets.
        case breach
        /// The case's fault never met the request that it is for: expectations that follow from it are not evaluated.
        case notExercised
        case failure
        /// The run does not show whether this one expectation is met: the others still count.
        case undecided
        /// The client never did what this one expectation tests, and is not required to: the others still count.
        case absent
    }

    package init(_ weight: Weight, _ finding: Finding) {
        self.weight = weight
        self.finding = finding
    }

    /// An expectation of the case itself.
    package init(_ finding: Finding) { self.init(.failure, finding) }
}

extension UnmetExpectation.Weight {
    /// The verdict if nothing heavier is unmet.
    var verdict: Verdict {
        switch self {
        case .violation, .breach, .failure: .fail
        case .inconclusive, .undecided: .inconclusive
        case .notExercised, .absent: .notExercised
        }
    }
}

/// A verdict and its reasons.
package struct Judgement: Sendable, Hashable {
    package var verdict: Verdict
    /// Why it is not a pass, the decisive ones first.
    package var reasons: [UnmetExpectation]

    package init(_ verdict: Verdict, _ reasons: [UnmetExpectation] = []) {
        self.verdict = verdict
        self.reasons = reasons
    }
}
