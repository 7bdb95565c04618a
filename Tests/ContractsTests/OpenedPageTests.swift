import BankModel
@testable import Contracts
import DriverProtocol
import Testing

/// Which page of the bank the client opens, and what follows from another one, or from none.
extension SignInStepTests {
    @Test(arguments: [("nothing_to_do", Verdict.notExercised), ("decode", .fail)])
    func `a client need not show a sign-in page while somebody is signed in`(error: String, expected: Verdict) throws {
        let steps = "[authorize_begin, browser: approve, authorize_finish, authorize_begin, browser: approve, authorize_finish]"
        var again = evidence()
        again.steps[4] = StepReport(.error(error, detail: nil), started: 400, ended: 450)
        again.steps[5] = StepReport(.skipped, started: 500, ended: 550)

        #expect(try verdict("{step: 6, outcome: ok}", again, steps: steps) == expected)
        again.steps[3]?.outcome = .error("cancelled", detail: nil)
        #expect(try verdict("{step: 6, outcome: ok}", again, steps: steps) == .fail, "nobody is signed in")
    }

    @Test func `a fault that comes after another page than the case's is not exercised`() throws {
        let fault = "{fault: {status: {status: 503}}, on: {role: pay}}"
        let steps = "[authorize_begin, browser: approve, \(fault), authorize_finish]"
        var other = evidence("scope=accounts")
        other.rules = [try #require(Make.rule(fault, step: 3))]
        other.steps[3] = StepReport(.done, started: 300, ended: 350)
        other.steps[4] = StepReport(.error("rejected", detail: nil), started: 400, ended: 450)
        let needs = "{authorization: {needs: {scope: \"*payments*\"}}}"

        #expect(try verdict("{fired: 1}", other, steps: steps) == .inconclusive)
        #expect(try verdict("\(needs)\n- {fired: 1}", other, steps: steps) == .notExercised)
        #expect(try verdict("\(needs)\n- {control: 4}", other, steps: steps) == .notExercised)
    }

    @Test(arguments: [("challenge=c1", Verdict.notExercised), ("challenge=c1&client_id=app", .inconclusive), ("state=s1", .inconclusive)])
    func `the page of a challenge has no form without a client id`(query: String, expected: Verdict) throws {
        var failed = evidence(query)
        failed.steps[2]?.outcome = .error(PageTrouble.page.rawValue, detail: "the page has no form")
        failed.steps[3] = nil

        #expect(try verdict("{step: 3, outcome: ok}", failed) == expected)
    }
}
