import BankModel
import TestBanks
import Testing

@testable import BankCore

/// Card payments that grow, or are captured in part, and accounts that are closed.
@Suite struct CardEventTests {
    private func entries(_ till: inout Till, _ token: String) -> [JSON] {
        let rows = till.send("GET", "/v1/accounts/a1/entries?limit=5", token: token).json["entries"]?.array ?? []
        return rows.filter { $0["kind"] == "card" }
    }

    private func balance(_ till: inout Till, _ token: String) -> String? {
        till.send("GET", "/v1/accounts/a1", token: token).json["balance"]?.string
    }

    private func reserve(_ till: inout Till) throws -> Movement {
        try till.happen(event(.cardAuthorised) { ($0.account, $0.amount, $0.name) = ("a1", "20.00", "Inn") })
    }

    @Test func `a return without a payment is of the newest one that has not returned`() throws {
        var till = try Till(TestFiles.living)
        let debits = try (1...2).map { _ in try till.happen(event(.directDebit) { ($0.account, $0.amount) = ("a1", "5.00") }).id }
        let card = try till.happen(event(.cardAuthorised) { ($0.account, $0.amount) = ("a1", "20.00") })
        _ = try till.happen(event(.cardCaptured))

        _ = try till.happen(event(.cardRefunded))
        let returns = try (1...2).map { _ in try till.happen(event(.paymentReturns)).returns }

        #expect(returns == [debits[1], debits[0]])
        #expect {
            try till.state.happen(event(.paymentReturns), at: till.now)
        } throws: { "\($0)" == "found no payment for `payment-returns`" }
        #expect {
            try till.state.happen(event(.cardRefunded) { $0.payment = card.id }, at: till.now)
        } throws: {
            "\($0)" == "found \(card.id) with 0.00 GBP to give back, expected it with money that has not been returned"
        }
    }

    @Test func `a reservation that grows is replaced by one of the whole amount`() throws {
        var till = try Till(TestFiles.living)
        let ann = try till.token()
        let first = try reserve(&till)
        till.now = till.now + .seconds(60)
        let grown = try till.happen(event(.cardIncremented) { $0.amount = "5.00" })

        #expect(grown.amount.major == "25.00")
        #expect(grown.state == .accepted)
        #expect(grown.to.id == "Inn")
        #expect(grown.ending?.at == till.now + .seconds(7 * 86_400), "it lapses seven days after it has grown")
        #expect(till.state.ledger.movements.first { $0.id == first.id }?.state == .cancelled)
        #expect(balance(&till, ann) == "75.00")
        let shown = entries(&till, ann)
        #expect(shown.map { $0["amount"]?.string } == ["25.00"], "the list shows one row")
        #expect(shown.first?["state"] == "pending")
        #expect(till.state.ledger.isBalanced)
        let captured = try till.happen(event(.cardCaptured))
        #expect(captured.id == grown.id)
        #expect(balance(&till, ann) == "75.00")
    }

    @Test func `a capture of a part books that part, and frees the rest`() throws {
        var till = try Till(TestFiles.living)
        let ann = try till.token()
        _ = try reserve(&till)
        let captured = try till.happen(event(.cardCaptured) { $0.amount = "12.50" })

        #expect(captured.state == .settled)
        #expect(captured.amount.major == "12.50")
        #expect(balance(&till, ann) == "87.50")
        #expect(entries(&till, ann).map { $0["state"]?.string } == ["booked"])
        let refunded = try till.happen(event(.cardRefunded))
        #expect(refunded.amount.major == "12.50", "it is refunded as any other")
    }

    @Test func `an increment or capture that does not fit changes nothing`() throws {
        var till = try Till(TestFiles.living)
        let before = try reserve(&till)
        let image = till.state.image
        for wrong in [
            event(.cardCaptured) { $0.amount = "20.01" }, event(.cardIncremented) { $0.amount = "80.01" },
            event(.cardIncremented), event(.cardIncremented) { ($0.amount, $0.payment) = ("1.00", "movement-9") },
        ] {
            #expect(throws: EventError.self) { try till.happen(wrong) }
        }
        #expect(till.state.image == image)
        let whole = try till.happen(event(.cardCaptured) { $0.amount = "20.00" })
        #expect(whole.id == before.id, "the whole amount is no part")
    }

    private static let closing = TestFiles.living
        .replacing("till/bank.yaml", "unit: major, lowest: 0}\n", with: "unit: major, lowest: 0}\n    closed: {status: closed}\n")
        .replacing(
            "till/bank.yaml", "    business_failure:",
            with: "    refuse: {account-closed: {status: 422, body: {error: closed}}}\n    business_failure:")

    @Test func `a closed account is shown as such, and takes part in no payment`() throws {
        var till = try Till(Self.closing)
        let ann = try till.token()
        #expect(till.pay("1.00", key: "k1", token: ann).status == 201)
        let result = try till.state.happen(event(.accountClosed) { $0.account = "a1" }, at: till.now)

        guard case .closed(let account) = result else {
            Issue.record("found \(result), expected the account")
            return
        }
        #expect(account.description == "accounts/a1")
        #expect(till.send("GET", "/v1/accounts/a1", token: ann).json["status"] == "closed")
        let rejected = till.pay("1.00", key: "k2", token: ann)
        #expect(rejected.status == 422)
        #expect(rejected.error == "closed")
        let into = till.send("POST", "/v1/payments", token: ann, key: "k3", body: #"{"from": "a2", "to": "a1", "amount": "1.00"}"#)
        #expect(into.status == 422, "nor is it paid")
        let salary = event(.paymentIn) { ($0.account, $0.amount) = ("a1", "5.00") }
        #expect(throws: EventError.self) { try till.state.happen(salary, at: till.now) }
        #expect(throws: EventError.self, "it is closed once") {
            try till.state.happen(event(.accountClosed) { $0.account = "a1" }, at: till.now)
        }
        var restored = try Till(Self.closing)
        try restored.state.restore(image: till.state.image)
        #expect(restored.state.image == till.state.image)
    }

    @Test func `an account is closed only where the bank says how that is shown`() throws {
        var till = try Till(TestFiles.living)
        till.state.settle(at: till.now)
        let image = till.state.image
        #expect(throws: EventError.self) { try till.state.happen(event(.accountClosed) { $0.account = "a1" }, at: till.now) }
        #expect(throws: EventError.self) { try till.state.happen(event(.accountClosed), at: till.now) }
        #expect(till.state.image == image)
    }
}
