import BankModel
import TestBanks
import Testing

@testable import BankCore

/// Standing orders and scheduled payments: made, listed and removed by the bank's calls, paid by the session's clock.
@Suite struct StandingOrderTests {
    private static func till(at now: String) throws -> Till {
        var till = try Till(TestFiles.withOrders)
        till.now = try #require(Instant(rfc3339: now))
        return till
    }

    @discardableResult
    private func order(
        _ till: inout Till, _ token: String, starts: String, every: String? = "month", amount: String = "1.00", key: String = "k1",
        to: String = "p1", path: String = "/v1/orders"
    ) -> BankResponse {
        let repetition = every.map { #", "every": "\#($0)""# } ?? ""
        return till.send(
            "POST", path, token: token, key: key,
            body: #"{"from": "a1", "to": "\#(to)", "amount": "\#(amount)", "starts": "\#(starts)"\#(repetition)}"#)
    }

    /// Goes on to an instant in steps, as a server does.
    private func go(_ till: inout Till, to end: String, steps: Int = 1) throws {
        let start = till.now
        let last = try #require(Instant(rfc3339: end))
        let whole = (last - start).nanoseconds
        for step in 1...steps {
            till.now = start + .nanoseconds(whole / Int64(steps) * Int64(step))
            if step == steps { till.now = last }
            while till.state.performFirstDue(by: till.now, .unlimited) != nil {}
            till.state.settle(at: till.now)
        }
    }

    private func times(_ till: Till) -> [String] { till.state.ledger.movements.map { $0.at.rfc3339() } }

    @Test func `an order pays on the last day of shorter months, and on Monday for a weekend`() throws {
        var till = try Self.till(at: "2026-01-20T10:00:00Z")
        let ann = try till.token()
        #expect(order(&till, ann, starts: "2026-01-31").status == 201)
        try go(&till, to: "2026-07-01T00:00:00Z")

        // 31 January, 28 February and 31 May 2026 are on weekends.
        #expect(
            times(till) == [
                "2026-02-02T07:30:00Z", "2026-03-02T07:30:00Z", "2026-03-31T07:30:00Z", "2026-04-30T07:30:00Z", "2026-06-01T07:30:00Z",
                "2026-06-30T07:30:00Z",
            ])
        #expect(till.state.ledger.movements.allSatisfy { $0.event == Movement.ofOrder && $0.key == nil && $0.customer == "ann" })
        let later = try till.token()
        let rows = try #require(till.send("GET", "/v1/accounts/a1/entries?limit=5", token: later).json["entries"]?.array)
        #expect(rows.first?["kind"] == "transfer", "the list shows it as any payment")
        #expect(rows.first?["state"] == "booked")
    }

    @Test(arguments: [1, 3, 40, 400]) func `each payment is made once, whatever the size of the clock's steps`(steps: Int) throws {
        var till = try Self.till(at: "2026-03-20T10:00:00Z")
        let ann = try till.token()
        // Over both days on which clocks change in Europe: 29 March and 25 October.
        order(&till, ann, starts: "2026-03-22", every: "week", amount: "0.50", path: "/v1/plain")
        order(&till, ann, starts: "2026-03-31", every: "month", amount: "0.70", key: "k2", path: "/v1/plain")
        try go(&till, to: "2026-11-30T00:00:00Z", steps: steps)

        let amounts = till.state.ledger.movements.map(\.amount.major)
        #expect(amounts.count { $0 == "0.50" } == 37)
        #expect(amounts.count { $0 == "0.70" } == 8)
        #expect(Set(till.state.ledger.movements.map { "\($0.at) \($0.amount)" }).count == 45)
        #expect(times(till) == times(till).sorted())
        #expect(till.state.ledger.movements.allSatisfy { $0.at.rfc3339().hasSuffix("T06:00:00Z") })
        #expect(till.state.ledger.isBalanced)
    }

    @Test func `four hundred days of orders and events give one history, whatever the size of the clock's steps`() throws {
        struct History: Equatable {
            let ledger: Ledger
            let schedule: Schedule
            let entries: JSON
        }
        func event(_ kind: BankEvent.Kind, _ amount: String? = nil) -> BankEvent {
            var event = BankEvent(kind)
            (event.account, event.amount) = (amount == nil ? nil : "a1", amount)
            return event
        }
        let day = Duration.seconds(86_400)
        let events: [LifeEvent] = [
            LifeEvent(event(.paymentIn, "120.00"), after: day * 3, every: .month),
            LifeEvent(event(.directDebit, "9.00"), after: day * 5, every: .after(day * 7)),
            LifeEvent(event(.paymentReturns), after: day * 7, every: .month),
            LifeEvent(event(.cardAuthorised, "3.00"), after: day * 9, every: .after(day * 30)),
        ]
        var histories: [History] = []
        for steps in [1, 13, 400, 9600] {
            var till = try Self.till(at: "2026-01-20T10:00:00Z")
            let ann = try till.token()
            order(&till, ann, starts: "2026-01-31")
            order(&till, ann, starts: "2026-02-07", every: "week", amount: "2.00", key: "k2", path: "/v1/plain")
            order(&till, ann, starts: "2026-03-29", every: nil, amount: "3.00", key: "k3")
            for event in events { _ = try till.state.schedule(event, at: till.now) }
            try go(&till, to: "2027-02-24T10:00:00Z", steps: steps)
            let later = try till.token()
            let entries = till.send("GET", "/v1/accounts/a1/entries?limit=5", token: later).json
            histories.append(History(ledger: till.state.ledger, schedule: till.state.schedule, entries: entries))
        }
        let first = try #require(histories.first)
        #expect(first.ledger.movements.count > 150)
        #expect(first.ledger.isBalanced)
        for history in histories.dropFirst() { #expect(history == first) }
    }

    @Test func `a removed order makes room for another`() throws {
        var till = try Self.till(at: "2026-01-20T10:00:00Z")
        let ann = try till.token()
        for number in 1...StandingOrder.most { order(&till, ann, starts: "2026-02-01", amount: "0.01", key: "k\(number)") }
        #expect(order(&till, ann, starts: "2026-02-01", key: "more").status == 400)
        let first = try #require(till.send("GET", "/v1/orders", token: ann).json["orders"]?.array?.first?["id"]?.string)

        #expect(till.send("DELETE", "/v1/orders/\(first)", token: ann).status == 204)
        #expect(order(&till, ann, starts: "2026-02-01", key: "next").status == 201)
        #expect(till.state.schedule.orders.count == StandingOrder.most)
    }

    @Test func `one payment is made once, and its order is no longer listed`() throws {
        var till = try Self.till(at: "2026-01-20T10:00:00Z")
        let ann = try till.token()
        order(&till, ann, starts: "2026-01-21", every: nil)
        let bob = try till.token("bob")
        #expect(till.send("GET", "/v1/orders", token: ann).json["orders"]?.array?.count == 1)
        #expect(till.send("GET", "/v1/orders", token: bob).json["orders"]?.array?.count == 0, "it is ann's")
        try go(&till, to: "2026-03-01T00:00:00Z")
        #expect(times(till) == ["2026-01-21T07:30:00Z"])
        let later = try till.token()
        #expect(till.send("GET", "/v1/orders", token: later).json["orders"]?.array?.count == 0)
        #expect(till.state.schedule.isEmpty)
    }

    @Test func `an order that is removed pays no more`() throws {
        var till = try Self.till(at: "2026-01-20T10:00:00Z")
        let ann = try till.token()
        let id = try #require(order(&till, ann, starts: "2026-01-21").json["id"]?.string)
        #expect(order(&till, ann, starts: "2026-01-21").json["id"]?.string == id, "the key makes one order of a repetition")
        try go(&till, to: "2026-01-22T00:00:00Z")
        let again = try till.token()
        #expect(till.send("DELETE", "/v1/orders/\(id)", token: again).status == 204)
        #expect(till.send("DELETE", "/v1/orders/\(id)", token: again).status == 404)
        try go(&till, to: "2027-01-22T00:00:00Z")
        #expect(times(till).count == 1)
    }

    @Test func `a payment without money is missed, and the next one is made`() throws {
        var till = try Self.till(at: "2026-01-20T10:00:00Z")
        let ann = try till.token()
        let id = try #require(order(&till, ann, starts: "2026-01-21", amount: "150.00").json["id"]?.string)
        try go(&till, to: "2026-02-01T00:00:00Z")
        #expect(till.state.schedule.missed.map(\.order) == [id])
        #expect(till.state.schedule.missed.first?.reason == "the account has less than 150.00 GBP")
        #expect(till.state.ledger.movements.isEmpty)
        var salary = BankEvent(.paymentIn)
        (salary.account, salary.amount) = ("a1", "100.00")
        _ = try till.happen(salary)
        try go(&till, to: "2026-03-01T00:00:00Z")
        #expect(till.state.ledger.movements.count == 2)
        till.state.clearSchedule()
        #expect(till.state.schedule.missed.isEmpty)
        #expect(till.state.schedule.orders.count == 1, "a customer's order is not the test's to remove")
    }

    @Test(arguments: [
        ("2026-01-20", "month", "1.00", "p1"), ("2026-02-30", "month", "1.00", "p1"), ("soon", "month", "1.00", "p1"),
        ("2026-02-01", "year", "1.00", "p1"), ("2026-02-01", "month", "0.00", "p1"), ("2026-02-01", "month", "1.00", "p9"),
    ])
    func `an order that could never be paid is rejected, and nothing changes`(
        starts: String, every: String, amount: String, to: String
    ) throws {
        var till = try Self.till(at: "2026-01-20T10:00:00Z")
        let ann = try till.token()
        #expect(order(&till, ann, starts: starts, every: every, amount: amount, to: to).status == 400)
        #expect(till.state.schedule.isEmpty)
        #expect(till.send("GET", "/v1/orders", token: ann).json["orders"]?.array?.isEmpty == true)
    }

    @Test func `orders are in the stored state`() throws {
        var till = try Self.till(at: "2026-01-20T10:00:00Z")
        let ann = try till.token()
        order(&till, ann, starts: "2026-01-31")
        try go(&till, to: "2026-03-10T00:00:00Z")
        var restored = try Till(TestFiles.withOrders)
        restored.now = till.now
        try restored.state.restore(image: till.state.image)
        #expect(restored.state.image == till.state.image)
        try go(&till, to: "2026-06-10T00:00:00Z")
        try go(&restored, to: "2026-06-10T00:00:00Z")
        #expect(restored.state.ledger == till.state.ledger)
        #expect(till.state.ledger.movements.count == 5)
    }

    @Test func `a session has at most 100 orders`() throws {
        var till = try Self.till(at: "2026-01-20T10:00:00Z")
        let ann = try till.token()
        for number in 0..<StandingOrder.most { order(&till, ann, starts: "2026-01-31", amount: "0.01", key: "k\(number)") }
        #expect(order(&till, ann, starts: "2026-01-31", key: "one-more").status == 400)
        #expect(till.state.schedule.orders.count == StandingOrder.most)
    }
}
