import BankModel
import Contracts
import DriverProtocol
import Faults
import Testing

/// Steps that end the client's process or take back what was asked of it: how they load, and what the judge makes of them.
@Suite struct ProcessStepTests {
    private static let killing = """
        needs: [login, pay]
        steps:
        - login
        - kill: {during: {pay: {intent: A, amount: "10.00"}}, at: commit}
        - resume: {intent: A}
        expect: [{ledger: {A: 1}}, {step: 3, any: [{outcome: ok}, {error: outcome_unknown}]}]
        """

    private var bank: BankFacts {
        var bank = Make.bank
        bank.operations.append(.resume)
        return bank
    }

    @Test func `a kill has its own process and a rule that holds the request`() throws {
        let yaml = Self.killing.replacing("needs: [login, pay]", with: "needs: [login, pay, resume]")
        let instance = try #require(Make.instances(yaml, on: bank).first)
        guard case .kill(let kill) = instance.allSteps[1].action else {
            Issue.record("found \(instance.allSteps[1].action), expected a kill")
            return
        }

        #expect(instance.needsOwnProcess)
        #expect(instance.allSteps[1].action.intent == "A")
        #expect(kill.rule?.json.text == #"{"fault":{"lose-reply":{"by":"hang"}},"on":{"role":"pay"},"times":1}"#)
        #expect(StepAction.Kill(.pay, at: .request).rule?.json.text == #"{"fault":{"hang":{}},"on":{"role":"pay"},"times":1}"#)
        #expect(StepAction.Kill.roles.allSatisfy { StepAction.Kill($0.operation, at: .commit).rule != nil })
    }

    @Test func `a movement of a killed payment belongs to its intent`() throws {
        let yaml = Self.killing.replacing("needs: [login, pay]", with: "needs: [login, pay, resume]")
        let instance = try #require(Make.instances(yaml, on: bank).first)
        var evidence = Make.allWell()
        evidence.steps[2]?.outcome = .killed
        evidence.journal[1].key = "k1"
        evidence.journal[2].key = "k1"
        evidence.movements = [try Make.movement(key: "k1")]

        #expect(judge(instance, evidence) == Judgement(.pass))
        evidence.movements.append(try Make.movement(key: "k1"))
        #expect(judge(instance, evidence).verdict == .fail)
    }

    @Test func `a client that was never killed in the middle is inconclusive`() throws {
        let yaml = Self.killing.replacing("needs: [login, pay]", with: "needs: [login, pay, resume]")
        let instance = try #require(Make.instances(yaml, on: bank).first)
        var evidence = Make.allWell()
        evidence.steps[2]?.outcome = .error("offline", detail: nil)
        evidence.journal[2].key = "k1"
        evidence.movements = [try Make.movement(key: "k1")]

        let judgement = judge(instance, evidence)

        #expect(judgement.verdict == .inconclusive)
        #expect(judgement.reasons.first?.seen == "step 2 (pay) ended by itself with error offline: the bank held no request")
    }

    @Test func `a disk with nothing on it to damage is not exercised`() throws {
        let instance = try #require(Make.reading("{control: 1}", "{step: 3, outcome: ok}", steps: "[login, disk: damage, accounts]"))
        var evidence = Make.allWell()
        evidence.steps[2]?.outcome = .skipped

        #expect(instance.needsOwnProcess)
        #expect(judge(instance, evidence).verdict == .notExercised)
        evidence.steps[2]?.outcome = .done
        #expect(judge(instance, evidence).verdict == .pass)
    }

    @Test func `cancel needs its feature and names a member under way`() throws {
        let steps = "[login, together: [accounts, cancel: 2]]"
        let instance = try #require(Make.reading("{step: 2, error: cancelled}", steps: steps))

        #expect(instance.features == [.together, .cancel])
        guard case .cancel(2) = instance.allSteps[2].action else {
            Issue.record("found \(instance.allSteps[2].action), expected cancel 2")
            return
        }
    }

    @Test(
        arguments: [
            (
                "[login, kill: {during: accounts, at: request}]",
                "t.yaml:7:33: found `kill` during `accounts`, expected an operation whose request the bank can hold, login, logout"
            ),
            (
                "[login, kill: {during: authorize_finish, at: commit}]",
                "found `kill` during `authorize_finish`, expected an operation whose request the bank can hold"
            ),
            ("[login, kill: {during: pay, at: request}]", "`pay` needs the argument `intent`"),
            ("[login, kill: {during: login, at: midway}]", "expected connect, request or commit"),
            ("[login, kill: {during: login}]", "`at` is missing in `kill`"),
            ("[login, kill: {during: login, at: commit, by: us}]", "unknown key `by` in `kill`"),
            ("[login, kill: {during: restart, at: commit}]", "found `restart`, expected login, logout, pay"),
            ("[login, cancel: 1]", "t.yaml:7:26: found `cancel` by itself, expected `cancel` as a member of `together`"),
            ("[login, together: [accounts, cancel: 1]]", "found `1`, expected the number of an operation in progress"),
            ("[login, together: [cancel: 3, accounts]]", "one before it in the same `together`: nothing"),
            (
                "[login, together: [accounts, restart]]",
                "expected an operation or read, move, release, held, challenge, disk, wait or cancel as a member"
            ),
            ("[login, together: [held, accounts]]", "found `held` with no operation in progress, expected `held` after an operation"),
            ("[login, held]", "t.yaml:7:18: found `held` with no operation in progress"),
            ("[login, disk: burn]", "found `burn`, expected damage"),
            ("[login, resume: {intent: A}]", "found `resume` of the intent `A`, expected an intent that a step before has begun"),
        ])
    func `an impossible step is reported with its position`(steps: String, expected: String) {
        let found = Make.complaints(needs: "[login, accounts, resume]", steps: steps)

        #expect(found.contains { $0.contains(expected) }, "\(found)")
    }
}
