@testable import CounterfoilDriver
import Foundation
import Testing

/// The limit of an attempt.
@Suite(.timeLimit(.minutes(10))) struct TimeoutTests {
    /// Waits until its task is cancelled.
    private func forever() async {
        for await _ in AsyncStream<Void>.makeStream().stream {}
    }

    @Test func `an attempt in time returns its value`() async throws {
        let value = try await bounded(by: .seconds(3600), on: ContinuousClock()) { 7 }

        #expect(value == 7)
    }

    @Test func `an attempt that takes longer is called off`() async {
        let failure = await #expect(throws: DriverFailure.self) {
            try await bounded(by: .zero, on: ContinuousClock()) { await forever() }
        }

        #expect(failure?.kind == .timeout)
    }

    @Test func `the error of an attempt is its own`() async {
        await #expect(throws: DriverFailure(.decode)) {
            try await bounded(by: .seconds(3600), on: ContinuousClock()) { throw DriverFailure(.decode) }
        }
    }

    @Test func `a task that is called off calls off its attempt`() async {
        let task = Task {
            try await bounded(by: .seconds(3600), on: ContinuousClock()) {
                await forever()
                try Task.checkCancellation()
            }
        }
        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
