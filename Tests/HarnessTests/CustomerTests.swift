import BankModel
import Contracts
import DriverProtocol
import Foundation
import Harness
import Testing

/// Cases in which another customer signs in.
@Suite(.timeLimit(.minutes(10))) struct CustomerTests {
    @Test(arguments: [true, false])
    func other_customer_is_told_with_the_case_and_with_the_step(hasLoginCall: Bool) async throws {
        let yaml = """
            needs: [login, status]
            steps: [login, login: {user: $other}, status, restart, status]
            expect: [{control: 1}, {step: 3, view: {asker: ben, key: "\(hasLoginCall ? "staple" : "")"}}]
            """
        let told: JSON = hasLoginCall ? [["user": "ben", "password": "staple"]] : [["user": "ben"]]

        let report = try await DriverTroubleTests.run("honest", steps: yaml, hasLoginCall: hasLoginCall)

        let result = try #require(report.results.first)
        #expect(result.judgement == Judgement(.pass))
        for step in [3, 5] {
            guard case .ok(let view) = result.evidence.steps[step]?.outcome else {
                Issue.record("step \(step) did not answer")
                continue
            }
            #expect(view["others"] == told)
        }
    }

    @Test func case_with_one_customer_names_no_other() async throws {
        let yaml = "needs: [login, status]\nsteps: [login, status]\nexpect: [{step: 2, view: {others: []}}]"

        let report = try await DriverTroubleTests.run("honest", steps: yaml)

        #expect(report.results.first?.judgement == Judgement(.pass))
    }

    @Test func arguments_that_a_case_leaves_open_are_those_of_the_customer_who_signed_in_last() async throws {
        let yaml = """
            needs: [login, accounts]
            steps: [login, accounts, login: {user: $other}, accounts, login, accounts]
            expect: [{control: 2}, {step: 6, outcome: ok}]
            """

        let report = try await DriverTroubleTests.run("honest", steps: yaml)

        let arguments = try #require(report.results.first?.evidence.arguments)
        #expect([2, 4, 6].map { arguments[$0]?["account"]?.string } == ["ava-main", "ben-main", "ava-main"])
    }

    @Test func password_of_a_step_counts_more_than_the_right_one() async throws {
        let yaml = """
            needs: [login, status]
            steps: [login: {user: $other, password: wrong}, status]
            expect: [{step: 2, view: {asker: ben, key: wrong}}]
            """

        let report = try await DriverTroubleTests.run("honest", steps: yaml)

        #expect(report.results.first?.judgement == Judgement(.pass))
    }

    @Test func member_begins_only_when_the_bank_holds_a_request() async throws {
        let yaml = """
            needs: [login, accounts]
            steps: [login, together: [accounts, held, cancel: 2]]
            expect: [{step: 2, error: cancelled}]
            """

        let report = try await DriverTroubleTests.run("held-after-another", features: ["together", "cancel"], steps: yaml)

        #expect(report.results.first?.judgement == Judgement(.pass))
    }

    @Test func both_modes_of_a_driver_are_told_of_the_customers() throws {
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
