import BankModel
import DriverProtocol
import Foundation

/// The client of a ``Driver``, as the loop operates it.
struct DrivenClient<Client: Sendable>: ClientUnderTest {
    let driver: Driver<Client>

    var name: String { driver.name }
    var banks: [String]? { driver.banks }
    var features: [DriverFeature] { driver.features.compactMap { DriverFeature(rawValue: $0.rawValue) } }
    var operations: [DriverOperation] {
        DriverOperation.allCases.filter { ClientOperation(rawValue: $0.rawValue).map { driver.handlers[$0] != nil } ?? false }
    }

    func open(_ start: CaseStart) async throws -> any OpenCase {
        let opened = DriverCase(start)
        return DrivenCase(driver: driver, start: opened, client: try await driver.open(opened))
    }
}

/// One case of a ``Driver``.
struct DrivenCase<Client: Sendable>: OpenCase {
    let driver: Driver<Client>
    let start: DriverCase
    let client: Client

    func perform(_ step: Step) async -> StepResult {
        guard let operation = step.operation.flatMap({ ClientOperation(rawValue: $0.rawValue) }), let handler = driver.handlers[operation]
        else { return .unsupported }
        let asked = DriverStep(operation: operation, arguments: step.arguments, start: start, now: step.now.map(Date.init))
        do {
            return .ok(view: try await handler(client, asked).json)
        } catch let outcome as DriverOutcome {
            return outcome == .silent ? .silent() : .unsupported
        } catch {
            guard let failure = driver.ownFailure(error) ?? DriverFailure(error) else {
                LineOutput(descriptor: STDERR_FILENO).write("driver: \(operation.rawValue): \(error)")
                exit(70)
            }
            let kind = operation.pays ? failure.kindOfPayment : failure.kind
            return failure.isShown ? .error(kind.rawValue, detail: failure.detail) : .silent(error: kind.rawValue)
        }
    }
}
