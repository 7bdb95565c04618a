import BankModel
import DriverProtocol
import Testing

@testable import Contracts

/// A client's receiver of webhooks in a case: the steps, and what the judge makes of its answers.
@Suite struct ReceiverTests {
    private static let bank = BankFacts(
        name: "toy", customers: [.init(login: "ava", password: "secret")], operations: [.login, .transactions, .events])

    private func instance(_ steps: String, expect: String = "[{step: 1, outcome: ok}]") -> Instance? {
        Make.instances("needs: [events, transactions]\nsteps: \(steps)\nexpect: \(expect)", on: Self.bank).first
    }

    private func complaints(_ steps: String, expect: String = "[{step: 1, outcome: ok}]") -> [String] {
        Make.complaints(needs: "[events]", steps: steps, expect: expect)
    }

    @Test(arguments: [
        ("register", "webhook register", "the bank registers the receiver for all events"),
        (
            "{register: [payment.settled]}", "webhook register payment.settled", "the bank registers the receiver for payment.settled"
        ),
        ("unknown-type", "webhook unknown-type", "the next delivery to the receiver has the fault `unknown-type`"),
        ("rotate", "webhook rotate", "the bank replaces the receiver's secret"),
    ])
    func `a webhook is registered, broken and given another secret`(yaml: String, text: String, words: String) throws {
        let action = try #require(instance("[events, webhook: register, webhook: \(yaml)]")?.allSteps[2].action)
        #expect("\(action)" == text)
        #expect(action.words == words)
    }

    @Test(arguments: [
        ("[webhook: register, events]", "expected a step `events` before it"),
        ("[events, webhook: forged]", "expected a step `webhook: register` before it"),
        ("[events, webhook: register, webhook: forgd]", "did you mean `forged`?"),
        ("[events, webhook: {register: []}]", "at least"),
        ("[events: {handling: slow}]", "handling"),
    ])
    func `steps that cannot be done are mistakes of the case`(steps: String, complaint: String) {
        let found = complaints(steps)
        #expect(found.contains { $0.contains(complaint) }, "\(found)")
    }

    @Test func `a receiver signs in only if it can`() {
        let receiver = instance("[login, events]")
        let app = Make.instances("needs: [transactions]\nsteps: [login, transactions]\nexpect: [{control: 2}]", on: Self.bank).first

        #expect(receiver?.needs == [.events, .transactions])
        #expect(app?.needs == [.transactions, .login])
    }

    @Test func `an expectation about a receiver needs one`() {
        #expect(complaints("[accounts]", expect: "[{receiver: accepts}]").contains { $0.contains("`receiver` needs a step `events`") })
        #expect(complaints("[events]", expect: "[{receiver: forged}]").contains { $0.contains("forged-refused") })
    }

    private func verdict(_ requirement: String, _ attempts: [(fault: String?, status: Int?)], slow: Bool = false) throws -> Verdict {
        let instance = try #require(self.instance("[events, webhook: register]", expect: "[{receiver: \(requirement)}]"))
        var evidence = Make.allWell()
        evidence.steps = Make.steps([1: .ok(view: ["url": "http://127.0.0.1:1/hook", "events": [], "payments": []]), 2: .done])
        evidence.journal = []
        evidence.deliveries = attempts.map {
            WebhookAttempt(
                webhook: "webhook-1", event: "evt_1", fault: $0.fault, status: $0.status, tookTooLong: slow, isTimestamped: true,
                clockOffset: 0)
        }
        return judge(instance, evidence).verdict
    }

    @Test func `a receiver is judged by its answers`() throws {
        #expect(try verdict("forged-refused", [("forged", 400), (nil, 204)]) == .pass)
        #expect(try verdict("forged-refused", [("altered", 204), (nil, 204)]) == .fail)
        #expect(try verdict("forged-refused", [("forged", nil)]) == .inconclusive, "nothing listened")
        #expect(try verdict("forged-refused", [(nil, 204)]) == .notExercised)
        #expect(try verdict("duplicate-accepted", [("duplicate", 204), ("duplicate", 409)]) == .fail)
        #expect(try verdict("answers-in-time", [(nil, nil)], slow: true) == .fail)
        #expect(try verdict("accepts", [("forged", 400), (nil, 204)]) == .pass)
        #expect(try verdict("accepts", [(nil, 500)]) == .inconclusive)
        #expect(try verdict("accepts", [(nil, nil)], slow: true) == .notExercised, "it answers when it has acted")
        #expect(try verdict("accepts", []) == .notExercised)
    }

    @Test func `no request is needed for what a receiver shows`() throws {
        #expect(try verdict("accepts", [(nil, 204)]) == .pass)
    }
}
