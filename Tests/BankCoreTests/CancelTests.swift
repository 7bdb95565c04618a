import BankModel
import TestBanks
import Testing

@testable import BankCore

/// Payments that the customer cancels before they have settled.
@Suite struct CancelTests {
    private struct Paid {
        var till: Till
        let token: String
        let id: String

        init() throws {
            till = try Till(TestFiles.living)
            token = try till.token()
            id = try #require(till.pay("12.30", key: "k1", token: token).json["id"]?.string)
        }

        mutating func cancel(_ token: String? = nil) -> BankResponse {
            till.send("DELETE", "/v1/payments/\(id)", token: token ?? self.token)
        }
        mutating func state() -> JSON? { till.send("GET", "/v1/payments/\(id)", token: token).json["state"] }
        mutating func entries() -> [JSON] { till.send("GET", "/v1/accounts/a1/entries?limit=5", token: token).json["entries"]?.array ?? [] }
        mutating func balances() -> [String?] { till.balances(token) }
    }

    @Test func `the money of a payment that is cancelled returns, and no list shows it`() throws {
        var paid = try Paid()
        #expect(paid.entries().first?["state"] == "pending")
        let response = paid.cancel()

        #expect(response.status == 200)
        #expect(response.json["state"] == "cancelled")
        for _ in 0..<2 {
            #expect(paid.state() == "cancelled")
            #expect(paid.balances() == ["100.00", "100.00"])
            #expect(!paid.entries().contains { $0["amount"] == "12.30" })
            #expect(paid.till.state.ledger.movements.map(\.state) == [.cancelled])
            #expect(paid.till.state.ledger.isBalanced)
            paid.till.now = paid.till.now + .seconds(120)
        }
    }

    @Test func `a repeat gets the same response`() throws {
        var paid = try Paid()
        let first = paid.cancel()

        #expect(paid.cancel() == first)
        #expect(paid.till.state.ledger.movements.count == 1)
    }

    @Test(arguments: [BankEvent.Kind.paymentSettles, .paymentRejected])
    func `a payment that has ended is not cancelled`(_ end: BankEvent.Kind) throws {
        var paid = try Paid()
        _ = try paid.till.state.happen(BankEvent(end), at: paid.till.now)
        let before = (paid.state(), paid.balances(), paid.entries())
        let response = paid.cancel()

        #expect(response.status == 409)
        #expect(response.error == "not_pending")
        #expect((paid.state(), paid.balances(), paid.entries()) == before)
    }

    @Test func `a payment that settles at its time is not cancelled after it`() throws {
        var paid = try Paid()
        paid.till.now = paid.till.now + .seconds(61)

        #expect(paid.cancel().status == 409)
        #expect(paid.state() == "settled")
    }

    @Test func `another customer finds no payment to cancel`() throws {
        var paid = try Paid()
        let other = try paid.till.token("bob")

        #expect(paid.cancel(other).status == 404)
        #expect(paid.state() == "accepted")
    }

    @Test func `a payment cancelled elsewhere is shown as cancelled`() throws {
        var paid = try Paid()
        let movement = try paid.till.happen(BankEvent(.paymentCancelled))

        #expect(movement.state == .cancelled)
        #expect(paid.state() == "cancelled")
        #expect(throws: EventError.self) { try paid.till.state.happen(BankEvent(.paymentSettles), at: paid.till.now) }
    }
}
