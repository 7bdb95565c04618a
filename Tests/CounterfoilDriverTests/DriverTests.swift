import BankModel
@testable import CounterfoilDriver
import DriverProtocol
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DriverTests {
    private let start = CaseStart(
        id: "c", baseURL: "http://127.0.0.1:1/counterfoil", stateDirectory: "/tmp/c", bank: "counterfoil",
        login: CaseStart.Login(user: "ava", password: "correct-horse"))

    @Test func `every operation, feature and error of the protocol has a name in the kit`() {
        #expect(ClientOperation.allCases.map(\.rawValue) == DriverOperation.allCases.map(\.rawValue))
        #expect(Set(ClientFeature.allCases.map(\.rawValue)) == Set(DriverFeature.allCases.map(\.rawValue)))
        #expect(Set(DriverFailure.Kind.allCases.map(\.rawValue)) == Set(ClientError.allCases.map(\.rawValue)))
    }

    @Test func `the greeting names what has a handler, and a process per case is the feature fresh`() {
        let driver = Driver("acme 1", banks: ["counterfoil"], processPerCase: true) { $0.bank }
            .on(.pay) { _, _ in .payment(nil, state: "accepted") }
            .on(.login) { _, _ in .signedIn(true) }

        let client = DrivenClient(driver: driver)

        #expect(client.operations == [.login, .pay])
        #expect(client.features == [.fresh])
    }

    @Test func `a step gets the client of its case, and its view is the answer`() async throws {
        let driver = Driver("acme 1") { $0.baseURL.path() }
            .on(.balance) { path, step in .balance(path, available: step["account"]) }

        let result = try await perform(.balance, ["account": "ava-gbp"], of: driver)

        #expect(result == .ok(view: ["balance": "/counterfoil", "available": "ava-gbp"]))
    }

    @Test func `the folder of a trial is removed before a signal ends the process`() async throws {
        let ended = try await #require(processExitsWith: .signal(SIGTERM), observing: [\.standardErrorContent]) {
            let driver = Driver("kit 1") { $0 }
                .on(.login) { start, _ in
                    try Data("secret".utf8).write(to: start.stateDirectory.appending(path: "token"))
                    FileHandle.standardError.write(Data("\nfolder \(start.stateDirectory.path(percentEncoded: false))\n".utf8))
                    kill(getpid(), SIGTERM)
                    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
                    return .signedIn(true)
                }
            let trial = try #require(Trial(["http://127.0.0.1:1/counterfoil", "login"]))
            await driver.attempt(trial) { _ in }
        }
        let lines = String(decoding: ended.standardErrorContent, as: UTF8.self).split(separator: "\n")
        let folder = try #require(lines.first { $0.hasPrefix("folder ") }?.dropFirst("folder ".count))

        #expect(!FileManager.default.fileExists(atPath: String(folder)))
    }

    @Test func `an operation without a handler is unsupported`() async throws {
        #expect(try await perform(.atms, of: Driver("acme 1") { $0.id }) == .unsupported)
    }

    @Test(arguments: [(DriverOutcome.silent, StepResult.silent()), (.unsupported, .unsupported)])
    func `an outcome that is thrown is the answer`(_ outcome: DriverOutcome, _ expected: StepResult) async throws {
        let driver = Driver("acme 1") { $0.id }.on(.goals) { _, _ in throw outcome }

        #expect(try await perform(.goals, of: driver) == expected)
    }

    @Test(arguments: [(ClientOperation.balance, "timeout"), (.pay, "outcome_unknown")])
    func `a timeout of a payment leaves its outcome unknown`(_ operation: ClientOperation, _ expected: String) async throws {
        let driver = Driver("acme 1") { $0.id }.on(operation) { _, _ in throw URLFault(code: -1001).error }

        let result = try await perform(try #require(DriverOperation(rawValue: operation.rawValue)), of: driver)

        #expect(result == .error(expected, detail: "URLError -1001"))
    }

    @Test func `an error that is not shown is silence with its name`() async throws {
        let driver = Driver("acme 1") { $0.id }.on(.pay) { _, _ in throw DriverFailure(.timeout, isShown: false) }

        #expect(try await perform(.pay, of: driver) == .silent(error: "outcome_unknown"))
    }

    @Test(arguments: [(ClientOperation.balance, "unavailable"), (.pay, "outcome_unknown")])
    func `an error of the client's own has the meaning that it is given`(_ operation: ClientOperation, _ expected: String) async throws {
        struct BankIsClosed: Error {}
        let driver = Driver("acme 1") { $0.id }
            .failures { $0 is BankIsClosed ? DriverFailure(.unavailable, "closed") : nil }
            .on(operation) { _, _ in throw BankIsClosed() }
            .on(.atms) { _, _ in throw URLFault(code: -1001).error }

        #expect(
            try await perform(try #require(DriverOperation(rawValue: operation.rawValue)), of: driver) == .error(expected, detail: "closed")
        )
        #expect(try await perform(.atms, of: driver) == .error("timeout", detail: "URLError -1001"))
    }

    @Test func `a login has the customer of the case, or the one whom the step names`() async throws {
        var start = start
        start.customers = [CaseStart.Login(user: "ben", password: "battery-staple")]
        let driver = Driver("acme 1") { $0.id }.on(.login) { _, step in .payment(step.user, state: step.password) }
        let opened = try await DrivenClient(driver: driver).open(start)

        let own = await opened.perform(Step(operation: .login, arguments: StepArguments([:])))
        let other = await opened.perform(Step(operation: .login, arguments: StepArguments(["user": "ben"])))

        #expect(own == .ok(view: ["payment": "ava", "state": "correct-horse"]))
        #expect(other == .ok(view: ["payment": "ben", "state": "battery-staple"]))
    }

    @Test func `an operation can run on the main actor, beside the loop`() async throws {
        let driver = Driver("acme 1") { $0.id }
            .on(.balance) { @MainActor id, _ in
                MainActor.assertIsolated()
                return .balance(id)
            }

        #expect(try await perform(.balance, of: driver) == .ok(view: ["balance": "c"]))
    }

    @Test func `an argument can be read as an instant, milliseconds included`() async throws {
        let driver = Driver("acme 1") { $0.id }
            .on(.transactions) { _, step in
                let seconds = try step.instant("from")?.timeIntervalSince1970 ?? 0
                return .balance("\((seconds * 1000).rounded())", available: try step.instant("to").map { "\($0)" })
            }

        let read = try await perform(.transactions, ["from": "2026-01-12T09:00:00.250Z"], of: driver)
        let unread = try await perform(.transactions, ["from": "yesterday"], of: driver)

        #expect(read == .ok(view: ["balance": "1768208400250.0"]))
        #expect(
            unread == .error("rejected", detail: "found yesterday as from, expected an instant such as 2026-01-12T09:00:00.000Z"))
    }

    private func perform(
        _ operation: DriverOperation, _ arguments: JSON = [:], of driver: Driver<String>
    ) async throws -> StepResult {
        try await DrivenClient(driver: driver).open(start).perform(Step(operation: operation, arguments: StepArguments(arguments)))
    }
}

/// An error as URLSession throws it.
struct URLFault {
    let code: Int
    var error: NSError { NSError(domain: "NSURLErrorDomain", code: code) }
}
