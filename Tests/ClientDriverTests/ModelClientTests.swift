@testable import BankClient
import BankModel
import ClientDriver
import CounterfoilDriver
import DriverProtocol
import Foundation
import Platform
import TestBanks
import Testing

/// The model client behind the protocol, its transport replaced.
struct ModelClientTests {
    @Test func `the sign-in and an unfinished payment survive a restart`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let pay: JSON = ["intent": "A", "from": "f", "to": "t", "amount": "10.00", "currency": "GBP"]

        let before = try client(payments: 500).open(start(folder))
        #expect(await before.perform(step(.login)) == .ok(view: ["signed_in": true]))
        guard case .error("outcome_unknown", _) = await before.perform(step(.pay, pay)) else {
            Issue.record("paid")
            return
        }

        let after = try client(payments: 201).open(start(folder))
        #expect(await after.perform(step(.status)) == .ok(view: ["signed_in": true, "prompts": 0]))
        #expect(await after.perform(step(.resume, pay)) == .ok(view: ["payment": "p", "state": "settled"]))
    }

    @Test func `at openbanking the page signs in, and authorises a payment before it is sent`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let model = ModelClient { parts, _ in
            var parts = parts
            parts.caller.transport = ConsentTransport()
            parts.useStore(parts.store)
            return BankClient(parts)
        }
        let open = try model.open(start(folder, bank: "openbanking"))
        let pay: JSON = ["intent": "A", "from": "a1", "to": "6", "amount": "10.00", "currency": "GBP"]
        func onPage() async throws -> StepResult {
            guard case .ok(let view) = await open.perform(step(.authorizeBegin)) else { return .unsupported }
            let state = FormFields(ofAddress: try #require(view["url"]?.string))["state"] ?? ""
            let answer = "https://tpp.example/callback?code=k&iss=http%3A%2F%2Fbank&state=\(state)"
            return await open.perform(step(.authorizeFinish, ["url": .string(answer)]))
        }

        let signedIn = try await onPage()
        #expect(signedIn == .ok(view: ["signed_in": true]))
        guard case .error("forbidden", _) = await open.perform(step(.pay, pay)) else {
            Issue.record("paid without the customer")
            return
        }
        let authorised = try await onPage()
        #expect(authorised == .ok(view: ["signed_in": true]))
        #expect(await open.perform(step(.pay, pay)) == .ok(view: ["payment": "p1", "state": "accepted"]))
    }

    @Test func `a bank's missing operations are unsupported, invalid arguments rejected`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }

        #expect(await (try client(payments: 201).open(start(folder, bank: "snapshot"))).perform(step(.login)) == .unsupported)
        let open = try client(payments: 201).open(start(folder))
        for amount in ["1e3", "10.001", "", "ten"] {
            let pay: JSON = ["intent": "A", "from": "f", "to": "t", "amount": .string(amount), "currency": "GBP"]
            guard case .error("rejected", _) = await open.perform(step(.pay, pay)) else {
                Issue.record("\(amount) was taken")
                return
            }
        }
    }

    @Test func `a customer who is named alone signs in with the password that came with the case`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let sent = Locked<[String]>([])
        let client = ModelClient { parts, _ in
            var parts = parts
            parts.caller.transport = FixedTransport(status: 200) { request in
                sent.withLock { $0.append(String(decoding: request.body ?? [], as: UTF8.self)) }
            }
            parts.useStore(parts.store)
            return BankClient(parts)
        }
        var message = start(folder)
        message.customers = [CaseStart.Login(user: "ben", password: "b")]
        let open = try client.open(message)

        #expect(await open.perform(step(.login, ["user": "ben"])) == .ok(view: ["signed_in": true]))
        #expect(await open.perform(step(.login)) == .ok(view: ["signed_in": true]))
        guard case .error("unauthorized", _) = await open.perform(step(.login, ["user": "cleo"])) else {
            Issue.record("a customer without a password has signed in")
            return
        }

        #expect(
            sent.withLock { $0 } == [
                "grant_type=password&username=ben&password=b", "grant_type=password&username=ava&password=x",
            ])
    }

    @Test func `an unknown bank or time zone prevents a case from beginning`() throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        #expect(throws: ProtocolError.self) { try ModelClient().open(start(folder, bank: "acme")) }
        var zone = start(folder)
        zone.timeZone = "Mars/Olympus"
        #expect(throws: ProtocolError.self) { try ModelClient().open(zone) }
    }

    @Test func `goals show their amount, an image its SHA-256, a balance no currency that the bank does not state`() {
        let usd = Currency("USD").map { Money(minorUnits: 1000, currency: $0) }
        let goal = usd.map { Goal(id: "g", name: "n", saved: $0, target: $0) }
        #expect(goal.map { ViewJSON.goals(Listing([$0])) } == ["goals": [["id": "g", "name": "n", "saved": "10.00", "currency": "USD"]]])
        let image = Image(bytes: [], mediaType: "image/png")
        #expect(ViewJSON.image(image) == ["sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"])
        #expect(usd.map { ViewJSON.balance(Balance(balance: $0, statesCurrency: false)) } == ["balance": "10.00"])
    }

    private func client(payments status: Int) -> ModelClient {
        ModelClient { parts, _ in
            var parts = parts
            parts.caller.transport = FixedTransport(status: status)
            parts.useStore(parts.store)
            parts.paymentRetry = .never
            return BankClient(parts)
        }
    }

    private func start(_ folder: TestFolder, bank: String = "counterfoil") -> CaseStart {
        CaseStart(
            id: "c", baseURL: "http://bank", stateDirectory: folder.path, bank: bank, login: CaseStart.Login(user: "ava", password: "x"))
    }

    private func step(_ operation: DriverOperation, _ arguments: JSON = [:]) -> Step {
        Step(operation: operation, arguments: StepArguments(arguments))
    }
}

/// The bank `openbanking`, as far as a sign-in and a payment need it.
private struct ConsentTransport: HTTPTransport {
    func send(_ request: HTTPRequest) async throws(TransportFailure) -> HTTPResponse {
        let (status, body) = answer(request.url, String(decoding: request.body ?? [], as: UTF8.self))
        return HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: Array(body.utf8))
    }

    private func answer(_ url: String, _ body: String) -> (Int, String) {
        if url.hasSuffix("/openid-configuration") {
            return (
                200,
                #"{"issuer":"http://bank","authorization_endpoint":"http://bank/oauth/authorize","token_endpoint":"http://bank/oauth/token","authorization_response_iss_parameter_supported":true}"#
            )
        }
        if url.hasSuffix("/oauth/token") {
            return (200, #"{"access_token":"\#(body.contains("client_credentials") ? "own" : "t")","token_type":"Bearer"}"#)
        }
        if url.hasSuffix("-consents") { return (201, #"{"Data":{"ConsentId":"c1"}}"#) }
        if url.hasSuffix("/domestic-payments") { return (201, #"{"Data":{"DomesticPaymentId":"p1","Status":"PDNG"}}"#) }
        return (
            200, #"{"Data":{"Account":[{"AccountId":"a1","Currency":"GBP","Account":[{"SchemeName":"S","Identification":"8"}]}]}}"#
        )
    }
}

/// Signs anybody in, and answers payments with one status.
private struct FixedTransport: HTTPTransport {
    let status: Int
    var seen: @Sendable (HTTPRequest) -> Void = { _ in }

    func send(_ request: HTTPRequest) async throws(TransportFailure) -> HTTPResponse {
        seen(request)
        let isLogin = request.url.hasSuffix("/oauth/token")
        let body = isLogin ? #"{"access_token":"t","token_type":"Bearer"}"# : #"{"id":"p","state":"settled"}"#
        return HTTPResponse(status: isLogin ? 200 : status, headers: ["Content-Type": "application/json"], body: Array(body.utf8))
    }
}
