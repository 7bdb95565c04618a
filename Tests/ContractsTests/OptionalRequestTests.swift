import BankModel
import Contracts
import DriverProtocol
import Testing

/// What a case waits for and no client need do: sign out at the bank, open its stream, or open a connection.
struct OptionalRequestTests {
    private func instance(needs: String, _ steps: String, _ expectation: String) throws -> Instance {
        var bank = Make.bank
        bank.operations += [.logout, .watch]
        let yaml = "needs: [login, \(needs)]\nfeatures: [persistence]\nsteps: [login, \(steps)]\nexpect: [\(expectation)]"
        return try #require(Make.instances(yaml, on: bank).first)
    }

    @Test(arguments: [("", Verdict.notExercised), ("logout", .inconclusive)])
    func `a client may sign out without a request, or send it later`(role: String, expected: Verdict) throws {
        let rule = "{fault: close, on: {role: logout}}"
        let signingOut = try instance(needs: "logout", "\(rule), logout", "{fired: 1}")
        let evidence = try Make.allWell {
            $0.rules = [try #require(Make.rule(rule, step: 2))]
            $0.journal[2].roles = [role]
            $0.journal.append(Make.exchange(4, roles: ["logout"]))
        }

        #expect(judge(signingOut, evidence).verdict == expected)
    }

    @Test(arguments: [("", Verdict.notExercised), ("logout", .inconclusive)])
    func `a client that signs out without a request is not killed during it`(role: String, expected: Verdict) throws {
        let signingOut = try instance(
            needs: "logout, accounts", "{kill: {during: logout, at: request}}, accounts", "{step: 3, outcome: ok}")
        let evidence = Make.allWell { $0.journal[1].roles = [role] }

        #expect(judge(signingOut, evidence).verdict == expected)
    }

    @Test(arguments: [(true, Verdict.notExercised), (false, .inconclusive)])
    func `a client need not open a connection while one from before is open`(isSent: Bool, expected: Verdict) throws {
        let rule = "{fault: blackhole}"
        let reading = try instance(needs: "accounts", "\(rule), accounts", "{fired: 1}")
        let evidence = try Make.allWell {
            $0.rules = [try #require(Make.rule(rule, step: 2))]
            $0.steps[3]?.outcome = .error("offline", detail: nil)
            if !isSent { $0.journal.removeLast() }
        }

        #expect(judge(reading, evidence).verdict == expected)
    }

    @Test(arguments: [("account", Verdict.notExercised), ("stream", .inconclusive)])
    func `a client may watch an account without the bank's stream`(operation: String, expected: Verdict) throws {
        let rule = "{fault: {stream-events: {by: end}}, on: {operation: stream}}"
        let watching = try instance(needs: "watch", "\(rule), watch", "{fired: 1}")
        let evidence = try Make.allWell {
            $0.rules = [try #require(Make.rule(rule, step: 2))]
            $0.journal[2].operation = operation
        }

        #expect(judge(watching, evidence).verdict == expected)
    }
}
