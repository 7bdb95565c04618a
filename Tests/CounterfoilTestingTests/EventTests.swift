import CounterfoilTesting
import Foundation
import Testing

/// Events from a test.
@Suite(.timeLimit(.minutes(10))) struct EventTests {
    @Test func `salary arrives, and the app's balance and list show it`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let before = try bank.balance(of: "ava-gbp").minorUnits
            let movement = try bank.happen(.paymentIn("1200.00", to: "ava-gbp", from: "Acme Payroll", reference: "salary"))
            #expect(movement.from == "outside/Acme Payroll")
            #expect(movement.event == "payment-in")
            #expect(try bank.balance(of: "ava-gbp").minorUnits == before + 120_000)
            let token = try bank.tokens.issue(for: .ava).text
            let list = try await call(bank, "v1/accounts/ava-gbp/transactions", token: token).body
            #expect(list.contains("\"description\":\"salary\""))
        }
    }

    @Test func `a payment settles, and its money returns`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let before = try bank.balance(of: "ava-gbp").minorUnits
            let token = try bank.tokens.issue(for: .ava).text
            let paid = #"{"from": "ava-gbp", "to": "payee-lark", "amount": {"amount": "10.00", "currency": "GBP"}}"#
            let made = try await call(bank, "v1/payments", method: "POST", token: token, key: "k1", body: paid)
            #expect(made.status == 201)
            let id = try #require(made.body.firstMatch(of: #/"id":"([^"]+)"/#)).output.1
            #expect(bank.ledger.movements.map(\.state) == [.accepted])
            try bank.happen(.paymentSettles("k1"))
            #expect(bank.ledger.movements.map(\.state) == [.settled])
            let back = try bank.happen(.paymentReturns(reason: "AC04"))
            let shown = try await call(bank, "v1/payments/\(id)", token: token).body
            #expect(shown.contains(#""state":"returned""#))
            #expect(shown.contains(#""reason":"AC04""#))
            #expect(back.returns == bank.ledger.movements.first?.id)
            #expect(try bank.balance(of: "ava-gbp").minorUnits == before)
        }
    }

    @Test func `a scheduled event happens as the clock advances`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let day = Duration.seconds(86_400)
            try bank.schedule(.paymentIn("1200.00", to: "ava-gbp"), in: day * 3, every: .month)
            try bank.schedule(.directDebit("40.00", from: "ava-gbp"), in: day * 5, every: .after(day * 7))
            try bank.clock.advance(by: day * 40)
            #expect(bank.ledger.movements.filter { $0.event == "payment-in" }.count == 2)
            #expect(bank.ledger.movements.filter { $0.event == "direct-debit" }.count == 6)
            let early = await trouble { try bank.schedule(.paymentReturns(), in: day, every: .after(.seconds(60))) }
            #expect(early?.code == .event)
        }
    }

    @Test func `an event that cannot happen throws the reason`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let late = await trouble { try bank.happen(.cardCaptured()) }
            #expect(late?.code == .event)
            #expect(late?.message == "found no payment for `card-captured`")
            try bank.happen(.cardAuthorised("20.00", from: "ava-gbp"))
            try bank.happen(.cardReversed())
            #expect(bank.ledger.movements.map(\.state) == [.rejected])
        }
    }

    @Test func `an account is closed, and a card payment is captured in part`() async throws {
        try await withStubBank(.counterfoil) { bank in
            try bank.happen(.cardAuthorised("20.00", from: "ava-gbp"))
            #expect(try bank.happen(.cardIncremented(by: "5.00")).amount.description.contains("25.00"))
            #expect(try bank.happen(.cardCaptured(amount: "10.00")).state == .settled)
            try bank.closeAccount("ava-gbp")
            let again = await trouble { try bank.closeAccount("ava-gbp") }
            #expect(again?.message == "found ava-gbp closed, expected it open")
            let late = await trouble { try bank.happen(.paymentIn("1.00", to: "ava-gbp")) }
            #expect(late?.code == .event)
        }
    }
}
