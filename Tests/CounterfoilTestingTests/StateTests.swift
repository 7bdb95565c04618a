import CounterfoilTesting
import Foundation
import Testing

/// Clock, tokens and books of a bank.
@Suite(.timeLimit(.minutes(10))) struct StateTests {
    @Test func `a clock that stands is moved by hand`() async throws {
        let noon = Date(timeIntervalSince1970: 1_780_000_000)
        try await withStubBank(.counterfoil, options: StubBankOptions(clock: .frozen(at: noon))) { bank in
            #expect(bank.clock.now == noon)

            try bank.clock.advance(by: .seconds(90))
            #expect(bank.clock.now == noon + 90)
            try bank.clock.set(to: noon + 3600)
            #expect(bank.clock.now == noon + 3600)
            try bank.clock.set(to: bank.clock.now)

            #expect(await trouble { try bank.clock.set(to: noon) }?.code == .clock)
            #expect(await trouble { try bank.clock.advance(by: .seconds(-1)) }?.code == .clock)
            #expect(await trouble { try bank.clock.set(to: .distantFuture + 1e12) }?.code == .clock)
            try await bank.reset()
            #expect(bank.clock.now == noon)
        }
    }

    @Test(arguments: [Date.distantFuture + 1e12, Date(timeIntervalSince1970: -9.3e9)])
    func `a clock that cannot begin at a date is reported by its code`(_ date: Date) async throws {
        let error = await trouble { try await withStubBank(.login, options: StubBankOptions(clock: .frozen(at: date))) { _ in } }

        #expect(error?.code == .clock)
        #expect(error?.message.hasSuffix("expected one between the years 1678 and 2261") == true, "\(String(describing: error))")
    }

    @Test func `a clock that runs starts where it is set and is frozen`() async throws {
        let start = Date(timeIntervalSince1970: 1_780_000_000)
        try await withStubBank(.login, options: StubBankOptions(clock: .running(from: start))) { bank in
            #expect(bank.clock.now >= start)

            try bank.clock.freeze()
            let first = bank.clock.now
            let second = bank.clock.now
            #expect(first == second)
            try bank.clock.run()
            #expect(bank.clock.now >= second)
        }
    }

    @Test func `tokens end as they are reported`() async throws {
        try await withStubBank(.counterfoil) { bank in
            func status(_ token: StubBank.Token) async throws -> Int { try await call(bank, "v1/accounts", token: token.text).status }
            let one = try bank.tokens.issue(for: .ava)
            let other = try bank.tokens.issue(for: .ben, lifetime: .seconds(600))
            #expect(one.expiresAt > other.expiresAt)
            #expect("\(one)" == "token#1")
            #expect(one.refreshText != nil)

            try bank.tokens.expire(one.id)
            #expect(try await status(one) == 401)
            #expect(try await status(other) == 200)
            try bank.tokens.downscope(other.id)
            #expect(try await status(other) == 403)
            try bank.tokens.revoke()
            #expect(try await status(other) == 401)
            let narrow = try bank.tokens.issue(for: .ava, scopes: ["payments"])
            #expect(try await status(narrow) == 403)
        }
    }

    @Test func `tokens that cannot be are reported`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let error = await trouble { _ = try bank.tokens.issue(for: "eve") }
            #expect(error?.code == .tokens)
            #expect(error?.description.contains("found the customer \"eve\", expected ava, ben") == true)
            #expect(await trouble { _ = try bank.tokens.issue(scopes: ["everything"]) }?.code == .tokens)
            #expect(await trouble { try bank.tokens.expire("token#9") }?.code == .tokens)
        }
        try await withStubBank(.bins) { bank in
            #expect(await trouble { _ = try bank.tokens.issue() }?.description == "bank bins has no tokens")
        }
    }

    @Test func `the books show what has moved`() async throws {
        try await withStubBank(.counterfoil) { bank in
            try bank.clock.freeze()
            let token = try bank.tokens.issue(for: .ava).text
            let before = try bank.balance(of: "ava-gbp")

            #expect(try await pay(bank, "5.00", token: token).status == 201)

            let ledger = bank.ledger
            let movement = try #require(ledger.movements.first)
            #expect(ledger.movements.count == 1)
            #expect((movement.from, movement.to) == ("accounts/ava-gbp", "payees/payee-lark"))
            #expect((movement.key, movement.customer, movement.state) == ("tea-1", "ava", .accepted))
            #expect((movement.amount.minorUnits, movement.amount.description) == (500, "5.00 GBP"))
            #expect(ledger.change(of: "accounts/ava-gbp") == -500)
            #expect(ledger.isBalanced)
            #expect(try bank.balance(of: "accounts/ava-gbp").minorUnits == before.minorUnits - 500)
            try bank.clock.advance(by: .seconds(120))
            #expect(bank.ledger.movements.first?.state == .settled)

            try await bank.reset()
            #expect(bank.ledger.movements.isEmpty)
            #expect(try bank.balance(of: "ava-gbp") == before)
            #expect(bank.journal.isEmpty)
        }
    }

    @Test func `an account that is not there is reported`() async throws {
        try await withStubBank(.counterfoil) { bank in
            for name in ["ava-gpb", "payee-lark"] {
                #expect(
                    await trouble { _ = try bank.balance(of: name) }?.description
                        == "found the account \"\(name)\", expected the id of a row that holds money at the bank \"counterfoil\"")
            }
        }
    }

    @Test func `its customers are those of its file`() async throws {
        try await withStubBank(.login) { bank in
            let customers = bank.customers
            #expect(customers.map(\.customer) == [.ava, .ben, .cleo, .elin])
            #expect(customers.first?.password == "correct-horse")
            #expect(customers.map(\.isLocked) == [false, false, true, false])
        }
    }
}
