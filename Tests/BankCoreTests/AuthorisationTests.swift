import BankModel
import TestBanks
import Testing

@testable import BankCore

/// Payments that wait for a second person's authorisation.
@Suite struct AuthorisationTests {
    private struct Paid {
        var till: Till
        var token: String
        let id: String

        init(_ files: TestFiles = .authorising) throws {
            till = try Till(files)
            till.state.isLogged = true
            token = try till.token()
            id = try #require(till.pay("12.30", key: "k1", token: token).json["id"]?.string)
        }

        /// The same after a restart with that image.
        func restored(_ image: [UInt8]) throws -> Paid {
            var restored = self
            restored.till.state = try Till(TestFiles.authorising).state
            try restored.till.state.restore(image: image)
            try restored.wait(0)
            return restored
        }

        mutating func get(_ path: String) -> JSON { till.send("GET", "/v1/\(path)", token: token).json }
        mutating func state() -> String? { get("payments/\(id)")["state"]?.string }
        mutating func entries() -> [JSON] { get("accounts/a1/entries?limit=5")["entries"]?.array ?? [] }

        /// Whether the account's list shows the payment.
        mutating func isListed() -> Bool { entries().contains { $0["amount"] == "12.30" } }

        mutating func balances() -> [String?] {
            let account = get("accounts/a1")
            return [account["balance"]?.string, account["booked"]?.string]
        }

        /// Lets time pass, and signs in again.
        mutating func wait(_ seconds: Int64) throws {
            till.now = till.now + .seconds(seconds)
            till.state.settle(at: till.now)
            token = try till.token()
        }

        /// The message of the error with which the event does not happen; nil if it happens.
        mutating func failure(_ kind: BankEvent.Kind, _ payment: String? = nil) -> String? {
            var event = BankEvent(kind)
            event.payment = payment
            do throws(EventError) { _ = try till.state.happen(event, at: till.now) } catch { return error.description }
            return nil
        }

        /// The state of its movement, whose money is in the books.
        mutating func booked() -> Movement.State? {
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
            #expect(paid.state() == "pending-authorisation")
            #expect(paid.balances() == ["87.70", "100.00"])
            #expect(paid.entries().first?["state"] == "pending")
            #expect(paid.booked() == .pendingAuthorisation)
            try paid.wait(3600)
        }
        #expect(paid.failure(.paymentSettles, "k1") == "found k1 pending-authorisation, expected it accepted")
        #expect(paid.failure(.paymentSettles) == "found no payment for `payment-settles`")
        #expect(paid.failure(.paymentReturns, "k1") == "found k1 pending-authorisation, expected it settled")
    }

    @Test(arguments: ["row", "movement-1", "k1", "newest"])
    func `an authorised payment is accepted, and settles after its time`(_ name: String) throws {
        var paid = try Paid()
        try paid.wait(3600)
        let pending = try #require(paid.entries().first)
        let failure = paid.failure(.paymentAuthorised, name == "newest" ? nil : name == "row" ? paid.id : name)

        #expect(failure == nil)
        #expect(paid.state() == "accepted")
        #expect(paid.balances() == ["87.70", "100.00"])
        #expect(paid.entries().first == pending)
        #expect(paid.booked() == .accepted)
        try paid.wait(59)
        #expect(paid.state() == "accepted")
        try paid.wait(1)
        for _ in 0..<2 {
            #expect(paid.state() == "settled")
            #expect(paid.balances() == ["87.70", "87.70"])
            #expect(paid.entries().first?["state"] == "booked")
            #expect(paid.entries().first?["replaces"] == pending["id"])
            #expect(paid.entries().count { $0["amount"] == "12.30" } == 1)
            #expect(paid.booked() == .settled)
            try paid.wait(2 * 86_400)
        }
    }

    @Test func `a payment that nobody authorises in time is rejected`() throws {
        var paid = try Paid()
        try paid.wait(86_399)
        #expect(paid.state() == "pending-authorisation")
        try paid.wait(1)

        #expect(paid.state() == "rejected")
        #expect(paid.balances() == ["100.00", "100.00"])
        let isListed = paid.isListed()
        #expect(!isListed)
        #expect(paid.booked() == .rejected)
        #expect(paid.failure(.paymentAuthorised, "k1") == "found k1 rejected, expected it pending-authorisation")
    }

    @Test(arguments: [
        (BankEvent.Kind.paymentRejected, Movement.State.rejected), (BankEvent.Kind.paymentCancelled, Movement.State.cancelled),
    ])
    func `a payment that waits is rejected or cancelled`(_ kind: BankEvent.Kind, _ state: Movement.State) throws {
        var paid = try Paid()
        #expect(paid.failure(kind) == nil)

        for _ in 0..<2 {
            #expect(paid.state() == state.rawValue)
            #expect(paid.balances() == ["100.00", "100.00"])
            let isListed = paid.isListed()
            #expect(!isListed)
            #expect(paid.booked() == state)
            try paid.wait(86_400)
        }
    }

    @Test func `the customer cancels a payment that waits`() throws {
        var paid = try Paid()
        let response = paid.till.send("DELETE", "/v1/payments/\(paid.id)", token: paid.token)

        #expect(response.status == 200)
        #expect(response.json["state"] == "cancelled")
        #expect(paid.booked() == .cancelled)
    }

    @Test func `a payment that does not wait cannot be authorised`() throws {
        var paid = try Paid()
        #expect(paid.failure(.paymentAuthorised) == nil)
        #expect(paid.failure(.paymentAuthorised) == "found no payment for `payment-authorised`")
        #expect(paid.failure(.paymentAuthorised, "k1") == "found k1 accepted, expected it pending-authorisation")
        try paid.wait(60)
        #expect(paid.failure(.paymentAuthorised, "k1") == "found k1 settled, expected it pending-authorisation")

        var other = try Paid(.living)
        #expect(other.failure(.paymentAuthorised, "k1") == "found k1 accepted, expected it pending-authorisation")
        #expect(other.state() == "accepted")
    }

    @Test func `an authorised payment is still rejected before it has settled`() throws {
        var paid = try Paid()
        #expect(paid.failure(.paymentAuthorised) == nil)
        #expect(paid.failure(.paymentRejected) == nil)
        #expect(paid.state() == "rejected")
        #expect(paid.booked() == .rejected)
    }

    @Test func `a payment that needs no authorisation has its fields at once`() throws {
        var till = try Till(TestFiles.authorising)
        let token = try till.token()
        let own = till.pay("5.00", key: "k1", token: token, to: "a2").json
        #expect(own["state"] == "settled")
        #expect(till.state.ledger.movements.map(\.state) == [.settled])

        let files = TestFiles.authorising.replacing("till/bank.yaml", " authorisation: {payees: 1d},", with: "")
        var paid = try Paid(files)
        #expect(paid.state() == "accepted")
        #expect(paid.booked() == .accepted)
        try paid.wait(60)
        #expect(paid.state() == "settled")
    }

    @Test func `without a time to settle an authorised payment settles at once`() throws {
        var paid = try Paid(.authorising.replacing("till/bank.yaml", "settles: {payees: 1m}, ", with: ""))
        #expect(paid.state() == "pending-authorisation")
        #expect(paid.failure(.paymentAuthorised) == nil)

        #expect(paid.state() == "settled")
        #expect(paid.balances() == ["87.70", "87.70"])
        #expect(paid.entries().first?["state"] == "booked")
        #expect(paid.booked() == .settled)
    }

    @Test func `a payment that waits, and its authorisation, survive a restart`() throws {
        var paid = try Paid()
        var restored = try paid.restored(paid.till.state.image)
        #expect(restored.state() == "pending-authorisation")
        #expect(restored.booked() == .pendingAuthorisation)

        _ = paid.till.state.drainChanges()
        #expect(paid.failure(.paymentAuthorised) == nil)
        let changes = paid.till.state.drainChanges()
        let command = paid.till.state.image(of: changes)
        try restored.till.state.replay(command.changes, response: command.response, at: paid.till.now)
        #expect(restored.till.state.ledger == paid.till.state.ledger)
        #expect(restored.state() == "accepted")

        var again = try paid.restored(paid.till.state.image)
        try again.wait(60)
        #expect(again.state() == "settled")
        #expect(again.booked() == .settled)
    }

    @Test func `an authorisation is undone`() throws {
        var paid = try Paid()
        let (before, entries) = (paid.till.state.ledger, paid.entries())
        _ = paid.till.state.drainChanges()
        #expect(paid.failure(.paymentAuthorised) == nil)
        let changes = paid.till.state.drainChanges()
        paid.till.state.undo(changes)

        #expect(paid.till.state.ledger == before)
        #expect(paid.state() == "pending-authorisation")
        #expect(paid.entries() == entries)
        #expect(paid.failure(.paymentAuthorised) == nil)
    }

    @Test func `an authorisation on the schedule happens at its time`() throws {
        var paid = try Paid()
        _ = try paid.till.state.schedule(LifeEvent(BankEvent(.paymentAuthorised), after: .seconds(3600), every: nil), at: paid.till.now)
        paid.till.now = paid.till.now + .seconds(3630)
        while paid.till.state.performFirstDue(by: paid.till.now, .unlimited) != nil {}
        try paid.wait(0)

        #expect(paid.state() == "accepted")
        try paid.wait(30)
        #expect(paid.state() == "settled")
        #expect(paid.till.state.schedule.missed.isEmpty)
    }

    @Test func `an authorisation and the lack of one are announced`() throws {
        let files = TestFiles.authorising.replacing("till/bank.yaml", "operations:\n", with: "webhooks: {retries: [5s]}\noperations:\n")
        var paid = try Paid(files)
        _ = try paid.till.state.register(WebhookPolicy.Receiver(url: "http://127.0.0.1:9/hook"))
        #expect(paid.failure(.paymentAuthorised) == nil)
        let second = paid.till.pay("1.00", key: "k2", token: paid.token)
        #expect(second.status == 201)
        try paid.wait(86_400)
        _ = paid.till.state.announceEnded()

        let payments = paid.till.state.webhooks.deliveries.map(\.event).filter { $0.kind != .transaction }
        #expect(payments.map(\.kind) == [.authorised, .settled, .rejected])
        #expect(payments.first?.object["id"]?.string == paid.id)
        #expect(payments.first?.object["state"] == "accepted")
    }

    @Test(arguments: ["accepted", "pending-authorisation"])
    func `a stored payment does not end in a pending state`(_ state: String) throws {
        let paid = try Paid()
        let stored = String(decoding: paid.till.state.image, as: UTF8.self)
        let changed = stored.replacing(#""as":"rejected""#, with: #""as":"\#(state)""#)
        #expect(changed != stored)

        #expect(throws: ImageError.self) { try paid.restored(Array(changed.utf8)) }
    }

    @Test func `a stored payment that is pending has an end`() throws {
        let paid = try Paid()
        let stored = String(decoding: paid.till.state.image, as: UTF8.self)
        let changed = stored.replacing(/"ends":"?[^,]*,/, with: "")
        #expect(changed != stored)

        #expect(throws: ImageError.self) { try paid.restored(Array(changed.utf8)) }
    }
}
