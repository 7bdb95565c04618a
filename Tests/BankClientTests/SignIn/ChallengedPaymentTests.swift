@testable import BankClient
import BankModel
import Testing

/// Challenges of payments that the customer confirms on a page of the bank: the app opens it, and the bank's answer counts, not the return.
struct ChallengedPaymentTests {
    private static let order = PaymentOrder(from: "a", to: "b", amount: pounds("10.00"))

    /// A bank that has challenged a payment.
    private func challenged(_ decision: PageDecision) async throws -> Bank {
        let bank = try await Bank.challenging(decision)
        #expect(await bank.error { try await $0.pay("A", Self.order) } == .forbidden)
        return bank
    }

    @Test func `the app opens the page, and pays under one key when the bank says that the customer has approved`() async throws {
        let decision = PageDecision()
        let bank = try await challenged(decision)

        let page = try await bank.client.beginSignIn()
        decision.state = "approved"
        let isSignedIn = try await bank.client.finishSignIn(Bank.returning(from: page))
        let (state, receipt) = try await bank.client.answerChallenge("A", code: nil)

        let opened = FormFields(ofAddress: page)
        #expect(opened.all.map(\.name) == ["challenge", "client_id", "redirect_uri", "state"])
        #expect(opened["client_id"] == "app")
        #expect(opened["redirect_uri"] == Bank.home)
        #expect(state == .approved)
        #expect(receipt?.id == "p1")
        #expect(bank.keys.count == 2)
        #expect(Set(bank.keys).count == 1)
        #expect(isSignedIn)
    }

    @Test func `the return from the page is no approval, and the next page is that of a sign-in`() async throws {
        let decision = PageDecision()
        let bank = try await challenged(decision)
        let page = try await bank.client.beginSignIn()
        decision.state = "denied"

        try await bank.client.finishSignIn(Bank.returning(from: page))
        let (state, receipt) = try await bank.client.answerChallenge("A", code: nil)
        let next = try await bank.openedPage()

        #expect(state == .denied)
        #expect(receipt == nil)
        #expect(bank.keys.count == 1)
        #expect(next["challenge"] == nil)
        #expect(next["response_type"] == "code")
    }

    @Test(arguments: [
        "counterfoil-app:/callback?challenge=c1&state=another", "counterfoil-app:/callback?challenge=c1", "counterfoil-app:/callback",
        "other-app:/callback?challenge=c1",
    ])
    func `an address that is not the return changes nothing, and the page stays open`(_ address: String) async throws {
        let bank = try await challenged(PageDecision())
        let page = try await bank.client.beginSignIn()
        let asked = bank.transport.requests.count

        #expect(await bank.error { try await $0.finishSignIn(address) } == .rejected)
        #expect(bank.transport.requests.count == asked)
        #expect(try await bank.client.status().signedIn)
        try await bank.client.finishSignIn(Bank.returning(from: page))
    }

    @Test(arguments: [
        ("challenge=c1", "challenge=c2"), ("iss=http", "iss=https"), (Bank.home, "other-app:/callback"), ("state=", "state=x"),
    ])
    func `a return of which one part is another's is rejected`(_ part: String, _ other: String) async throws {
        let bank = try await challenged(PageDecision())
        let genuine = Bank.returning(from: try await bank.client.beginSignIn())
        let forged = genuine.replacing(part, with: other)
        try #require(forged != genuine)

        #expect(await bank.error { try await $0.finishSignIn(forged) } == .rejected)
        try await bank.client.finishSignIn(genuine)
    }

    @Test func `once the payment is made, the next page is that of a sign-in, and nothing is to be confirmed`() async throws {
        let decision = PageDecision()
        let bank = try await challenged(decision)
        let page = try await bank.client.beginSignIn()
        decision.state = "approved"
        try await bank.client.finishSignIn(Bank.returning(from: page))

        let receipt = try await bank.client.pay("A", Self.order)
        let next = try await bank.openedPage()

        #expect(receipt.id == "p1")
        #expect(next["challenge"] == nil)
        #expect(next["response_type"] == "code")
        #expect(await bank.error { try await $0.answerChallenge("A", code: nil) } == .nothingToDo)
    }

    @Test func `a round-up is confirmed on the page like any payment`() async throws {
        let bank = try await Bank.challenging(PageDecision())
        let preview = RoundUpPreview(account: "a", purchases: [], amount: pounds("1.00"))

        #expect(await bank.error { try await $0.roundUp("R", preview, to: "g") } == .forbidden)

        let page = try await bank.openedPage()
        #expect(page["challenge"] == "c1")
    }

    @Test func `a page that was closed can be opened again, and signing out forgets it`() async throws {
        let bank = try await challenged(PageDecision())

        let pages = [try await bank.client.beginSignIn(), try await bank.client.beginSignIn()]
        try await bank.client.signOut()
        let next = try await bank.openedPage()

        #expect(pages.allSatisfy { FormFields(ofAddress: $0)["challenge"] == "c1" })
        #expect(pages[0] != pages[1], "each visit has its own state")
        #expect(next["challenge"] == nil)
    }
}
