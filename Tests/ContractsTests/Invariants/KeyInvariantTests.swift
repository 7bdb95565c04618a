import BankModel
import Contracts
import Testing

/// One key, one payment order, one customer.
struct KeyInvariantTests {
    private let pays = Make.paying("{ledger: {A: 1, B: 1}}")

    private func evidence(_ first: JournalEntry, _ second: JournalEntry) throws -> Evidence {
        try Make.orders {
            $0.journal = [first, second]
            $0.movements = [try Make.movement(key: "a"), try Make.movement(key: "b")]
        }
    }

    @Test func `a body with the same content in other bytes is the same`() throws {
        let first = Make.payment(2, key: "a", body: #"{"amount":{"currency":"GBP","amount":"10.00"},"to":"a/b","n":10.0}"#)
        let again = Make.payment(2, seq: 9, key: "a", body: #"{ "n": 10.00, "to":"a\/b", "amount":{"amount":"10.00","currency":"GBP"}}"#)
        var evidence = try evidence(first, Make.payment(3, key: "b"))
        evidence.journal.append(again)

        #expect(try Make.broken(pays, evidence).isEmpty)
    }

    @Test(arguments: [#"{"amount":"10.01"}"#, #"{"amount":"10.00","at":1}"#, #"{"amount":10.00}"#])
    func `another body under the key is reported`(body: String) throws {
        var evidence = try evidence(Make.payment(2, key: "a"), Make.payment(3, key: "b"))
        evidence.journal.append(Make.payment(2, seq: 9, key: "a", body: body))

        let size = "\(body.utf8.count) bytes instead of 18"
        #expect(
            try Make.broken(pays, evidence) == [
                "same-wish-same-body: exchange 9 (POST /) sent another body (\(size)) under the key a of exchange 2 (POST /)"
            ])
    }

    @Test func `of a body that the journal does not store nothing is known`() throws {
        var long = Make.payment(2, seq: 9, key: "a", body: #"{"amount":"10.01"}"#)
        long.bodyBytes = JournalEntry.storedBodyBytes + 1
        var evidence = try evidence(Make.payment(2, key: "a"), long)

        #expect(try Make.broken(pays, evidence).filter { $0.hasPrefix("same-wish-same-body") } == [])
        #expect(try !Make.held(pays, evidence).contains("same-wish-same-body"))

        evidence.journal[1].path = "/other"

        #expect(
            try Make.broken(pays, evidence).contains { $0.hasPrefix("same-wish-same-body: exchange 9 (POST /other) sent another address") })
    }

    @Test func `a key that was another order's is reported`() throws {
        var evidence = try evidence(Make.payment(2, key: "a"), Make.payment(3, key: "a"))
        evidence.movements = [try Make.movement(key: "a")]

        let broken = try Make.broken(pays, evidence)

        #expect(broken.contains("other-wish-other-key: the client sent payment order B under a, the key of payment order A"))
        #expect(broken.contains("result-shown-as-received: step 3 (pay B) reported success, but the bank did not execute payment order B"))
    }

    @Test func `an open payment may be finished before a new one`() throws {
        var evidence = try evidence(Make.payment(2, key: "a"), Make.payment(3, key: "b"))
        var replay = Make.payment(3, seq: 9, key: "a")
        replay.replayed = true
        evidence.journal.append(replay)

        #expect(try Make.broken(pays, evidence).isEmpty)
    }

    @Test func `a payment that a client repeats in the background is not the order that runs`() throws {
        let steps = "[login, pay: {intent: A, amount: \"10.00\"}, pay: {intent: B, amount: \"10.00\"}, pay: {intent: B, amount: \"10.00\"}]"
        let instance = Make.instances("needs: [login, pay]\nsteps: \(steps)\nexpect: [{distinct: [key], across: intent}]").first
        var evidence = try evidence(Make.payment(2, key: "a"), Make.payment(3, key: "b"))
        evidence.steps[4] = StepReport(.ok(view: [:]), started: 400, ended: 450)
        var replay = Make.payment(4, seq: 9, key: "a")
        replay.replayed = true
        evidence.journal = [Make.exchange(1, seq: 0)] + evidence.journal + [replay]
        let verdict = try judge(#require(instance), evidence).verdict

        #expect(try Make.broken(instance, evidence).isEmpty)
        #expect(verdict == .pass)
    }

    @Test func `a payment of another order's amount and key is that order's`() throws {
        let steps = "[login, pay: {intent: A, amount: \"10.00\"}, pay: {intent: B, amount: \"3.00\"}]"
        let instance = Make.instances("needs: [login, pay]\nsteps: \(steps)\nexpect: [{distinct: [key], across: intent}]").first
        var evidence = try evidence(Make.payment(2, key: "a"), Make.payment(3, seq: 9, key: "a"))
        evidence.movements = [try Make.movement(key: "a")]
        evidence.journal.insert(Make.exchange(1, seq: 0), at: 0)
        let late = try judge(#require(instance), evidence).verdict
        evidence.journal[2] = Make.payment(3, seq: 9, key: "a", body: "{\"amount\":\"3.00\"}")
        let shared = try judge(#require(instance), evidence).verdict

        #expect(late == .pass)
        #expect(shared == .fail)
    }

    @Test func `a key of two customers is reported`() throws {
        var second = Make.payment(3, key: "b")
        second.customer = "ben"
        var evidence = try evidence(Make.payment(2, key: "a"), second)
        evidence.journal.append(Make.payment(3, seq: 9, key: "b"))

        #expect(try Make.broken(pays, evidence).contains("other-wish-other-key: the customers ben and ava sent the same key, b"))
    }
}
