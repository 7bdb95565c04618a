import BankModel
import TestServer
import Testing

@testable import Faults

/// Which rule answers a request of which only the head is known: what is decided so is counted, and nothing else.
@Suite struct EarlyRuleTests {
    private let time = RuleTime(mono: 0, session: Instant(seconds: 0))

    private func book(_ rules: String...) throws -> RuleBook {
        var book = RuleBook()
        for text in rules { _ = book.set(try rule(text), at: time) }
        return book
    }

    /// A payment by its head.
    private var payment: ExchangeFacts {
        ExchangeFacts(roles: [.pay], operation: "pay", method: "POST", path: "/v1/payments", abilities: [.requestBody])
    }

    private func apply(_ book: inout RuleBook, _ facts: ExchangeFacts) -> (record: FaultRecord?, outgoing: OutgoingResponse) {
        var outgoing = OutgoingResponse.executed
        let record = book.applyEarly(facts, &outgoing, seed: 7, time: time)
        return (record, outgoing)
    }

    @Test func `an early response applies and is counted`() throws {
        var book = try book(#"{"fault": {"early-reply": {"then": "close"}}, "on": {"role": "pay"}, "times": 1}"#)

        let first = apply(&book, payment)
        let second = apply(&book, payment)

        #expect(first.record?.kind == "early-reply")
        #expect(first.record?.applied == true)
        #expect(first.outgoing.steps == [.head, .body, .endRequest])
        #expect(second.record == nil)
        #expect(book.rules.map(\.applied) == [1])
    }

    @Test(arguments: [
        // Not this exchange, not its turn, another kind first, and `attempt`, which needs the whole request.
        [#"{"fault": "early-reply", "on": {"role": "login"}}"#], [#"{"fault": "early-reply", "nth": 2}"#],
        [#"{"fault": "close"}"#, #"{"fault": "early-reply"}"#], [#"{"fault": "early-reply", "on": {"attempt": 1}}"#],
        [#"{"fault": "early-reply"}"#, #"{"fault": "close", "on": {"attempt": 2}}"#], [#"{"fault": "close"}"#], [],
    ])
    func `a request that must be read whole leaves every count as it was`(rules: [String]) throws {
        var book = RuleBook()
        for text in rules { _ = book.set(try rule(text), at: time) }

        let (record, outgoing) = apply(&book, payment)

        #expect(record == nil)
        #expect(outgoing.steps == [.execute])
        #expect(book.rules.allSatisfy { $0.matched == 0 && $0.applied == 0 })
    }

    @Test func `a request without a body is not answered early`() throws {
        var book = try book(#"{"fault": "early-reply"}"#)
        var read = payment
        read.abilities = []

        #expect(apply(&book, read).record == nil)
        #expect(book.mayAnswerEarly)
        #expect(try !self.book(#"{"fault": "close"}"#).mayAnswerEarly)
    }

    @Test func `a late early response waits first`() throws {
        var book = try book(#"{"fault": {"early-reply": {"then": "drain"}, "after": "300ms"}}"#)

        let steps = apply(&book, payment).outgoing.steps

        #expect(steps == [.pause(.duration(.milliseconds(300)), rule: "rule-1"), .head, .body])
    }
}
