package import BankModel
package import DriverProtocol

/// A client that a harness can operate: the model client, or a mutant of it.
package protocol ClientUnderTest: Sendable {
    /// Name and version, such as `counterfoil-model 1`.
    var name: String { get }
    /// The banks it supports; nil if any.
    var banks: [String]? { get }
    var operations: [DriverOperation] { get }
    var features: [DriverFeature] { get }

    /// Begins a case, or resumes it after a restart.
    ///
    /// - Throws: any reason not to start; the harness then gets no `ready`, and stderr contains the reason.
    func open(_ start: CaseStart) async throws -> any OpenCase
}

/// One case in progress. Steps may run at the same time.
package protocol OpenCase: Sendable {
    /// Performs the step. Cancelling the task cancels it.
    func perform(_ step: Step) async -> StepResult
}

/// The harness's request of one step.
package struct Step: Sendable {
    /// nil if the protocol does not have the name.
    package var operation: DriverOperation?
    package var arguments: StepArguments
    /// The time from here on, for clients with the feature `clock`; nil changes nothing.
    package var now: Instant?

    package init(operation: DriverOperation?, arguments: StepArguments, now: Instant? = nil) {
        self.operation = operation
        self.arguments = arguments
        self.now = now
    }
}

/// The decoded arguments of one step.
package struct StepArguments: Sendable {
    private let json: JSON

    package init(_ json: JSON) { self.json = json }

    package subscript(_ name: String) -> String? { json[name]?.string }
}
