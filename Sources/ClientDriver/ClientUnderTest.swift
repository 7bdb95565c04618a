package import BankModel
package import DriverProtocol

/// A client that a harness can operate: the model client, or one broken on purpose.
package protocol ClientUnderTest: Sendable {
    /// Name and version, such as `counterfoil-model 1`.
    var name: String { get }
    /// The banks it speaks.
    var banks: [String] { get }
    var operations: [DriverOperation] { get }
    var features: [DriverFeature] { get }

    /// Begins a case, or takes it up again after a restart.
    ///
    /// - Throws: whatever keeps it from starting; the harness then gets no `ready`, and stderr says why.
    func open(_ start: CaseStart) async throws -> any OpenCase
}

/// One case under way. Steps may come at the same time.
package protocol OpenCase: Sendable {
    /// Does what is asked. Cancelling the task calls it off.
    func perform(_ step: Step) async -> StepResult
}

/// What a harness asks for in one step.
package struct Step: Sendable {
    /// nil if the name is none of the protocol's.
    package var operation: DriverOperation?
    package var arguments: StepArguments
    /// The time to go by from here on, for clients with the feature `clock`; nil changes nothing.
    package var now: Instant?

    package init(operation: DriverOperation?, arguments: StepArguments, now: Instant? = nil) {
        self.operation = operation
        self.arguments = arguments
        self.now = now
    }
}
