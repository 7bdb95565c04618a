import BankModel
import TestBanks
import Testing

@testable import BankCore

/// Payments that wait for a second person's authorisation.
@Suite struct AuthorisationTests {
    private struct Paid {
        var till: Till
        let id: String

        init(_ files: TestFiles = .authorising) throws {
            till = try Till(files)
            till.state.isLogged = true
            id = try #require(till.pay("12.30", key: "k1", token: till.token()).json["id"]?.string)
        }

        mutating func get(_ path: String) throws -> JSON { till.send("GET", "/v1/\(path)", token: try till.token()).json }
        mutating func state() throws -> String? { try get("payments/\(id)")["state"]?.string }
        mutating func entries() throws -> [JSON] { try get("accounts/a1/entries?limit=5")["entries"]?.array ?? [] }

        mutating func balances() throws -> [String?] {
            let account = try get("accounts/a1")
            return [account["balance"]?.string, account["booked"]?.string]
        }

        mutating func wait(_ seconds: Int64) {
            till.now = till.now + .seconds(seconds)
            till.state.settle(at: till.now)
        }

        /// The message of the error with which the event does not happen; nil if it happens.
        mutating func failure(_ kind: BankEvent.Kind, _ payment: String? = nil) -> String? {
            var event = BankEvent(kind)
            event.payment = payment
            do throws(EventError) { _ = try till.state.happen(event, at: till.now) } catch { return error.description }
            return nil
        }

        /// The state of its movement, whose money is in the books.
        mutating func booked() throws -> Movement.State? {
            #expect(till.state.ledger.isBalanced)
            #expect(till.state.ledger.addsUp)
            #expect(till.state.sumFaults == [])
            #expect(till.state.audit(at: till.now) == [])
            #expect(till.state.ledger.movements.count == 1)
            return till.state.ledger.movements.first?.state
        }
    }

    @Test func `a payment waits, and its money is reserved`() throws {
        var paid = try Paid()

        for _ in 0..<2 {
            #expect(try paid.state() == "pending-authorisation")
            #expect(try paid.balances() == ["87.70", "100.00"])
            #expect(try paid.entries().first?["state"] == "pending")
            #expect(try paid.booked() == .pendingAuthorisation)
            paid.wait(3600)
        }
        #expect(paid.failure(.paymentSettles, "k1") == "found k1 pending-authorisation, expected it accepted")
        #expect(paid.failure(.paymentSettles) == "found no payment for `payment-settles`")
        #expect(paid.failure(.paymentReturns, "k1") == "found k1 pending-authorisation, expected it settled")
    }

    @Test(arguments: ["row", "movement-1", "k1", "newest"])
    func `an authorised payment is accepted, and settles after its time`(_ name: String) throws {
        var paid = try Paid()
        paid.wait(3600)
        let pending = try #require(try paid.entries().first)
        let failure = paid.failure(.paymentAuthorised, name == "newest" ? nil : name == "row" ? paid.id : name)

        #expect(failure == nil)
        #expect(try paid.state() == "accepted")
        #expect(try paid.balances() == ["87.70", "100.00"])
        #expect(try paid.entries().first == pending)
        #expect(try paid.booked() == .accepted)
        paid.wait(59)
        #expect(try paid.state() == "accepted")
        paid.wait(1)
        for _ in 0..<2 {
            #expect(try paid.state() == "settled")
            #expect(try paid.balances() == ["87.70", "87.70"])
            #expect(try paid.entries().first?["state"] == "booked")
            #expect(try paid.entries().first?["replaces"] == pending["id"])
            #expect(try paid.entries().count { $0["amount"] == "12.30" } == 1)
            #expect(try paid.booked() == .settled)
            paid.wait(2 * 86_400)
        }
    }

    @Test func `a payment that nobody authorises in time is rejected`() throws {
        var paid = try Paid()
        paid.wait(86_399)
        #expect(try paid.state() == "pending-authorisation")
        paid.wait(1)

        #expect(try paid.state() == "rejected")
        #expect(try paid.balances() == ["100.00", "100.00"])
        #expect(try !paid.entries().contains { $0["amount"] == "12.30" })
        #expect(try paid.booked() == .rejected)
        #expect(paid.failure(.paymentAuthorised, "k1") == "found k1 rejected, expected it pending-authorisation")
    }

    @Test(arguments: [(BankEvent.Kind.paymentRejected, Movement.State.rejected), (.paymentCancelled, .cancelled)])
    func `a payment that waits is rejected or cancelled`(_ kind: BankEvent.Kind, _ state: Movement.State) throws {
        var paid = try Paid()
        #expect(paid.failure(kind) == nil)

        for _ in 0..<2 {
            #expect(try paid.state() == state.rawValue)
            #expect(try paid.balances() == ["100.00", "100.00"])
            #expect(try !paid.entries().contains { $0["amount"] == "12.30" })
            #expect(try paid.booked() == state)
            paid.wait(86_400)
        }
    }

    @Test func `the customer cancels a payment that waits`() throws {
        var paid = try Paid()
        let reply = paid.till.send("DELETE", "/v1/payments/\(paid.id)", token: try paid.till.token())

        #expect(reply.status == 200)
        #expect(reply.json["state"] == "cancelled")
        #expect(try paid.booked() == .cancelled)
    }

    @Test func `a payment that does not wait cannot be authorised`() throws {
        var paid = try Paid()
        #expect(paid.failure(.paymentAuthorised) == nil)
        #expect(paid.failure(.paymentAuthorised) == "found no payment for `payment-authorised`")
        #expect(paid.failure(.paymentAuthorised, "k1") == "found k1 accepted, expected it pending-authorisation")
        paid.wait(60)
        #expect(paid.failure(.paymentAuthorised, "k1") == "found k1 settled, expected it pending-authorisation")

        var other = try Paid(.living)
        #expect(other.failure(.paymentAuthorised, "k1") == "found k1 accepted, expected it pending-authorisation")
        #expect(try other.state() == "accepted")
    }

    @Test func `an authorised payment is still rejected before it has settled`() throws {
        var paid = try Paid()
        #expect(paid.failure(.paymentAuthorised) == nil)
        #expect(paid.failure(.paymentRejected) == nil)
        #expect(try paid.state() == "rejected")
        #expect(try paid.booked() == .rejected)
    }

    @Test func `a payment that needs no authorisation has its fields at once`() throws {
        var till = try Till(TestFiles.authorising)
        let token = try till.token()
        let own = till.pay("5.00", key: "k1", token: token, to: "a2").json
        #expect(own["state"] == "settled")
        #expect(till.state.ledger.movements.map(\.state) == [.settled])

        let files = TestFiles.authorising.replacing("till/bank.yaml", " authorisation: {payees: 1d},", with: "")
        var paid = try Paid(files)
        #expect(try paid.state() == "accepted")
        #expect(try paid.booked() == .accepted)
        paid.wait(60)
        #expect(try paid.state() == "settled")
    }

    @Test func `without a time to settle an authorised payment settles at once`() throws {
        var paid = try Paid(.authorising.replacing("till/bank.yaml", "settles: {payees: 1m}, ", with: ""))
        #expect(try paid.state() == "pending-authorisation")
        #expect(paid.failure(.paymentAuthorised) == nil)

        #expect(try paid.state() == "settled")
        #expect(try paid.balances() == ["87.70", "87.70"])
        #expect(try paid.entries().first?["state"] == "booked")
        #expect(try paid.booked() == .settled)
    }

    @Test func `a payment that waits, and its authorisation, survive a restart`() throws {
        var paid = try Paid()
        var restored = paid
        restored.till = try Till(TestFiles.authorising)
        try restored.till.state.restore(image: paid.till.state.image)
        #expect(try restored.booked() == .pendingAuthorisation)

        _ = paid.till.state.drainChanges()
        #expect(paid.failure(.paymentAuthorised) == nil)
        let command = paid.till.state.image(of: paid.till.state.drainChanges())
        try restored.till.state.replay(command.changes, reply: command.reply, at: paid.till.now)
        #expect(restored.till.state.ledger == paid.till.state.ledger)
        #expect(try restored.state() == "accepted")

        var again = paid
        again.till = try Till(TestFiles.authorising)
        try again.till.state.restore(image: paid.till.state.image)
        again.wait(60)
        #expect(try again.state() == "settled")
        #expect(try again.booked() == .settled)
    }

    @Test func `an authorisation is undone`() throws {
        var paid = try Paid()
        let (before, entries) = (paid.till.state.ledger, try paid.entries())
        _ = paid.till.state.drainChanges()
        #expect(paid.failure(.paymentAuthorised) == nil)
        paid.till.state.undo(paid.till.state.drainChanges())

        #expect(paid.till.state.ledger == before)
        #expect(try paid.state() == "pending-authorisation")
        #expect(try paid.entries() == entries)
        #expect(paid.failure(.paymentAuthorised) == nil)
    }

    @Test func `an authorisation on the schedule happens at its time`() throws {
        var paid = try Paid()
        _ = try paid.till.state.schedule(LifeEvent(BankEvent(.paymentAuthorised), after: .seconds(3600), every: nil), at: paid.till.now)
        paid.till.now = paid.till.now + .seconds(3630)
        while paid.till.state.performFirstDue(by: paid.till.now, .unlimited) != nil {}

        #expect(try paid.state() == "accepted")
        paid.wait(30)
        #expect(try paid.state() == "settled")
        #expect(paid.till.state.schedule.missed.isEmpty)
    }

    @Test func `an authorisation and the lack of one are announced`() throws {
        let files = TestFiles.authorising.replacing("till/bank.yaml", "operations:\n", with: "webhooks: {retries: [5s]}\noperations:\n")
        var paid = try Paid(files)
        _ = try paid.till.state.register(WebhookPolicy.Receiver(url: "http://127.0.0.1:9/hook"))
        #expect(paid.failure(.paymentAuthorised) == nil)
        let second = paid.till.pay("1.00", key: "k2", token: try paid.till.token())
        #expect(second.status == 201)
        paid.wait(86_400)
        _ = paid.till.state.announceEnded(at: paid.till.now)

        let payments = paid.till.state.webhooks.deliveries.map(\.event).filter { $0.kind != .transaction }
        #expect(payments.map(\.kind) == [.authorised, .settled, .rejected])
        #expect(payments.first?.object["id"]?.string == paid.id)
        #expect(payments.first?.object["state"] == "accepted")
    }
}
