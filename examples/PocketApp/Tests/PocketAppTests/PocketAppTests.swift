import CounterfoilTesting
@testable import PocketApp
import Testing

/// An app's own tests in Swift Testing: each test has a bank of its own, which the trait starts and ends.
@Suite(.stubBank(.counterfoil)) struct PocketAppTests {
    @Test(.judged(.pay)) func `a payment whose response is lost moves money once`() async throws {
        let bank = try StubBank.current
        try bank.arrange { $0.account("ava-gbp").balance = "10.00 GBP" }
        let app = PocketApp(baseURL: bank.url, token: try bank.tokens.issue(for: .ava).text)
        let lost = try await bank.inject(.loseReply(by: .reset), on: .role(.pay).attempt(1))

        #expect(try await app.pay("4.00", from: "ava-gbp", to: "payee-lark") == "accepted")

        #expect(lost.count == 1)
        #expect(bank.ledger.movements.map(\.amount.description) == ["4.00 GBP"])
        #expect(try bank.balance(of: "ava-gbp").major == "6.00")
    }
}

/// More of the app's tests.
@Suite(.stubBank(.counterfoil)) struct MorePocketAppTests {
    @Test(.judged(.auth), arguments: [StubBank.Customer.ava, .ben])
    func `a revoked token is forgotten, and the app works after a new sign-in`(_ customer: StubBank.Customer) async throws {
        let bank = try StubBank.current
        let app = PocketApp(baseURL: bank.url)
        let password = try #require(bank.customers.first { $0.customer == customer }?.password)
        try await app.signIn(user: customer.rawValue, password: password)
        _ = try await app.accounts()

        try bank.tokens.revoke()

        await #expect(throws: PocketApp.Failure.signInAgain) { try await app.accounts() }
        try await app.signIn(user: customer.rawValue, password: password)
        _ = try await app.accounts()
    }

    @Test(.judged(.auth)) func `a customer signs in on the bank's page`() async throws {
        let bank = try StubBank.current
        let app = PocketApp(baseURL: bank.url)

        let callback = try #require(try bank.authorize(app.signInPage, as: .ben))
        try await app.finishSignIn(callback)

        #expect(try await app.accounts().contains { $0.id == "ben-gbp" })
    }

    @Test func `a customer who denies on the bank's page is not signed in`() async throws {
        let bank = try StubBank.current
        let app = PocketApp(baseURL: bank.url)

        let callback = try #require(try bank.authorize(app.signInPage, decision: .deny))

        await #expect(throws: PocketApp.Failure.signInAgain) { try await app.finishSignIn(callback) }
    }

    @Test func `a long history is read to its end`() async throws {
        let bank = try StubBank.current
        let app = PocketApp(baseURL: bank.url, token: try bank.tokens.issue(for: .ava).text)
        try bank.arrange { $0.account("ava-gbp").transactions.removeAll() }
        try bank.arrange {
            $0.account("ava-gbp").balance = "10.00 GBP"
            $0.account("ava-gbp").transactions.append(count: 500)
            $0.table("payees").append(["id": "payee-rent", "name": "Rent"])
        }

        #expect(try await app.transactionCount(of: "ava-gbp") == 500)
        #expect(try await app.pay("9.00", from: "ava-gbp", to: "payee-rent") == "accepted")
    }

    @Test func `news are shown that the bank does not have`() async throws {
        let bank = try StubBank.current
        let app = PocketApp(baseURL: bank.url, token: try bank.tokens.issue(for: .ava).text)

        try bank.respond(to: .get("/v1/news")) { request in .json([["title": "New rates", "read": false]]) }

        #expect(try await app.news() == ["New rates"])
        #expect(bank.journal.matching(.get("/v1/news")).count == 1)
    }

    @Test func `the app keeps the rules after each step`() async throws {
        let bank = try StubBank.current
        let app = PocketApp(baseURL: bank.url, token: try bank.tokens.issue(for: .ava).text)
        _ = try await app.accounts()
        try await bank.require(.auth)

        for amount in ["5.00", "6.00"] { _ = try await app.pay(amount, from: "ava-gbp", to: "payee-lark") }
        try await bank.verify(.pay)
    }

    @Test func `a bank that is busy once answers the second try`() async throws {
        let bank = try StubBank.current
        let app = PocketApp(baseURL: bank.url, token: try bank.tokens.issue(for: .ava).text)

        try await bank.addRule("{fault: {status: {status: 503, retry_after: 1}}, on: {role: accounts}, first: 1}")

        await #expect(throws: PocketApp.Failure.closed(retryAfter: 1)) { try await app.accounts() }
        #expect(try await !app.accounts().isEmpty)
    }

    @Test func `maintenance is shown as such, and the token is kept`() async throws {
        let bank = try StubBank.current
        let app = PocketApp(baseURL: bank.url, token: try bank.tokens.issue(for: .ava).text)

        try await bank.startOutage("maintenance")

        await #expect(throws: PocketApp.Failure.closed(retryAfter: 120)) { try await app.accounts() }
        try await bank.endOutage()
        #expect(try await !app.accounts().isEmpty)
    }
}

/// Banks that a closure uses, where no trait fits.
@Suite struct PocketAppScopeTests {
    @Test func `an expired token asks for a sign-in`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let app = PocketApp(baseURL: bank.url)
            try await app.signIn(user: "ava", password: "correct-horse")

            try bank.clock.advance(by: .seconds(16 * 60))

            await #expect(throws: PocketApp.Failure.signInAgain) { try await app.accounts() }
            #expect(await !app.isSignedIn)
        }
    }

    @Test func `an outage of one bank leaves the other alone`() async throws {
        try await withStubBanks(.counterfoil, .login) { banks in
            let closed = try await banks.open(.counterfoil)
            let open = try await banks.open(.counterfoil)
            try await closed.startOutage("blackout")
            let app = PocketApp(baseURL: open.url, token: try open.tokens.issue(for: .ava).text)
            #expect(try await !app.accounts().isEmpty)
        }
    }

    @Test func `a bank of your own has a name beside the others`() async throws {
        let error = await #expect(throws: StubBankError.self) { try await withStubBank(.corner) { _ in } }
        #expect(error?.code == .unknownBank)
    }
}

extension StubBankName {
    static let corner: Self = "corner"
}
