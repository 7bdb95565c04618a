import BankClient
import BankModel
import Synchronization
import Testing

/// Challenges that the customer confirms on a page of the bank: the app opens it, and the bank's answer counts, not the return.
struct ChallengedPaymentTests {
    private static let home = "counterfoil-app:/callback"
    private static let order = PaymentOrder(from: "a", to: "b", amount: pounds("10.00"))
    private static let discovery = #"""
        {"issuer":"http://bank","authorization_endpoint":"http://bank/oauth/authorize","token_endpoint":"http://bank/oauth/token"}
        """#
    private static let challenged = #"""
        {"type":"urn:counterfoil:problem:step-up","challenge":"c1","challenge_kind":"redirect","poll_after":0.5,"challenge_url":"http://bank/oauth/authorize?challenge=c1"}
        """#

    /// What the customer has decided about the challenge.
    private final class Decision: Sendable {
        private let word = Mutex("pending")

        var state: String {
            get { word.withLock { $0 } }
            set { word.withLock { $0 = newValue } }
        }
    }

    /// A bank that holds the payment until its customer has approved it.
    private func bank(_ decision: Decision) async throws -> Bank {
        try await Bank { request, _ in
            if request.url.hasSuffix("/openid-configuration") { return .json(200, Self.discovery) }
            if request.url.hasSuffix("/v1/challenges/c1") { return .json(200, #"{"state":"\#(decision.state)"}"#) }
            return decision.state == "approved" ? .paid : .json(403, Self.challenged)
        }
    }

    private func comingBack(from page: String) -> String {
        "\(Self.home)?challenge=c1&state=\(FormFields(ofAddress: page)["state"] ?? "")&iss=http%3A%2F%2Fbank"
    }

    @Test func `the app opens the page, and pays under one key when the bank says that the customer has approved`() async throws {
        let decision = Decision()
        let bank = try await bank(decision)
        #expect(await bank.error { try await $0.pay("A", Self.order) } == .forbidden)

        let page = try await bank.client.beginSignIn()
        decision.state = "approved"
        try await bank.client.finishSignIn(comingBack(from: page))
        let (state, receipt) = try await bank.client.answerChallenge("A", code: nil)

        let opened = FormFields(ofAddress: page)
        #expect(opened.all.map(\.name) == ["challenge", "client_id", "redirect_uri", "state"])
        #expect(opened["client_id"] == "app")
        #expect(opened["redirect_uri"] == Self.home)
        #expect(state == .approved)
        #expect(receipt?.id == "p1")
        #expect(bank.keys.count == 2)
        #expect(Set(bank.keys).count == 1)
        #expect(try await bank.client.status().signedIn)
    }

    @Test func `the return from the page is no approval, and the next page is that of a sign-in`() async throws {
        let decision = Decision()
        let bank = try await bank(decision)
        _ = await bank.error { try await $0.pay("A", Self.order) }
        let page = try await bank.client.beginSignIn()
        decision.state = "denied"

        try await bank.client.finishSignIn(comingBack(from: page))
        let (state, receipt) = try await bank.client.answerChallenge("A", code: nil)
        let next = FormFields(ofAddress: try await bank.client.beginSignIn())

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
        let bank = try await bank(Decision())
        _ = await bank.error { try await $0.pay("A", Self.order) }
        let page = try await bank.client.beginSignIn()
        let asked = bank.transport.requests.count

        #expect(await bank.error { try await $0.finishSignIn(address) } == .rejected)
        #expect(bank.transport.requests.count == asked)
        #expect(try await bank.client.status().signedIn)
        try await bank.client.finishSignIn(comingBack(from: page))
    }

    @Test func `once the payment is made, the next page is that of a sign-in`() async throws {
        let decision = Decision()
        let bank = try await bank(decision)
        _ = await bank.error { try await $0.pay("A", Self.order) }
        let page = try await bank.client.beginSignIn()
        decision.state = "approved"
        try await bank.client.finishSignIn(comingBack(from: page))

        let receipt = try await bank.client.pay("A", Self.order)
        let next = FormFields(ofAddress: try await bank.client.beginSignIn())

        #expect(receipt.id == "p1")
        #expect(next["challenge"] == nil)
        #expect(next["response_type"] == "code")
    }

    @Test func `a page that was closed can be opened again, and signing out forgets it`() async throws {
        let bank = try await bank(Decision())
        _ = await bank.error { try await $0.pay("A", Self.order) }

        let pages = [try await bank.client.beginSignIn(), try await bank.client.beginSignIn()]
        try await bank.client.signOut()
        let next = FormFields(ofAddress: try await bank.client.beginSignIn())

        #expect(pages.allSatisfy { FormFields(ofAddress: $0)["challenge"] == "c1" })
        #expect(pages[0] != pages[1], "each visit has its own state")
        #expect(next["challenge"] == nil)
    }
}
