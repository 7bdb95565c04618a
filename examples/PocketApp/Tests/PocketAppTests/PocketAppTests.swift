import CounterfoilTesting
@testable import PocketApp
import Testing

/// An app's own tests, with a bank inside: in Swift Testing.
@Suite struct PocketAppTests {
    @Test func `a revoked token is forgotten, and the app works after a new sign-in`() async throws {
        try await withStubBank("counterfoil") { bank in
            let app = PocketApp(baseURL: bank.url)
            try await app.signIn(user: "ava", password: "correct-horse")
            #expect(try await app.accounts().first?.balance.amount == "25000.00")

            try bank.tokens.revoke()

            await #expect(throws: PocketApp.Failure.signInAgain) { try await app.accounts() }
            try await app.signIn(user: "ava", password: "correct-horse")
            _ = try await app.accounts()
            try await bank.expect(.auth)
        }
    }

    @Test func `a payment whose reply is lost moves money once`() async throws {
        try await withStubBank("counterfoil") { bank in
            let app = PocketApp(baseURL: bank.url, token: try bank.tokens.issue(for: "ava").text)
            let lost = try await bank.inject(.loseReply(by: .reset), on: .role(.pay), times: 1)

            let state = try await app.pay("5.00", from: "ava-gbp", to: "payee-lark")

            #expect(state == "accepted")
            #expect(try lost.fired == 1)
            #expect(try bank.ledger.movements.map(\.amount.description) == ["5.00 GBP"])
            #expect(try bank.balance(of: "ava-gbp").major == "24910.55")
            try await bank.expect(.pay)
        }
    }

    @Test func `an expired token asks for a sign-in`() async throws {
        try await withStubBank("counterfoil") { bank in
            let app = PocketApp(baseURL: bank.url)
            try await app.signIn(user: "ava", password: "correct-horse")

            try bank.clock.advance(by: .seconds(16 * 60))

            await #expect(throws: PocketApp.Failure.signInAgain) { try await app.accounts() }
            #expect(await !app.isSignedIn)
        }
    }

    @Test func `a bank that is busy once answers the second try`() async throws {
        try await withStubBank("counterfoil") { bank in
            let app = PocketApp(baseURL: bank.url, token: try bank.tokens.issue(for: "ava").text)

            try await bank.addRule("{fault: {status: {status: 503, retry_after: 1}}, on: {role: accounts}, first: 1}")

            await #expect(throws: PocketApp.Failure.closed(retryAfter: 1)) { try await app.accounts() }
            #expect(try await !app.accounts().isEmpty)
        }
    }

    @Test func `an outage of one bank leaves the other alone`() async throws {
        try await withStubBanks("counterfoil", "login") { banks in
            let closed = try await banks.open("counterfoil")
            let open = try await banks.open("counterfoil")
            try await closed.startOutage("blackout")
            let app = PocketApp(baseURL: open.url, token: try open.tokens.issue(for: "ava").text)
            #expect(try await !app.accounts().isEmpty)
        }
    }

    @Test func `maintenance is shown as such, and the token is kept`() async throws {
        try await withStubBank("counterfoil") { bank in
            let app = PocketApp(baseURL: bank.url, token: try bank.tokens.issue(for: "ava").text)

            try await bank.startOutage("maintenance")

            await #expect(throws: PocketApp.Failure.closed(retryAfter: 120)) { try await app.accounts() }
            try await bank.endOutage()
            #expect(try await !app.accounts().isEmpty)
        }
    }
}
