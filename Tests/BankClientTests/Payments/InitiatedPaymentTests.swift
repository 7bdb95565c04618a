import BankClient
import BankModel
import Platform
import Testing

/// Payments at `berlin`: the bank has the order first, and makes the payment when the customer authorises it on the page.
struct InitiatedPaymentTests {
    private static let transfers = "http://bank/v1/payments/sepa-credit-transfers"
    private static let home = "counterfoil-app:/callback"
    private static let order = PaymentOrder(from: "a1", to: "DE6", amount: pounds("20.50"))

    /// What the bank knows of its payments, which it numbers.
    private final class Payments: Sendable {
        private let state = Locked((count: 0, status: "RCVD"))

        func next() -> Int {
            state.withLock { state in
                state.count += 1
                return state.count
            }
        }

        var status: String {
            get { state.withLock { $0.status } }
            set { state.withLock { $0.status = newValue } }
        }
    }

    private func bank(
        _ payments: Payments, outbox: any Outbox = MemoryOutbox(),
        failing: @escaping @Sendable (HTTPRequest) -> ScriptedTransport.Outcome? = { _ in nil }
    ) async throws -> Bank {
        try await Bank("berlin", outbox: outbox) { request, _ in
            if let failure = failing(request) { return failure }
            if request.url.hasSuffix("/accounts") {
                return .json(200, #"{"accounts":[{"resourceId":"a1","iban":"DE1","currency":"GBP"}]}"#)
            }
            if request.url.hasSuffix("/v1/consents") {
                return .json(201, #"{"consentId":"c","_links":{"scaRedirect":{"href":"http://bank/authorize?consent=c"}}}"#)
            }
            if request.url.hasSuffix("/status") { return .json(200, #"{"transactionStatus":"\#(payments.status)"}"#) }
            let id = "p\(payments.next())"
            let links = #"{"scaRedirect":{"href":"http://bank/authorize?payment=\#(id)"}}"#
            return .json(201, #"{"transactionStatus":"RCVD","paymentId":"\#(id)","_links":\#(links)}"#)
        }
    }

    private func initiations(_ bank: Bank) -> [HTTPRequest] { bank.payments.filter { $0.url == Self.transfers } }

    @Test func `the bank gets the order once, and pays when the customer authorises it on the page`() async throws {
        let payments = Payments()
        let bank = try await bank(payments)

        #expect(await bank.error { try await $0.pay("A", Self.order) } == .forbidden)
        #expect(await bank.error { try await $0.pay("A", Self.order) } == .forbidden)
        let page = try await bank.client.beginSignIn()
        payments.status = "ACSC"
        try await bank.client.finishSignIn(Self.home)
        let receipt = try await bank.client.pay("A", Self.order)
        let asked = bank.transport.requests.count
        let again = try await bank.client.pay("A", Self.order)

        #expect(page == "http://bank/authorize?payment=p1")
        #expect(receipt == PaymentReceipt(id: "p1", state: .settled))
        #expect(again == receipt)
        #expect(bank.transport.requests.count == asked, "it is known by now")
        #expect(initiations(bank).count == 1)
        let sent = try #require(initiations(bank).first)
        #expect(sent.headers["TPP-Redirect-URI"] == Self.home)
        #expect(sent.headers["Consent-ID"] == nil)
        let body = try JSON(parsing: sent.body ?? [])
        #expect(body["instructedAmount"] == ["currency": "GBP", "amount": "20.50"])
        #expect(body.at("debtorAccount.iban") == "DE1")
        #expect(body.at("creditorAccount.iban") == "DE6")
        #expect(try await bank.client.status().signedIn)
    }

    @Test func `after a restart the app asks about the payment that it has begun, and opens the same page`() async throws {
        let (payments, outbox) = (Payments(), MemoryOutbox())
        let first = try await bank(payments, outbox: outbox)
        _ = await first.error { try await $0.pay("A", Self.order) }

        let restarted = try await bank(payments, outbox: outbox)

        #expect(await restarted.error { try await $0.pay("A", Self.order) } == .forbidden)
        #expect(try await restarted.client.beginSignIn() == "http://bank/authorize?payment=p1")
        payments.status = "ACCC"
        #expect(try await restarted.client.resume("A").id == "p1")
        #expect(initiations(restarted).isEmpty)
    }

    @Test func `a payment that was denied is rejected, and the next attempt is another payment`() async throws {
        let payments = Payments()
        let bank = try await bank(payments)
        _ = await bank.error { try await $0.pay("A", Self.order) }
        _ = try await bank.client.beginSignIn()
        payments.status = "RJCT"

        #expect(await bank.error { try await $0.finishSignIn(Self.home) } == .rejected)
        payments.status = "RCVD"
        #expect(await bank.error { try await $0.pay("A", Self.order) } == .forbidden)

        #expect(try await bank.client.beginSignIn() == "http://bank/authorize?payment=p2")
        #expect(initiations(bank).count == 2)
        #expect(try await bank.client.status().signedIn)
    }

    @Test func `an order that got no response is begun again: the bank pays neither without the customer`() async throws {
        let payments = Payments()
        let bank = try await bank(payments) { request in
            request.url == Self.transfers && payments.next() == 1 ? .lost : nil
        }

        #expect(await bank.error { try await $0.pay("A", Self.order) } == .offline)
        #expect(await bank.error { try await $0.pay("A", Self.order) } == .forbidden)

        #expect(initiations(bank).count == 2)
    }

    @Test func `while the bank does not say how a payment stands, its outcome is unknown, and no other is begun`() async throws {
        let payments = Payments()
        let bank = try await bank(payments) { $0.url.hasSuffix("/status") && payments.status == "RCVD" ? .lost : nil }

        #expect(await bank.error { try await $0.pay("A", Self.order) } == .outcomeUnknown)
        #expect(await bank.error { try await $0.pay("A", Self.order) } == .outcomeUnknown)
        payments.status = "ACSC"

        #expect(try await bank.client.resume("A").state == .settled)
        #expect(initiations(bank).count == 1)
    }

    @Test(arguments: [(400, "FORMAT_ERROR"), (404, "RESOURCE_UNKNOWN"), (409, "STATUS_INVALID")])
    func `an error response to the question rejects no payment: the customer may have authorised it`(
        _ status: Int, _ code: String
    ) async throws {
        let payments = Payments()
        let bank = try await bank(payments) { request in
            guard request.url.hasSuffix("/status"), payments.status == "lost" else { return nil }
            return .json(status, #"{"tppMessages":[{"category":"ERROR","code":"\#(code)"}]}"#)
        }
        _ = await bank.error { try await $0.pay("A", Self.order) }
        payments.status = "lost"

        #expect(await bank.error { try await $0.pay("A", Self.order) } == .outcomeUnknown)
        #expect(await bank.error { try await $0.pay("A", Self.order) } == .outcomeUnknown)
        payments.status = "ACSC"

        #expect(try await bank.client.pay("A", Self.order).id == "p1")
        #expect(initiations(bank).count == 1)
    }

    @Test func `an address that is not the app's own asks nothing, and a payment that still waits goes on`() async throws {
        let payments = Payments()
        let bank = try await bank(payments)
        _ = await bank.error { try await $0.pay("A", Self.order) }
        _ = try await bank.client.beginSignIn()
        let asked = bank.count("/status")

        #expect(await bank.error { try await $0.finishSignIn("other-app:/callback") } == .rejected)
        #expect(bank.count("/status") == asked)
        #expect(await bank.error { try await $0.finishSignIn(Self.home) } == .forbidden)
        payments.status = "ACSP"
        try await bank.client.finishSignIn(Self.home)

        #expect(try await bank.client.pay("A", Self.order).state == .accepted)
    }

    @Test func `a payment that waits for a second person does not ask the customer again`() async throws {
        let payments = Payments()
        let bank = try await bank(payments)
        _ = await bank.error { try await $0.pay("A", Self.order) }
        _ = try await bank.client.beginSignIn()
        payments.status = "PATC"

        try await bank.client.finishSignIn(Self.home)

        #expect(try await bank.client.pay("A", Self.order).state == .pendingAuthorisation)
    }

    @Test func `signing out forgets the payment that waits, and the next page is a consent's`() async throws {
        let bank = try await bank(Payments())
        _ = await bank.error { try await $0.pay("A", Self.order) }

        try await bank.client.signOut()
        try await bank.client.signIn(token: "token", of: "ben")

        #expect(try await bank.client.beginSignIn() == "http://bank/authorize?consent=c")
    }

    @Test func `a customer whose consent the bank rejects can sign in again, though a payment's page is open`() async throws {
        let payments = Payments()
        let bank = try await bank(payments) { request in
            if request.url.hasSuffix("/v1/consents/c/status") { return .json(200, #"{"consentStatus":"valid"}"#) }
            let isRejected = payments.status == "ACTC" && request.url.hasSuffix("/accounts")
            return isRejected ? .json(401, #"{"tppMessages":[{"category":"ERROR","code":"CONSENT_UNKNOWN"}]}"#) : nil
        }
        _ = await bank.error { try await $0.pay("A", Self.order) }
        _ = try await bank.client.beginSignIn()
        payments.status = "ACTC"

        #expect(await bank.error { try await $0.accounts() } == .unauthorized)
        #expect(try await bank.client.beginSignIn() == "http://bank/authorize?consent=c")
        try await bank.client.finishSignIn(Self.home)

        #expect(try await bank.client.status().signedIn)
    }

    @Test(arguments: [("RCVD", "payment=p1", 0), ("RJCT", "consent=c", 1), ("ACSC", "consent=c", 0)])
    func `a payment that was decided without a return does not take over a new sign-in`(
        _ status: String, _ next: String, _ begunAgain: Int
    ) async throws {
        let payments = Payments()
        let bank = try await bank(payments)
        _ = await bank.error { try await $0.pay("A", Self.order) }
        let first = try await bank.client.beginSignIn()
        payments.status = status

        let second = try await bank.client.beginSignIn()
        let outcome = await bank.error { try await $0.pay("A", Self.order) }

        #expect(first == "http://bank/authorize?payment=p1")
        #expect(second == "http://bank/authorize?\(next)")
        #expect(initiations(bank).count == 1 + begunAgain)
        #expect((outcome == nil) == (status == "ACSC"))
    }

    @Test func `an account that the bank does not list pays nothing, and no payment is begun`() async throws {
        let bank = try await bank(Payments())

        #expect(await bank.error { try await $0.pay("A", PaymentOrder(from: "zz", to: "DE6", amount: pounds("1.00"))) } == .rejected)
        #expect(initiations(bank).isEmpty)
    }

    @Test(
        arguments: [("ACSP", "accepted"), ("ACSC", "settled"), ("RJCT", "rejected"), ("CANC", "cancelled"), ("NEWS", nil)]
            as [(String, String?)])
    func `how a payment stands is asked without the consent`(_ code: String, _ state: String?) async throws {
        let payments = Payments()
        let bank = try await bank(payments)
        payments.status = "ACSP"
        _ = try await bank.client.pay("A", Self.order)
        payments.status = code

        if let state {
            #expect(try await bank.client.paymentState("A").state.rawValue == state)
        } else {
            #expect(await bank.error { try await $0.paymentState("A") } == .outcomeUnknown)
        }
        #expect(bank.transport.requests.last?.url == Self.transfers + "/p1/status")
        #expect(bank.transport.requests.last?.headers["Consent-ID"] == nil)
    }
}
