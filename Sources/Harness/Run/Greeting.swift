import BankModel
import Contracts
import DriverProtocol
import Foundation

/// Gets to know a driver before any case: its hello, and whether it answers `unsupported` to an operation that nobody has.
struct Greeting {
    let run: TestRun
    let drivers: DriverPool

    /// Why no case can be run with a driver.
    struct UnusableDriver: Error, CustomStringConvertible {
        let description: String
    }

    /// The driver's hello.
    ///
    /// - Throws: what is wrong with it, in a sentence.
    func hello(for instances: [Instance]) async throws -> DriverHello {
        let driver: GreetedDriver
        var started = await drivers.checkOut()
        // An overloaded machine is no mistake of the driver.
        if case .failure(.hung) = started, !Task.isCancelled { started = await drivers.checkOut() }
        switch started {
        case .success(let greeted): driver = greeted
        case .failure(.hung(let limit)): throw UnusableDriver(description: "the driver sent no hello within \(limit.shortText)")
        case .failure(let fault): throw fault
        }
        do {
            if let instance = instances.first(where: { driver.hello.banks?.contains($0.bank.name) ?? true }) {
                try await askTheImpossible(driver, instance.bank)
            }
        } catch {
            await drivers.checkIn(driver, isUsable: false)
            throw error
        }
        await drivers.checkIn(driver, isUsable: true)
        return driver.hello
    }

    /// Sends one operation of a random name: a driver that answers ok to it would answer ok to anything.
    private func askTheImpossible(_ driver: GreetedDriver, _ bank: BankFacts) async throws {
        let session = try await run.bank.openSession(SessionParameters(bank: bank.name, name: "\(run.label)0", seed: run.options.seed))
        do {
            try await ask(driver, bank, session)
            await session.close()
        } catch {
            await session.close()
            throw error
        }
    }

    private func ask(_ driver: GreetedDriver, _ bank: BankFacts, _ session: any TestSession) async throws {
        let inbox = driver.process.inbox
        let folder = run.folder.appending(path: "state/c0")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var nonces = SeededNonces(seed: run.options.seed ^ 0x6F70)
        let operation = "op_" + nonces.next()
        let password = bank.takesPasswords ? bank.customers.first?.password : nil
        var login = CaseStart.Login(user: bank.customers.first?.login, password: password)
        if bank.hasTokens, !bank.hasLoginCall, let customer = bank.customers.first {
            login.token = try session.issueToken(login: customer.login).text
        }
        var start = CaseStart(id: "\(run.label)0", baseURL: session.baseURL, stateDirectory: folder.path, bank: bank.name, login: login)
        start.roles = bank.rolesJSON
        start.now = session.now
        func wait(_ key: Awaited, _ message: HarnessMessage, _ what: String) async throws -> DriverMessage? {
            inbox.ask(key)
            driver.process.send(message)
            do throws(DriverFault) {
                return try await inbox.wait(for: key, within: run.options.limits.answer).message
            } catch { throw UnusableDriver(description: "\(what): \(error)") }
        }
        _ = try await wait(.ready("\(run.label)0"), .start(start), "the driver was not ready for a case")
        let question = HarnessMessage.step(case: "\(run.label)0", n: 1, operation: operation, arguments: [:], now: session.now)
        let answer = try await wait(.result("\(run.label)0", 1), question, "the driver did not answer an unknown operation")
        guard case .result(_, _, .unsupported, _) = answer else {
            throw UnusableDriver(
                description: "the driver claims the operation `\(operation)`, a random name that it must answer with `unsupported`; "
                    + "found \((answer?.line ?? "nothing").prefix(300)), expected {\"t\":\"result\",…,\"outcome\":\"unsupported\"}")
        }
        _ = try await wait(.ended("\(run.label)0"), .end(case: "\(run.label)0"), "the driver did not end a case")
    }
}
