import BankModel
import Contracts
import DriverProtocol
import Foundation
import Harness
import Testing

/// Cases in which another customer signs in.
@Suite(.timeLimit(.minutes(10))) struct CustomerTests {
    @Test(arguments: [true, false])
    func `another customer is reported with the case and with the step`(hasLoginCall: Bool) async throws {
        let yaml = """
            needs: [login, status]
            steps: [login, login: {user: $other}, status, restart, status]
            expect: [{control: 1}, {step: 3, view: {asker: ben, key: "\(hasLoginCall ? "staple" : "")"}}]
            """
        let expected: JSON = hasLoginCall ? [["user": "ben", "password": "staple"]] : [["user": "ben"]]

        let report = try await DriverTroubleTests.run("conforming", steps: yaml, hasLoginCall: hasLoginCall)

        let result = try #require(report.results.first)
        #expect(result.judgement == Judgement(.pass))
        for step in [3, 5] {
            guard case .ok(let view) = result.evidence.steps[step]?.outcome else {
                Issue.record("step \(step) did not answer")
                continue
            }
            #expect(view["others"] == expected)
        }
    }

    @Test func `a case with one customer names no other`() async throws {
        let yaml = "needs: [login, status]\nsteps: [login, status]\nexpect: [{step: 2, view: {others: []}}]"

        let report = try await DriverTroubleTests.run("conforming", steps: yaml)

        #expect(report.results.first?.judgement == Judgement(.pass))
    }

    @Test func `arguments that a case leaves open are those of the customer who signed in last`() async throws {
        let yaml = """
            needs: [login, accounts]
            steps: [login, accounts, login: {user: $other}, accounts, login, accounts]
            expect: [{control: 2}, {step: 6, outcome: ok}]
            """

        let report = try await DriverTroubleTests.run("conforming", steps: yaml)

        let arguments = try #require(report.results.first?.evidence.arguments)
        #expect([2, 4, 6].map { arguments[$0]?["account"]?.string } == ["ava-main", "ben-main", "ava-main"])
    }

    @Test func `the password of a step counts more than the right one`() async throws {
        let yaml = """
            needs: [login, status]
            steps: [login: {user: $other, password: wrong}, status]
            expect: [{step: 2, view: {asker: ben, key: wrong}}]
            """

        let report = try await DriverTroubleTests.run("conforming", steps: yaml)

        #expect(report.results.first?.judgement == Judgement(.pass))
    }

    @Test func `a member begins only when the bank holds a request`() async throws {
        let yaml = """
            needs: [login, accounts]
            steps: [login, together: [accounts, held, cancel: 2]]
            expect: [{step: 2, error: cancelled}]
            """

        let report = try await DriverTroubleTests.run("held-after-another", features: ["together", "cancel"], steps: yaml)

        #expect(report.results.first?.judgement == Judgement(.pass))
    }

    @Test func `both modes of a driver receive the customers`() throws {
        var start = CaseStart(id: "c", baseURL: "http://b", stateDirectory: "/s", bank: "toy", login: .init(user: "ava", password: "p"))
        func variable() -> String?? {
            OneShotEnvironment.variables(start, operation: "login", arguments: [:], now: nil)["COUNTERFOIL_CUSTOMERS"]
        }
        #expect(variable() == .some(nil))
        #expect(!HarnessMessage.start(start).line.contains("customers"))
        start.customers = [CaseStart.Login(user: "ben", password: "q"), CaseStart.Login(user: "cleo")]

        let line = HarnessMessage.start(start).line

        #expect(try HarnessMessage(line: line) == .start(start))
        #expect(variable() == #"[{"user":"ben","password":"q"},{"user":"cleo"}]"#)
    }
}
