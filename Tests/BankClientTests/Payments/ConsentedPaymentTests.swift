import BankClient
import BankModel
import Platform
import Testing

/// Payments at `openbanking`: a consent, the customer's authorisation on the page, then the payment.
struct ConsentedPaymentTests {
    private static let pisp = "http://bank/open-banking/v4.0/pisp"
    private static let discovery = #"""
        {"issuer":"http://bank","authorization_endpoint":"http://bank/oauth/authorize","token_endpoint":"http://bank/oauth/token","authorization_response_iss_parameter_supported":true}
        """#
    private static let accounts = #"""
        {"Data":{"Account":[{"AccountId":"a1","Currency":"GBP","Nickname":"Bills","Account":[{"SchemeName":"S","Identification":"8020"}]}]}}
        """#
    private static let order = PaymentOrder(from: "a1", to: "6011", amount: pounds("20.50"))

    /// A bank that numbers its consents and the tokens of authorisations.
    private func bank(
        store: any TokenStore = MemoryTokenStore(), outbox: any Outbox = MemoryOutbox(),
        payment: @escaping @Sendable (HTTPRequest, Int) -> ScriptedTransport.Outcome,
        status: @escaping @Sendable () -> ScriptedTransport.Outcome = { .lost }
    ) async throws -> Bank {
        let (consents, tokens, paid) = (Counter(), Counter(), Counter())
        return try await Bank("openbanking", store: store, outbox: outbox) { request, _ in
            if request.url.hasSuffix("/openid-configuration") { return .json(200, Self.discovery) }
            if request.url.hasSuffix("/accounts") { return .json(200, Self.accounts) }
            if request.url.hasSuffix("/account-access-consents") {
                return .json(201, #"{"Data":{"ConsentId":"reads","Status":"AWAU"}}"#)
            }
            if request.url.hasSuffix("/domestic-payment-consents") {
                return .json(201, #"{"Data":{"ConsentId":"c\#(consents.next())","Status":"AWAU"}}"#)
            }
            if request.url.hasSuffix("/domestic-payments") { return payment(request, paid.next()) }
            if request.url.hasSuffix("/domestic-payments/p1") { return status() }
            let form = FormFields(String(decoding: request.body ?? [], as: UTF8.self))
            if form["grant_type"] == "client_credentials" { return .json(200, #"{"access_token":"own","token_type":"Bearer"}"#) }
            return .tokens("pays\(tokens.next())", refresh: "r")
        }
    }

    private final class Counter: Sendable {
        private let count = Locked(0)

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    private static let done = ScriptedTransport.Outcome.json(201, #"{"Data":{"DomesticPaymentId":"p1","Status":"PDNG"}}"#)

    private func authorise(_ bank: Bank, _ change: (String) -> String = { $0 }) async throws {
        let page = FormFields(ofAddress: try await bank.client.beginSignIn())
        try await bank.client.finishSignIn(change(Self.answer(to: page)))
    }

    /// The address of the app that the bank's page ends with.
    private static func answer(to page: FormFields) -> String {
        "https://tpp.example/callback?code=k1&iss=http%3A%2F%2Fbank&state=\(page["state"] ?? "")"
    }

    private func sent(_ bank: Bank) -> [HTTPRequest] { bank.transport.requests.filter { $0.url == Self.pisp + "/domestic-payments" } }

    private func body(_ request: HTTPRequest?) throws -> JSON { try JSON(parsing: request?.body ?? []) }

    @Test func `a payment waits for the customer, and is sent once with the token and the content of its consent`() async throws {
        let bank = try await bank { _, _ in Self.done }

        #expect(await bank.error { try await $0.pay("A", Self.order) } == .forbidden)
        #expect(sent(bank).isEmpty)
        let page = FormFields(ofAddress: try await bank.client.beginSignIn())
        #expect(page["openbanking_intent_id"] == "c1")
        #expect(page["scope"] == "payments")
        try await authorise(bank)
        let receipt = try await bank.client.pay("A", Self.order)
        let again = try await bank.client.pay("A", Self.order)

        #expect(receipt == PaymentReceipt(id: "p1", state: .accepted))
        #expect(again == receipt)
        #expect(sent(bank).count == 1)
        let payment = try #require(sent(bank).first)
        let asked = try #require(bank.transport.requests.first { $0.url == Self.pisp + "/domestic-payment-consents" })
        #expect(payment.headers["Authorization"] == "Bearer pays1")
        #expect(asked.headers["Authorization"] == "Bearer own")
        let keys = [payment, asked].compactMap { $0.headers["x-idempotency-key"] }
        #expect(Set(keys).count == 2)
        #expect(keys.allSatisfy { $0.count <= 40 })
        #expect(try body(payment).at("Data.ConsentId") == "c1")
        #expect(try body(payment).at("Data.Initiation") == body(asked).at("Data.Initiation"))
        #expect(try body(payment).at("Data.Initiation.DebtorAccount.Identification") == "8020")
        #expect(try body(payment).at("Data.Initiation.InstructedAmount.Amount") == "20.50")
        #expect(try await bank.client.status().signedIn)
        _ = try await bank.client.accounts()
        #expect(bank.transport.requests.last?.headers["Authorization"] == "Bearer token", "reads keep the token of the sign-in")
    }

    @Test func `an authorised payment can be resumed, and one that is not begun is asked for again`() async throws {
        let bank = try await bank { _, _ in Self.done }

        #expect(await bank.error { try await $0.resume("A") } == .nothingToDo)
        #expect(await bank.error { try await $0.pay("A", Self.order) } == .forbidden)
        #expect(await bank.error { try await $0.resume("A") } == .forbidden)
        try await authorise(bank)

        #expect(try await bank.client.resume("A").id == "p1")
        #expect(bank.count("/domestic-payment-consents") == 1)
    }

    @Test func `a payment without a response is sent again under its key and its consent`() async throws {
        let bank = try await bank { _, number in number == 1 ? .lost : Self.done }
        _ = await bank.error { try await $0.pay("A", Self.order) }
        try await authorise(bank)

        #expect(try await bank.client.pay("A", Self.order).id == "p1")

        #expect(sent(bank).count == 2)
        #expect(Set(sent(bank).map { $0.headers["x-idempotency-key"] }).count == 1)
        #expect(Set(sent(bank).map(\.body)).count == 1)
    }

    @Test func `a customer who denies it pays nothing, and the next attempt asks for another consent`() async throws {
        let bank = try await bank { _, _ in Self.done }
        _ = await bank.error { try await $0.pay("A", Self.order) }

        await #expect(throws: ClientFailure.self) {
            try await authorise(bank) { $0.replacing("code=k1", with: "error=access_denied") }
        }

        #expect(try await bank.client.status().signedIn)
        #expect(await bank.error { try await $0.pay("A", Self.order) } == .forbidden)
        #expect(bank.count("/domestic-payment-consents") == 2)
        #expect(sent(bank).isEmpty)
    }

    @Test func `another order under the intent needs its own consent`() async throws {
        let bank = try await bank { _, _ in Self.done }
        _ = await bank.error { try await $0.pay("A", Self.order) }
        try await authorise(bank)
        let dearer = PaymentOrder(from: "a1", to: "6011", amount: pounds("20.51"))

        #expect(await bank.error { try await $0.pay("A", dearer) } == .forbidden)
        #expect(sent(bank).isEmpty)
    }

    @Test func `a page that was opened before authorises no other consent`() async throws {
        let bank = try await bank { _, _ in Self.done }
        _ = await bank.error { try await $0.pay("A", Self.order) }
        let page = FormFields(ofAddress: try await bank.client.beginSignIn())
        let dearer = PaymentOrder(from: "a1", to: "6011", amount: pounds("20.51"))
        _ = await bank.error { try await $0.pay("A", dearer) }

        try await bank.client.finishSignIn(Self.answer(to: page))

        #expect(await bank.error { try await $0.pay("A", dearer) } == .forbidden)
        #expect(sent(bank).isEmpty)
    }

    @Test func `if the token can no longer be read, the customer signs in, though a payment's page is open`() async throws {
        let store = FailingStore()
        let bank = try await bank(store: store) { _, _ in Self.done }
        _ = await bank.error { try await $0.pay("A", Self.order) }
        let page = FormFields(ofAddress: try await bank.client.beginSignIn())
        store.isDamaged = true

        let signIn = FormFields(ofAddress: try await bank.client.beginSignIn())
        let isForeign = await bank.error { try await $0.finishSignIn(Self.answer(to: page)) } == .rejected
        store.isDamaged = false
        try await bank.client.finishSignIn(Self.answer(to: signIn))

        #expect(page["openbanking_intent_id"] == "c1")
        #expect(signIn["openbanking_intent_id"] == "reads")
        #expect(isForeign, "the return from the payment's page is no answer to the sign-in")
        #expect(try await bank.client.status().signedIn)
        _ = try await bank.client.accounts()
        #expect(bank.transport.requests.last?.headers["Authorization"] == "Bearer pays1", "the token of the sign-in")
    }

    @Test func `of two payments that wait, each is authorised in its turn`() async throws {
        let bank = try await bank { _, _ in Self.done }
        _ = await bank.error { try await $0.pay("A", Self.order) }
        _ = await bank.error { try await $0.pay("B", Self.order) }
        try await authorise(bank)
        _ = try await bank.client.pay("B", Self.order)
        _ = await bank.error { try await $0.pay("A", Self.order) }
        try await authorise(bank)
        _ = try await bank.client.pay("A", Self.order)

        let consents = try sent(bank).map { try body($0).at("Data.ConsentId") }
        #expect(consents == ["c2", "c1"])
        #expect(bank.count("/domestic-payment-consents") == 2)
    }

    @Test func `a rejected payment is tried again with another consent and another key`() async throws {
        let bank = try await bank { _, count in
            count == 1 ? .json(201, #"{"Data":{"DomesticPaymentId":"p1","Status":"RJCT"}}"#) : Self.done
        }
        _ = await bank.error { try await $0.pay("A", Self.order) }
        try await authorise(bank)
        #expect(await bank.error { try await $0.pay("A", Self.order) } == .rejected)

        #expect(await bank.error { try await $0.pay("A", Self.order) } == .forbidden)
        try await authorise(bank)
        _ = try await bank.client.pay("A", Self.order)

        #expect(Set(sent(bank).map { $0.headers["x-idempotency-key"] }).count == 2)
        #expect(try body(sent(bank).last).at("Data.ConsentId") == "c2")
    }

    @Test func `a token that has expired before the first attempt gets a new consent, and the other body another key`() async throws {
        let bank = try await bank { request, _ in
            request.headers["Authorization"] == "Bearer pays1" ? .success(HTTPResponse(status: 401)) : Self.done
        }
        _ = await bank.error { try await $0.pay("A", Self.order) }
        try await authorise(bank)

        #expect(await bank.error { try await $0.pay("A", Self.order) } == .unauthorized)
        #expect(try await bank.client.status().signedIn, "it was not the token of the sign-in")
        #expect(await bank.error { try await $0.pay("A", Self.order) } == .forbidden)
        try await authorise(bank)
        #expect(try await bank.client.pay("A", Self.order).id == "p1")

        #expect(try body(sent(bank).last).at("Data.ConsentId") == "c2")
        #expect(Set(sent(bank).map { $0.headers["x-idempotency-key"] }).count == 2)
    }

    @Test func `a payment that may have been made gets no other consent, nor any token but its own`() async throws {
        let outbox = MemoryOutbox()
        let first = try await bank(outbox: outbox) { _, _ in .lost }
        _ = await first.error { try await $0.pay("A", Self.order) }
        try await authorise(first)
        #expect(await first.error { try await $0.pay("A", Self.order) } == .outcomeUnknown)

        let restarted = try await bank(outbox: outbox) { request, _ in
            request.headers["Authorization"] == nil ? .success(HTTPResponse(status: 401)) : Self.done
        }

        #expect(await restarted.error { try await $0.pay("A", Self.order) } == .outcomeUnknown)
        #expect(restarted.count("/domestic-payment-consents") == 0)
        #expect(try await restarted.client.status().signedIn)
    }

    @Test func `an unsent payment that is resumed after a restart needs a new consent`() async throws {
        let outbox = MemoryOutbox()
        let first = try await bank(outbox: outbox) { _, _ in .success(HTTPResponse(status: 401)) }
        _ = await first.error { try await $0.pay("A", Self.order) }
        try await authorise(first)
        #expect(await first.error { try await $0.pay("A", Self.order) } == .unauthorized)

        let restarted = try await bank(outbox: outbox) { _, _ in Self.done }

        #expect(await restarted.error { try await $0.resume("A") } == .forbidden)
        #expect(sent(restarted).isEmpty)
        try await authorise(restarted)
        #expect(try await restarted.client.resume("A").id == "p1")
        #expect(sent(restarted).first?.headers["x-idempotency-key"] == sent(first).first?.headers["x-idempotency-key"])
    }

    @Test func `signing out forgets what was authorised`() async throws {
        let bank = try await bank { _, _ in Self.done }
        _ = await bank.error { try await $0.pay("A", Self.order) }
        try await authorise(bank)

        try await bank.client.signOut()
        try await bank.client.signIn(token: "token", of: "ava")

        #expect(await bank.error { try await $0.pay("A", Self.order) } == .forbidden)
        #expect(sent(bank).isEmpty)
    }

    @Test(
        arguments: [
            (#"{"Data":{"DomesticPaymentId":"p1","Status":"ACSC"}}"#, PaymentReceipt.State.settled, nil),
            (#"{"Data":{"DomesticPaymentId":"p1","Status":"ACSP"}}"#, .accepted, nil),
            (#"{"Data":{"DomesticPaymentId":"p1","Status":"PATC"}}"#, .pendingAuthorisation, nil),
            (#"{"Data":{"DomesticPaymentId":"p1","Status":"RJCT"}}"#, nil, .rejected),
            (#"{"Data":{"DomesticPaymentId":"p1","Status":"NEWS"}}"#, nil, .outcomeUnknown),
            (#"{"Data":{"Status":"PDNG"}}"#, nil, .outcomeUnknown),
        ] as [(String, PaymentReceipt.State?, ClientError?)])
    func `a payment's state is read, and an unknown one is neither paid nor failed`(
        _ response: String, _ state: PaymentReceipt.State?, _ error: ClientError?
    ) async throws {
        let bank = try await bank { _, _ in .json(201, response) }
        _ = await bank.error { try await $0.pay("A", Self.order) }
        try await authorise(bank)

        if let state {
            #expect(try await bank.client.pay("A", Self.order).state == state)
        } else {
            #expect(await bank.error { try await $0.pay("A", Self.order) } == error)
        }
    }

    @Test(
        arguments: [
            ("PDNG", "accepted"), ("ACSP", "accepted"), ("PATC", "pending-authorisation"), ("ACSC", "settled"), ("RJCT", "rejected"),
            ("CANC", "cancelled"), ("NEWS", nil),
        ] as [(String, String?)])
    func `how a payment stands is asked with the app's own token`(_ code: String, _ state: String?) async throws {
        let bank = try await bank { _, _ in
            Self.done
        } status: {
            .json(200, #"{"Data":{"Status":"\#(code)"}}"#)
        }
        _ = await bank.error { try await $0.pay("A", Self.order) }
        try await authorise(bank)
        _ = try await bank.client.pay("A", Self.order)

        if let state {
            #expect(try await bank.client.paymentState("A").state.rawValue == state)
        } else {
            #expect(await bank.error { try await $0.paymentState("A") } == .outcomeUnknown)
        }
        #expect(bank.transport.requests.last?.url == Self.pisp + "/domestic-payments/p1")
        #expect(bank.transport.requests.last?.headers["Authorization"] == "Bearer own")
    }

    @Test func `an account that the bank does not list pays nothing, and no consent is asked for`() async throws {
        let bank = try await bank { _, _ in Self.done }

        #expect(await bank.error { try await $0.pay("A", PaymentOrder(from: "zz", to: "6011", amount: pounds("1.00"))) } == .rejected)
        #expect(bank.count("/domestic-payment-consents") == 0)
    }
}
