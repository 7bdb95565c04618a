import BankClient
import BankModel
import Testing

/// A page of the bank that is left open: what the app opens next, and what the return from the old page means then.
struct OpenPageTests {
    private static let order = PaymentOrder(from: "a", to: "b", amount: pounds("10.00"))

    /// A bank that has challenged a payment.
    private func challenged(
        _ decision: PageDecision, _ answer: @escaping @Sendable (HTTPRequest) -> ScriptedTransport.Outcome? = { _ in nil }
    ) async throws -> Bank {
        let bank = try await Bank.challenging(decision, answer)
        #expect(await bank.error { try await $0.pay("A", Self.order) } == .forbidden)
        return bank
    }

    @Test(arguments: ["approved", "denied", "expired"])
    func `a payment whose challenge has ended does not take over a new sign-in`(_ end: String) async throws {
        let decision = PageDecision()
        let bank = try await challenged(decision)
        let page = try await bank.client.beginSignIn()
        decision.state = end

        let signIn = try await bank.openedPage()

        #expect(signIn["challenge"] == nil)
        #expect(signIn["response_type"] == "code")
        #expect(await bank.error { try await $0.finishSignIn(Bank.returning(from: page)) } == .rejected, "the page of the payment")
        #expect(try await bank.client.status().signedIn)
        let answer = "\(Bank.home)?code=k1&state=\(signIn["state"] ?? "")&iss=http%3A%2F%2Fbank"
        #expect(await bank.error { try await $0.finishSignIn(answer) } == .unavailable)
        #expect(bank.count("/oauth/token") == 1, "the code is exchanged, though the bank gives no token")
    }

    @Test(
        arguments: [
            (ScriptedTransport.Outcome.json(200, #"{"state":"pending"}"#), "c1"), (.lost, "c1"), (.problem(500, "internal-error"), "c1"),
            (.problem(404, "not-found"), nil), (.problem(403, "consent-expired"), nil), (.problem(401, "token-rejected"), nil),
        ] as [(ScriptedTransport.Outcome, String?)])
    func `a page that was closed is opened again unless the bank says that it has nothing to show, or that a sign-in must come first`(
        _ answer: ScriptedTransport.Outcome, _ challenge: String?
    ) async throws {
        let bank = try await challenged(PageDecision()) { $0.url.hasSuffix("/v1/challenges/c1") ? answer : nil }

        let first = try await bank.openedPage()
        let asked = bank.count("/v1/challenges/c1")
        let second = try await bank.openedPage()

        #expect(first["challenge"] == "c1")
        #expect(asked == 0, "the bank has just said that it is pending")
        #expect(second["challenge"] == challenge)
        #expect(bank.count("/v1/challenges/c1") > 0)
    }

    @Test func `if the bank rejects the token while a page is open, nobody is signed in when the customer comes back`() async throws {
        let bank = try await challenged(PageDecision()) { $0.url.hasSuffix("/v1/accounts") ? .problem(401, "token-rejected") : nil }
        let page = try await bank.client.beginSignIn()
        #expect(await bank.error { try await $0.accounts() } == .unauthorized)

        let isSignedIn = try await bank.client.finishSignIn(Bank.returning(from: page))

        #expect(!isSignedIn)
        let next = try await bank.openedPage()
        #expect(next["response_type"] == "code")
    }

    @Test func `a sign-in that fails ends the page of the customer before`() async throws {
        let bank = try await challenged(PageDecision())
        let page = try await bank.client.beginSignIn()

        #expect(await bank.error { try await $0.signIn(user: "ben", password: "wrong") } != nil)

        #expect(await bank.error { try await $0.finishSignIn(Bank.returning(from: page)) } == .unauthorized)
        #expect(await bank.error { try await $0.answerChallenge("A", code: nil) } == .unauthorized)
    }
}
