import BankModel
import DriverProtocol
import Testing

@testable import Contracts

/// Events of the bank in a case: how they are read, where they can happen, and what the judge makes of one that did not.
@Suite struct EventStepTests {
    private static let bank = BankFacts(
        name: "toy", customers: [.init(login: "ava", password: "secret")], operations: [.login, .transactions, .pay, .paymentStatus])

    private func instance(_ step: String, on bank: BankFacts = bank) -> Instance? {
        Make.instances(
            "needs: [login, transactions]\nsteps: [login, transactions, happen: \(step), transactions]\nexpect: [{step: 4, outcome: ok}]",
            on: bank
        ).first
    }

    private func complaints(_ steps: String) -> [String] {
        Make.complaints(needs: "[login, pay, payment_status]", steps: steps, expect: "[{step: 1, outcome: ok}]")
    }

    @Test(arguments: [
        ("{event: payment-settles}", "happen payment-settles", "the bank: a pending payment settles now"),
        (
            "{event: payment-in, amount: \"12.30\", name: Acme}", "happen payment-in amount=12.30 name=Acme",
            "the bank: new money arrives on the account (amount 12.30)"
        ),
    ])
    func `an event is read, and described in words`(yaml: String, text: String, words: String) throws {
        let instance = try #require(self.instance(yaml))

        #expect("\(instance.allSteps[2].action)" == text)
        #expect(instance.allSteps[2].action.words == words)
    }

    @Test func `an unknown event, and a state that is asked of no payment, are mistakes of the case`() {
        #expect(complaints("[login, happen: {event: payment-setles}]").first?.contains("did you mean `payment-settles`?") == true)
        #expect(complaints("[login, happen: {}]").first?.contains("`event` is missing in an event") == true)
        #expect(complaints("[login, payment_status: {intent: A}]").first?.contains("found `payment_status` of the intent `A`") == true)
        #expect(complaints("[login, pay: {intent: A, amount: \"1.00\"}, payment_status: {intent: A, until: final}]") == [])
    }

    @Test func `a bank on which the event cannot happen does not have the case`() {
        var bank = Self.bank
        bank.impossible = [.paymentIn]

        #expect(instance("{event: payment-in, amount: \"1.00\"}", on: bank) == nil)
        #expect(instance("{event: payment-settles}", on: bank) != nil)
    }

    @Test func `an event that did not happen shows nothing about the client`() throws {
        let instance = try #require(self.instance("{event: payment-settles}"))
        func verdict(_ event: StepOutcome) -> Verdict {
            var evidence = Make.allWell()
            evidence.steps = Make.steps([1: .ok(view: [:]), 2: .ok(view: [:]), 3: event, 4: .error("unavailable", detail: nil)])
            evidence.journal.append(Make.exchange(4))
            return judge(instance, evidence).verdict
        }

        #expect(verdict(.done) == .fail)
        #expect(verdict(.error("impossible", detail: "found no payment for `payment-settles`")) == .inconclusive)
    }

    @Test func `an event after a payment that a client need not make leaves the case not exercised`() throws {
        let instance = try #require(
            Make.instances(
                "needs: [login, pay]\nsteps: [login, pay: {intent: A, amount: \"1.00\"}, happen: {event: payment-settles}]\n"
                    + "expect: [{control: 2, otherwise: not-exercised}]"
            ).first)
        func verdict(_ payment: StepOutcome) -> Verdict {
            let event = StepOutcome.error("impossible", detail: "found no payment for `payment-settles`")
            return judge(instance, Make.allWell { $0.steps = Make.steps([1: .ok(view: [:]), 2: payment, 3: event]) }).verdict
        }

        #expect(verdict(.error("rejected", detail: nil)) == .notExercised)
        #expect(verdict(.ok(view: [:])) == .inconclusive)
    }
}
