import BankModel
import DriverProtocol
import Foundation
import Testing

@testable import Harness

/// Drivers that cannot be started in a case that blocks writes, where a shell starts them.
@Suite(.timeLimit(.minutes(10))) struct CannotStartTests {
    private static let nowhere = "/nonexistent/folder-of-a-case"

    @Test(arguments: [true, false]) func `a client that is run once is named and not the shell`(blocks: Bool) async throws {
        let abilities = DriverCommand.Abilities(operations: [.login])
        let command = try DriverCommand("my-client --once", .oneShot(abilities))
        let driver = OneShotDriver(command, abilities, stderr: StderrTail(), clock: ContinuousClock())
        _ = driver.blockWrites(blocks)
        let start = CaseStart(
            id: "c1", baseURL: "http://127.0.0.1:1", stateDirectory: Self.nowhere, bank: "toy", login: CaseStart.Login())
        driver.inbox.ask(.ready("c1"))
        driver.send(.start(start))
        driver.inbox.ask(.result("c1", 1))
        driver.send(.step(case: "c1", n: 1, operation: "login", arguments: .object(JSONObject()), now: nil))

        let fault = await #expect(throws: DriverFault.self) {
            _ = try await driver.inbox.wait(for: .result("c1", 1), within: .seconds(60))
        }

        #expect(fault?.description.hasPrefix("the driver cannot be started: my-client: ") == true, "\(String(describing: fault))")
        await driver.killAndWait()
    }

    @Test(arguments: [true, false]) func `a driver that runs on is named and not the shell`(blocks: Bool) async throws {
        let command = try DriverCommand("my-client --drive").blockingWrites(blocks)
        let driver = DriverProcess(command, home: URL(filePath: Self.nowhere), clock: ContinuousClock())
        driver.inbox.ask(.hello)

        let fault = await #expect(throws: DriverFault.self) {
            _ = try await driver.inbox.wait(for: .hello, within: .seconds(60))
        }

        #expect(fault?.description.hasPrefix("the driver cannot be started: my-client: ") == true, "\(String(describing: fault))")
    }
}
