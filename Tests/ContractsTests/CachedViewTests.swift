import BankModel
import Contracts
import DriverProtocol
import Testing

/// What a client shows again without asking the bank, because the bank allowed it to cache the response.
struct CachedViewTests {
    @Test(arguments: [("atms", true, Verdict.notExercised), ("atms", false, .fail), ("accounts", true, .fail)])
    func `a fault for cash machines that the client has read ahead and cached is not exercised`(
        role: String, isRead: Bool, expected: Verdict
    ) throws {
        let fault = "{fault: close, on: {method: GET}}"
        let yaml = "needs: [login, atms]\nsteps: [login, \(fault), atms]\nexpect: [{fired: 1}, {step: 3, error: decode}]"
        let instance = try #require(Make.instances(yaml).first)
        let rule = try #require(Make.rule(fault, step: 2))
        let evidence = Make.allWell {
            $0.rules = [rule]
            $0.steps[2]?.outcome = .done
            $0.steps[3]?.outcome = .ok(view: ["atms": []])
            var ahead = Make.exchange(1, seq: 1, at: 140, roles: [role])
            ahead.receipt = Receipt(headBytes: 9, end: .kept)
            $0.journal = [Make.exchange(1, seq: 0)] + (isRead ? [ahead] : [])
        }

        #expect(judge(instance, evidence).verdict == expected)
    }
}
