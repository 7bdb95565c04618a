import BankCore
import BankModel
import TestBanks
import Testing

/// Pending movements: accepted, then settled or rejected by the session's clock.
@Suite struct SettlementTests {
    private func entries(_ till: inout Till, _ token: String, account: String = "a1") -> [JSON] {
        till.send("GET", "/v1/accounts/\(account)/entries?limit=5", token: token).json["entries"]?.array ?? []
    }

    @Test func `a payment is pending until its time`() throws {
        var till = try Till(TestFiles.settling)
        let ann = try till.token()
        let payment = till.pay("12.30", key: "k1", token: ann)
        let id = try #require(payment.json["id"]?.string)

        #expect(payment.json["state"]?.string == "accepted")
        #expect(till.balances(ann) == ["87.70", "100.00"])
        let pending = try #require(entries(&till, ann).first)
        #expect(pending["state"]?.string == "pending")
        #expect(pending["dir"]?.string == "OUT")
        #expect(pending["name"]?.string == "Grocer")
        #expect(pending["kind"]?.string == "transfer")
        #expect(pending["amount"]?.string == "12.30")

        till.now = till.now + .seconds(59)
        #expect(till.send("GET", "/v1/payments/\(id)", token: ann).json["state"]?.string == "accepted")
        till.now = till.now + .seconds(1)
        #expect(till.send("GET", "/v1/payments/\(id)", token: ann).json["state"]?.string == "settled")
        #expect(till.balances(ann) == ["87.70", "87.70"])
        let booked = entries(&till, ann)
        #expect(booked.first?["state"]?.string == "booked")
        #expect(booked.first?["replaces"] == pending["id"])
        #expect(booked.first?["id"] != pending["id"])
        #expect(booked.first?["at"]?.string == till.now.rfc3339())
        #expect(!booked.contains { $0["id"] == pending["id"] }, "the pending row is gone")
        #expect(till.state.ledger.movements.map(\.state) == [.settled])
    }

    @Test func `an advance of the clock is undone with what has ended in it`() throws {
        var till = try Till(TestFiles.settling)
        let (ann, machine) = (try till.token(), till.now)
        till.state.isLogged = true
        _ = till.pay("12.30", key: "k1", token: ann)
        _ = till.state.advanceClock(machine: machine)
        _ = till.state.drainChanges()
        try till.state.setClock { clock throws(ClockError) in try clock.advance(by: .seconds(3600), machine: machine) }
        till.state.settle(at: till.state.advanceClock(machine: machine))
        #expect(till.state.ledger.movements.map(\.state) == [.settled])

        till.state.undo(till.state.drainChanges())

        #expect(till.state.advanceClock(machine: machine) == machine)
        #expect(till.state.drainChanges().isEmpty, "the clock is not set forward again")
        #expect(till.state.ledger.movements.map(\.state) == [.accepted])
        #expect(entries(&till, ann).first?["state"]?.string == "pending")
        till.now = till.now + .seconds(60)
        #expect(entries(&till, ann).first?["state"]?.string == "booked")
        #expect(till.balances(ann) == ["87.70", "87.70"])
    }

    @Test func `a clock that goes on from what it has shown does so again if that is undone`() throws {
        var till = try Till(TestFiles.settling)
        let machine = till.now
        till.state.isLogged = true
        _ = till.state.advanceClock(machine: machine)
        _ = till.state.advanceClock(machine: machine + .seconds(-60))
        let shown = till.state.advanceClock(machine: machine + .seconds(-50))

        till.state.undo(till.state.drainChanges())

        #expect(shown == machine + .seconds(10))
        #expect(till.state.advanceClock(machine: machine + .seconds(-49)) == shown)
    }

    @Test func `money between own accounts settles at once and both lists show it`() throws {
        var till = try Till(TestFiles.settling)
        let ann = try till.token()

        let payment = till.pay("10.00", key: "k1", token: ann, to: "a2")

        #expect(payment.json["state"]?.string == "settled")
        #expect(till.balances(ann) == ["90.00", "90.00"])
        let (left, come) = (entries(&till, ann).first, entries(&till, ann, account: "a2").first)
        #expect(left?["dir"]?.string == "OUT")
        #expect(left?["name"]?.string == "Savings")
        #expect(left?["state"]?.string == "booked")
        #expect(come?["dir"]?.string == "IN")
        #expect(come?["name"]?.string == "Current")
        #expect(come?["replaces"] == nil)
        #expect(left?["kind"]?.string == "internal")
        #expect(come?["kind"]?.string == "internal")
    }

    @Test func `a signed amount is negative in the list of the side that pays`() throws {
        let files = TestFiles.settling.replacing("till/bank.yaml", "amount: {move: amount}", with: "amount: {move: signed}")
        var till = try Till(files)
        let ann = try till.token()

        let payment = till.pay("10.00", key: "k1", token: ann, to: "a2")

        #expect(payment.status == 201)
        let (left, come) = (entries(&till, ann).first, entries(&till, ann, account: "a2").first)
        #expect(left?["amount"]?.string == "-10.00")
        #expect(come?["amount"]?.string == "10.00")
    }

    @Test func `a read of the past shows the payment as it was`() throws {
        var till = try Till(TestFiles.settling)
        let ann = try till.token()
        let id = try #require(till.pay("1.00", key: "k1", token: ann).json["id"]?.string)
        till.now = till.now + .seconds(90)

        guard case .success(.ready(let ticket)) = till.admit("GET", "/v1/payments/\(id)", token: ann) else {
            Issue.record("the read was not admitted")
            return
        }
        #expect(till.state.execute(ticket, at: till.now, alteration: .stale(.seconds(60))).json["state"]?.string == "accepted")
        #expect(till.send("GET", "/v1/payments/\(id)", token: ann).json["state"]?.string == "settled")
    }

    @Test func `the replay stays as it was`() throws {
        var till = try Till(TestFiles.settling)
        let ann = try till.token()
        let first = till.pay("1.00", key: "k1", token: ann)
        till.now = till.now + .seconds(90)

        #expect(till.pay("1.00", key: "k1", token: ann).body == first.body)
    }

    @Test(arguments: [("66.09", "p1"), ("2.00", "magic-rejected")])
    func `a payment that is rejected gives the money back`(_ amount: String, to payee: String) throws {
        let magic = "magic: {amounts: {\"6609\": rejected}, payees: {magic-rejected: rejected}}\nreplies:"
        var till = try Till(TestFiles.settling.replacing("dialects/terse.yaml", "replies:", with: magic))
        let ann = try till.token()
        let payment = till.pay(amount, key: "k1", token: ann, to: payee)
        let id = try #require(payment.json["id"]?.string)
        #expect(payment.status == 201)
        #expect(payment.json["state"]?.string == "accepted")
        #expect(till.balances(ann)[0] != "100.00")
        #expect(entries(&till, ann).first?["state"]?.string == "pending")

        till.now = till.now + .seconds(60)

        #expect(till.send("GET", "/v1/payments/\(id)", token: ann).json["state"]?.string == "rejected")
        #expect(till.balances(ann) == ["100.00", "100.00"])
        #expect(!entries(&till, ann).contains { $0["state"] != nil }, "the pending row is gone")
        #expect(till.state.ledger.isBalanced)
        #expect(till.state.audit(at: till.now) == [])
    }

    @Test func `a stored payment to a payee that is magic by its key alone can be replayed`() throws {
        let magic = "magic: {payees: {magic-rejected: rejected}}\nreplies:"
        var till = try Till(TestFiles.settling.replacing("dialects/terse.yaml", "replies:", with: magic))
        let ann = try till.token()
        var copy = till
        till.state.isLogged = true

        #expect(till.pay("2.00", key: "k1", token: ann, to: "magic-rejected").status == 201)
        let image = till.state.image(of: till.state.drainChanges())

        #expect(try copy.state.audit(image.changes, response: image.response, at: till.now) == [])
        #expect(copy.state.ledger == till.state.ledger)
    }

    @Test func `the revision changes when something settles`() throws {
        var till = try Till(TestFiles.settling)
        _ = till.pay("1.00", key: "k1", token: try till.token())
        let revision = till.state.revision

        #expect(till.state.nextDue == till.now + .seconds(60))
        till.state.settle(at: till.now + .seconds(60))

        #expect(till.state.revision > revision)
        #expect(till.state.nextDue == nil)
    }
}

@Suite struct LedgerTests {
    private let mine = Movement.Account(table: "accounts", id: "a")
    private let yours = Movement.Account(table: "accounts", id: "b")

    private func movement(_ units: Int64, at second: Int64 = 0, ending: Movement.Ending? = nil) throws -> Movement {
        Movement(
            id: "m", operation: "pay", key: nil, customer: nil, state: ending == nil ? .settled : .accepted, from: mine, to: yours,
            amount: Money(minorUnits: units, currency: try #require(Currency("GBP"))), at: Instant(seconds: second), ending: ending)
    }

    @Test func `a rejected movement is reversed`() throws {
        var ledger = Ledger()
        ledger.book(try movement(500, ending: .init(at: Instant(seconds: 60), state: .rejected)))
        #expect(ledger.change(of: mine) == -500)
        #expect(ledger.settledChange(of: mine) == 0)
        #expect(ledger.change(of: yours) == 500)
        let tooSoon = ledger.settle(at: Instant(seconds: 59))

        let inTime = ledger.settle(at: Instant(seconds: 60))

        #expect(!tooSoon)
        #expect(inTime)

        #expect(ledger.change(of: mine) == 0)
        #expect(ledger.settledChange(of: mine) == 0)
        #expect(ledger.changes.isEmpty)
        #expect(ledger.movements.map(\.state) == [.rejected])
        #expect(ledger.isBalanced)
    }

    @Test(arguments: [Movement.State.settled, .rejected], [0, 60])
    func `undone changes leave no trace`(_ end: Movement.State, settledAt second: Int64) throws {
        var ledger = Ledger()
        ledger.book(try movement(100))
        let before = ledger
        ledger.book(try movement(500, ending: .init(at: Instant(seconds: 60), state: end)))
        _ = ledger.settle(at: Instant(seconds: second))

        ledger.unbook()

        #expect(ledger == before)
    }

    @Test func `movements end in the order of their times`() throws {
        var ledger = Ledger()
        for second in [50, 10, 30, 20, 40] {
            ledger.book(try movement(1, ending: .init(at: Instant(seconds: Int64(second)), state: .settled)))
        }

        var ends: [Int64] = []
        while let next = ledger.nextEnding {
            ends.append(next.seconds)
            _ = ledger.settle(at: next)
        }

        #expect(ends == [10, 20, 30, 40, 50])
        #expect(ledger.settledChange(of: yours) == 5)
    }

    /// A reversed amount may meet a balance that has grown meanwhile.
    @Test func `a sum that would overflow after a rejection is rejected`() throws {
        var ledger = Ledger()
        let pounds = try #require(Currency("GBP"))
        func back(_ units: Int64) -> Movement {
            Movement(
                id: "m", operation: "pay", key: nil, customer: nil, state: .settled, from: yours, to: mine,
                amount: Money(minorUnits: units, currency: pounds), at: Instant(seconds: 1), ending: nil)
        }
        ledger.book(try movement(500, ending: .init(at: Instant(seconds: 60), state: .rejected)))

        #expect(ledger.accepts(back(.max)))
        #expect(ledger.accepts(back(.max), openings: (0, 1)) == false)
        ledger.book(back(.max))
        // The sum would fit now, and no longer once the 500 are reversed.
        #expect(ledger.accepts(back(500)) == false)
        let isSettled = ledger.settle(at: Instant(seconds: 60))
        #expect(isSettled)
        #expect(ledger.change(of: mine) == .max)
        #expect(ledger.isBalanced)
    }

    @Test func `an impossible movements are survived`() throws {
        var ledger = Ledger()
        for units in [Int64.max, .max, .min, -1] {
            ledger.book(try movement(units, ending: .init(at: Instant(seconds: 60), state: .rejected)))
        }

        let isSettled = ledger.settle(at: Instant(seconds: 60))
        #expect(isSettled)
        #expect(ledger.isBalanced)
        ledger.unbook()
    }

    @Test func `a sum that overflows is rejected`() throws {
        var ledger = Ledger()
        ledger.book(try movement(.max))

        #expect(ledger.accepts(try movement(1)) == false)
    }
}
