package import BankModel
package import Contracts
package import DriverProtocol

/// One bank tried out: a sign-in and reads without any fault, in separate sessions.
package struct TryOut: Sendable {
    package var bank: String
    /// In the order in which they were asked for; the sign-in once.
    package var steps: [Step] = []
    /// Why the client could not be asked further: the driver's mistake, or the client's end.
    package var trouble: String?
    /// The last of what the driver wrote to stderr, if it did not answer.
    package var stderr: String = ""

    /// One operation and its outcome.
    package struct Step: Sendable {
        package var operation: DriverOperation
        package var outcome: StepOutcome
        /// The bank's own view; nil if the bank does not define it.
        package var expected: JSON?
        /// Whether the bank states a currency: see ``ViewDifference``.
        package var hasCurrency = true

        /// The differences from the expected view.
        package var differences: [ViewDifference] {
            guard case .ok(let view) = outcome, let expected else { return [] }
            return ViewDifference.all(
                expected: expected, seen: view, optional: ViewDifference.optional(in: operation), hasCurrency: hasCurrency)
        }

        /// Whether the client answered with a view, or cannot do it at all: all else keeps a client from being judged.
        var isAnswered: Bool {
            switch outcome {
            case .ok, .unsupported, .skipped, .done: true
            case .error, .silent, .hung, .crashed, .killed: false
            }
        }

        var isAsExpected: Bool { isAnswered && differences.isEmpty }
    }

    /// Whether the bank can be judged.
    var isPassable: Bool { trouble == nil && steps.allSatisfy(\.isAnswered) }

    package var isAsExpected: Bool { trouble == nil && steps.allSatisfy(\.isAsExpected) }
}

/// A driver's hello, and the results of its client without faults, before the first case.
package struct FirstLook: Sendable {
    package var hello: DriverHello?
    package var tries: [TryOut] = []
    /// Why the driver cannot be used.
    package var trouble: String?
    /// The number of selected instances.
    package var total: Int
    /// The instances that cannot be run with the client, by the reason.
    package var unsupported: [String: Int] = [:]

    /// Whether the driver answers and every bank can be judged.
    package var isUsable: Bool { trouble == nil && tries.allSatisfy(\.isPassable) }

    /// Whether each view is the expected one.
    package var isAsExpected: Bool { trouble == nil && tries.allSatisfy(\.isAsExpected) }
}
