import BankModel
import TestBanks
import Testing

@testable import BankCore

/// Events: money from outside, and payments that settle, are rejected or return.
@Suite struct EventTests {
    private func entries(_ till: inout Till, _ token: String) -> [JSON] {
        till.send("GET", "/v1/accounts/a1/entries?limit=5", token: token).json["entries"]?.array ?? []
    }

    private func state(_ till: inout Till, _ id: String, _ token: String) -> String? {
        till.send("GET", "/v1/payments/\(id)", token: token).json["state"]?.string
    }

    private func pay(_ till: inout Till, _ token: String, key: String = "k1") throws -> String {
        try #require(till.pay("12.30", key: key, token: token).json["id"]?.string)
    }

    // MARK: new money

    @Test func `money comes in, and the list shows it`() throws {
        var till = try Till(TestFiles.living)
        let ann = try till.token()
        let movement = try till.happen(
            event(.paymentIn) { ($0.account, $0.amount, $0.name) = ("a1", "1200.00", "Acme") })

        #expect(movement.from.description == "outside/Acme")
        #expect(movement.to.description == "accounts/a1")
        #expect(movement.customer == "ann")
        #expect(movement.event == "payment-in")
        #expect(till.balances(ann) == ["1300.00", "1300.00"])
        let row = try #require(entries(&till, ann).first)
        #expect(row["dir"] == "IN")
        #expect(row["name"] == "Acme")
        #expect(row["text"] == "Acme", "without a reference the name is it")
        #expect(row["kind"] == "credit")
        #expect(row["what"] == "payment-in")
        #expect(row["state"] == "booked")
        #expect(row["amount"] == "1200.00")
        #expect(till.state.ledger.isBalanced)
    }

    @Test func `a direct debit takes money, unless there is too little`() throws {
        var till = try Till(TestFiles.living)
        let ann = try till.token()
        let debit = event(.directDebit) { ($0.account, $0.amount, $0.reference) = ("accounts/a1", "60.00", "power") }
        _ = try till.state.happen(debit, at: till.now)
        #expect(till.balances(ann).first == "40.00")
        #expect(entries(&till, ann).first?["text"] == "power")
        #expect(entries(&till, ann).first?["kind"] == nil, "a kind that is not listed has no value")

        let before = till.state.image
        #expect(throws: EventError.self) { try till.state.happen(debit, at: till.now) }
        #expect(till.state.image == before, "nothing has changed")
    }

    @Test func `a card payment is reserved, captured, and refunded in parts`() throws {
        var till = try Till(TestFiles.living)
        let ann = try till.token()
        let card = try till.happen(event(.cardAuthorised) { ($0.account, $0.amount) = ("a1", "20.00") })
        #expect(card.state == .accepted)
        #expect(till.balances(ann) == ["80.00", "100.00"])
        #expect(entries(&till, ann).first?["state"] == "pending")

        till.now = till.now + .seconds(5)
        let captured = try till.happen(event(.cardCaptured))
        #expect(captured.id == card.id)
        #expect(captured.state == .settled)
        #expect(till.balances(ann) == ["80.00", "80.00"])
        #expect(entries(&till, ann).filter { $0["kind"] == "card" }.map { $0["state"]?.string } == ["booked"])
        #expect(entries(&till, ann).first?["at"]?.string == till.now.rfc3339(), "booked when it was captured")

        let part = try till.happen(event(.cardRefunded) { $0.amount = "5.00" })
        #expect(part.returns == card.id)
        let rest = try till.happen(event(.cardRefunded) { $0.payment = card.id })
        #expect(rest.amount.major == "15.00")
        #expect(till.balances(ann) == ["100.00", "100.00"])
        #expect(entries(&till, ann).filter { $0["state"] == "refunded" }.map { $0["dir"]?.string } == ["IN", "IN"])
        #expect(throws: EventError.self, "nothing is left") { try till.state.happen(event(.cardRefunded), at: till.now) }
        #expect(throws: EventError.self, "a return does not return") {
            try till.state.happen(event(.paymentReturns) { $0.payment = part.id }, at: till.now)
        }
    }

    @Test func `a reservation that nobody captures lapses, and one that is reversed is gone`() throws {
        var till = try Till(TestFiles.living)
        let ann = try till.token()
        let reserve = event(.cardAuthorised) { ($0.account, $0.amount) = ("a1", "20.00") }
        _ = try till.state.happen(reserve, at: till.now)
        _ = try till.state.happen(event(.cardReversed), at: till.now)
        #expect(till.balances(ann) == ["100.00", "100.00"])
        #expect(!entries(&till, ann).contains { $0["kind"] == "card" })

        _ = try till.state.happen(reserve, at: till.now)
        till.now = till.now + .seconds(7 * 86_400)
        let later = try till.token()
        #expect(till.balances(later) == ["100.00", "100.00"])
        #expect(!entries(&till, later).contains { $0["kind"] == "card" })
    }

    // MARK: payments of a client

    @Test(arguments: ["row", "movement", "key", "newest"])
    func `a payment settles before its time, named in any way`(_ naming: String) throws {
        var till = try Till(TestFiles.living)
        let ann = try till.token()
        let id = try pay(&till, ann)
        let pending = try #require(entries(&till, ann).first)
        let name = ["row": id, "movement": "movement-1", "key": "k1"][naming]
        let movement = try till.happen(event(.paymentSettles) { $0.payment = name })

        #expect(movement.state == .settled)
        #expect(movement.event == nil, "the client has made it")
        #expect(state(&till, id, ann) == "settled")
        #expect(till.balances(ann) == ["87.70", "87.70"])
        let booked = entries(&till, ann)
        #expect(booked.first?["state"] == "booked")
        #expect(booked.first?["replaces"] == pending["id"])
        #expect(!booked.contains { $0["id"] == pending["id"] })

        till.now = till.now + .seconds(120)
        #expect(entries(&till, ann) == booked, "its planned end does not come again")
        #expect(throws: EventError.self) { try till.state.happen(event(.paymentSettles) { $0.payment = id }, at: till.now) }
    }

    @Test func `a payment is rejected before its time, and its money returned`() throws {
        var till = try Till(TestFiles.living)
        let ann = try till.token()
        let id = try pay(&till, ann)
        _ = try till.state.happen(event(.paymentRejected), at: till.now)
        #expect(state(&till, id, ann) == "rejected")
        #expect(till.balances(ann) == ["100.00", "100.00"])
        #expect(!entries(&till, ann).contains { $0["state"] == "pending" })
        till.now = till.now + .seconds(120)
        #expect(state(&till, id, ann) == "rejected")
        #expect(till.pay("12.30", key: "k1", token: ann).replayed, "the key still knows the payment")
    }

    @Test func `a pending row that the customer removed does not come back, whatever the end`() throws {
        for kind in [BankEvent.Kind.paymentSettles, .paymentRejected] {
            var till = try Till(TestFiles.living)
            let ann = try till.token()
            let before = entries(&till, ann)
            _ = try pay(&till, ann)
            let pending = try #require(entries(&till, ann).first?["id"]?.string)
            #expect(till.send("DELETE", "/v1/entries/\(pending)", token: ann).status == 204)
            _ = try till.state.happen(event(kind), at: till.now)
            till.now = till.now + .seconds(120)
            #expect(entries(&till, ann) == before, "\(kind)")
        }
    }

    @Test func `a payment returns after it had settled`() throws {
        var till = try Till(TestFiles.living)
        let ann = try till.token()
        let id = try pay(&till, ann)
        #expect(throws: EventError.self, "it is pending") {
            try till.state.happen(event(.paymentReturns) { $0.payment = id }, at: till.now)
        }
        till.now = till.now + .seconds(61)
        let movement = try till.happen(event(.paymentReturns) { $0.payment = id })

        #expect(movement.returns == "movement-1")
        #expect(movement.from.description == "payees/p1")
        #expect(state(&till, id, ann) == "returned")
        #expect(till.balances(ann) == ["100.00", "100.00"])
        let rows = entries(&till, ann)
        #expect(rows.first?["name"] == "Returned")
        #expect(rows.first?["dir"] == "IN")
        #expect(rows.first?.object?.keys.contains("replaces") == false, "null removes a member of the other row")
        #expect(rows.dropFirst().first?["dir"] == "OUT", "the payment stays in the list")
        #expect(till.state.ledger.isBalanced)
    }

    @Test func `a rejected and a returned payment show the event's reason`() throws {
        let files = TestFiles.living
            .replacing("till/bank.yaml", "    rejected: {state: rejected}", with: "    rejected: {state: rejected, why: {event: reason}}")
            .replacing("till/bank.yaml", "    returned: {state: returned}", with: "    returned: {state: returned, why: {event: reason}}")
        var till = try Till(files)
        let ann = try till.token()
        let closed = try pay(&till, ann)
        let unexplained = try pay(&till, ann, key: "k2")
        let returned = try pay(&till, ann, key: "k3")
        _ = try till.state.happen(event(.paymentRejected) { ($0.payment, $0.reason) = (closed, "AC04") }, at: till.now)
        _ = try till.state.happen(event(.paymentRejected) { $0.payment = unexplained }, at: till.now)
        _ = try till.state.happen(event(.paymentSettles) { $0.payment = returned }, at: till.now)
        _ = try till.state.happen(event(.paymentReturns) { ($0.payment, $0.reason) = (returned, "MD06") }, at: till.now)

        var shown: [[String?]] = []
        for id in [closed, unexplained, returned] {
            let payment = till.send("GET", "/v1/payments/\(id)", token: ann).json
            shown.append([payment["state"]?.string, payment["why"]?.string])
        }
        #expect(shown == [["rejected", "AC04"], ["rejected", nil], ["returned", "MD06"]])
        #expect {
            try till.state.happen(event(.paymentSettles) { $0.reason = "AC04" }, at: till.now)
        } throws: { "\($0)" == "found `reason`, expected none: `payment-settles` has no such member" }
    }

    @Test func `a bank that does not show returns rejects them, and nothing changes`() throws {
        var till = try Till(TestFiles.settling)
        let ann = try till.token()
        _ = try pay(&till, ann)
        till.now = till.now + .seconds(60)
        till.state.settle(at: till.now)
        let before = till.state.image
        #expect {
            try till.state.happen(event(.paymentReturns), at: till.now)
        } throws: { "\($0)".contains("expected `returned` in the `lists` of `pay`") }
        #expect {
            try till.state.happen(event(.paymentIn) { ($0.account, $0.amount) = ("a1", "1") }, at: till.now)
        } throws: { "\($0)" == "found `payment-in`, expected a bank with `events`: till does not define how its lists show it" }
        #expect(till.state.image == before)
    }

    // MARK: wrong events

    @Test(
        arguments: [
            (BankEvent.Kind.paymentIn, ["amount": "1.00"], "`account` is missing: `payment-in` needs it"),
            (.paymentIn, ["account": "a1"], "`amount` is missing: `payment-in` needs it"),
            (.paymentIn, ["account": "zz", "amount": "1"], "found the account zz, expected a1, a2 or b1"),
            (.paymentIn, ["account": "p1", "amount": "1"], "found the account p1, expected a1, a2 or b1"),
            (
                .paymentIn, ["account": "a1", "amount": "-1.00"],
                "found the amount -1.00, expected one above zero with at most 2 digits after the point, in GBP"
            ),
            (
                .paymentIn, ["account": "a1", "amount": "1.001"],
                "found the amount 1.001, expected one above zero with at most 2 digits after the point, in GBP"
            ),
            (.paymentIn, ["account": "a1", "amount": "92233720368547758.07"], "the sum does not fit 64 bits of minor units"),
            (.directDebit, ["account": "a1", "amount": "100.01"], "the account a1 has less than 100.01 GBP"),
            (
                .paymentIn, ["account": "a1", "amount": "1", "payment": "x"],
                "found `payment`, expected none: `payment-in` has no such member"
            ),
            (.paymentReturns, ["amount": "1"], "found `amount`, expected none: `payment-returns` has no such member"),
            (
                .paymentIn, ["account": String(repeating: "a", count: 141), "amount": "1"],
                "found 141 characters in `account`, expected at most 140"
            ),
            (.paymentSettles, ["amount": "1"], "found `amount`, expected none: `payment-settles` has no such member"),
            (.paymentSettles, [:], "found no payment for `payment-settles`"),
            (
                .cardCaptured, ["payment": "movement-1"],
                "found the payment movement-1, expected the id of a movement, the key of its row, or its idempotency key, for `card-captured`"
            ),
        ])
    func `a wrong event is rejected with what is expected`(_ kind: BankEvent.Kind, _ members: [String: String], _ message: String) throws {
        var till = try Till(TestFiles.living)
        let wrong = event(kind) {
            ($0.account, $0.amount, $0.payment) = (members["account"], members["amount"], members["payment"])
        }
        #expect {
            try till.state.happen(wrong, at: till.now)
        } throws: { "\($0)" == message }
        #expect(till.state.ledger.movements.isEmpty)
    }

    @Test func `a text of an event has up to 140 characters`() throws {
        var till = try Till(TestFiles.living)
        let ann = try till.token()
        let longest = String(repeating: "é", count: 140)
        let tooLong = event(.paymentIn) { ($0.account, $0.amount, $0.name) = ("a1", "1.00", longest + "é") }

        _ = try till.happen(event(.paymentIn) { ($0.account, $0.amount, $0.reference) = ("a1", "1.00", longest) })

        #expect(entries(&till, ann).first?["text"] == .string(longest))
        #expect {
            try till.state.happen(tooLong, at: till.now)
        } throws: { "\($0)" == "found 141 characters in `name`, expected at most 140" }
    }

    // MARK: state files, the past

    @Test func `a stored session has the events, by its commands and by its checkpoint`() throws {
        var till = try Till(TestFiles.living)
        let ann = try till.token()
        var copy = till
        till.state.isLogged = true
        var commands: [(at: Instant, changes: [UInt8], response: [UInt8]?)] = []
        func keep() {
            let image = till.state.image(of: till.state.drainChanges())
            commands.append((till.now, image.changes, image.response))
        }
        func happen(_ event: BankEvent) throws {
            till.now = till.now + .seconds(1)
            _ = try till.state.happen(event, at: till.now)
            keep()
        }
        try happen(event(.paymentIn) { ($0.account, $0.amount) = ("a1", "50.00") })
        try happen(event(.cardAuthorised) { ($0.account, $0.amount) = ("a1", "20.00") })
        try happen(event(.cardCaptured))
        _ = try pay(&till, ann)
        keep()
        _ = try pay(&till, ann, key: "k2")
        keep()
        try happen(event(.paymentRejected))
        try happen(event(.paymentSettles))
        try happen(event(.paymentReturns))
        let last = try pay(&till, ann, key: "k3")
        keep()
        #expect(till.send("DELETE", "/v1/payments/\(last)", token: ann).json["state"] == "cancelled")
        keep()

        for command in commands {
            #expect(try copy.state.audit(command.changes, response: command.response, at: command.at) == [])
        }
        copy.now = till.now
        #expect(copy.state.ledger == till.state.ledger)
        #expect(entries(&copy, ann) == entries(&till, ann))
        var restored = try Till(TestFiles.living)
        restored.now = till.now
        try restored.state.restore(image: till.state.image)
        #expect(entries(&restored, ann) == entries(&till, ann))
        #expect(restored.state.audit(at: restored.now) == [])
        #expect(throws: EventError.self, "all of its money has returned") {
            try restored.state.happen(event(.paymentReturns) { $0.payment = "k1" }, at: restored.now)
        }
    }

    @Test func `an event that is undone leaves the state as it was`() throws {
        var till = try Till(TestFiles.living)
        let ann = try till.token()
        let id = try pay(&till, ann)
        till.state.isLogged = true
        let before = till.state.image
        let shown = entries(&till, ann)
        for kind in [BankEvent.Kind.paymentSettles, .paymentRejected, .paymentCancelled] {
            _ = try till.state.happen(event(kind) { $0.payment = id }, at: till.now)
            till.state.undo(till.state.drainChanges())
            #expect(till.state.ledger.movements.map(\.state) == [.accepted])
            #expect(till.state.ledger.isBalanced)
            #expect(entries(&till, ann) == shown)
        }
        let (was, now) = (try JSON(parsing: before), try JSON(parsing: till.state.image))
        for member in ["movements", "rows", "keys"] { #expect(was[member] == now[member]) }
    }

    @Test func `a read of the past sees a payment as it was before the event`() throws {
        var till = try Till(TestFiles.living)
        let ann = try till.token()
        let id = try pay(&till, ann)
        till.now = till.now + .seconds(10)
        _ = try till.state.happen(event(.paymentSettles), at: till.now)
        let past = till.state.asOf(till.now + .seconds(-1))
        #expect(past.ledger.movements.map(\.state) == [.accepted])
        #expect(past.row("payments", key: id)?.fields["state"] == "accepted")
        #expect(till.state.row("payments", key: id)?.fields["state"] == "settled")
    }

    @Test func `a stored payment of which more than 64 bits were returned has nothing left`() throws {
        var till = try Till(TestFiles.living)
        let pounds = try #require(Currency("GBP"))
        let (mine, yours) = (Movement.Account(table: "accounts", id: "a1"), Movement.Account(table: "accounts", id: "a2"))
        for (number, original) in [nil, "movement-1", nil, "movement-1"].enumerated() {
            // Forth and back, so that the balances stay as they were.
            let isBack = original != nil
            till.state.apply(
                .moved(
                    Movement(
                        id: "movement-\(number + 1)", operation: "pay", key: nil, customer: nil, state: .settled,
                        from: isBack ? yours : mine, to: isBack ? mine : yours, amount: Money(minorUnits: .max, currency: pounds),
                        at: till.now, ending: nil, returns: original)))
        }

        let error = #expect(throws: EventError.self) {
            try till.state.happen(event(.paymentReturns) { $0.payment = "movement-1" }, at: till.now)
        }
        #expect(error.map { "\($0)" }?.contains("with money that has not been returned") == true)
    }
}
