import BankClient
import BankModel
import Testing

/// Challenges of reads that the customer confirms on a page of the bank: each has an end, and then the next page is another.
struct ChallengedReadTests {
    private static let old = Period(from: Instant(seconds: 0))

    /// A bank that has challenged a read of old rows.
    private func challenged(
        _ decision: PageDecision, _ answer: @escaping @Sendable (HTTPRequest) -> ScriptedTransport.Outcome? = { _ in nil }
    ) async throws -> Bank {
        let bank = try await Bank.challenging(decision, answer)
        #expect(await bank.error { try await $0.transactions(of: "a", Self.old) } == .forbidden)
        return bank
    }

    @Test func `once the customer has approved, the read brings its rows, and the next page is that of a sign-in`() async throws {
        let decision = PageDecision()
        let bank = try await challenged(decision)
        let page = try await bank.client.beginSignIn()
        decision.state = "approved"
        try await bank.client.finishSignIn(Bank.returning(from: page))

        // The app has not requested the result of the challenge.
        _ = try await bank.client.transactions(of: "a", Self.old)
        let next = try await bank.openedPage()

        #expect(FormFields(ofAddress: page)["challenge"] == "r1")
        #expect(next["challenge"] == nil)
        #expect(next["response_type"] == "code")
        #expect(bank.count("/v1/challenges/r1") == 0)
        #expect(await bank.error { try await $0.answerChallenge(nil, code: nil) } == .nothingToDo)
    }

    @Test func `a read of other rows ends no challenge`() async throws {
        let bank = try await challenged(PageDecision()) { request in
            request.url.hasSuffix("/transactions") ? .json(200, #"{"transactions":[]}"#) : nil
        }

        _ = try await bank.client.transactions(of: "a")

        let page = try await bank.openedPage()
        #expect(page["challenge"] == "r1")
    }

    @Test func `a denied challenge is reported as denied, and the rows are not requested again`() async throws {
        let decision = PageDecision()
        let bank = try await challenged(decision)
        let page = try await bank.client.beginSignIn()
        decision.state = "denied"
        try await bank.client.finishSignIn(Bank.returning(from: page))

        let (state, receipt) = try await bank.client.answerChallenge(nil, code: nil)

        #expect(state == .denied)
        #expect(receipt == nil)
        #expect(bank.transport.requests.count { $0.url.contains("/transactions") } == 1)
        #expect(await bank.error { try await $0.answerChallenge(nil, code: nil) } == .nothingToDo)
        let next = try await bank.openedPage()
        #expect(next["response_type"] == "code")
    }

    @Test func `if a payment and a read wait, each has its page in its turn`() async throws {
        let decision = PageDecision()
        let bank = try await Bank.challenging(decision)
        let order = PaymentOrder(from: "a", to: "b", amount: pounds("10.00"))
        _ = await bank.error { try await $0.pay("A", order) }
        _ = await bank.error { try await $0.transactions(of: "a", Self.old) }

        let first = try await bank.openedPage()
        decision.state = "approved"
        _ = try await bank.client.transactions(of: "a", Self.old)
        let second = try await bank.openedPage()
        _ = try await bank.client.pay("A", order)
        let third = try await bank.openedPage()

        #expect([first["challenge"], second["challenge"], third["challenge"]] == ["r1", "c1", nil])
    }
}
