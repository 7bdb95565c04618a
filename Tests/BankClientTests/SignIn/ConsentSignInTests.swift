@testable import BankClient
import BankModel
import Testing

/// The sign-in at `openbanking`: a consent that the app asks for with a token of its own, then the bank's page.
struct ConsentSignInTests {
    private static let discovery = #"""
        {"issuer":"http://bank","authorization_endpoint":"http://bank/oauth/authorize","token_endpoint":"http://bank/oauth/token","authorization_response_iss_parameter_supported":true}
        """#

    /// RFC 6749 §2.3.1, of `tpp:tpp-secret`.
    private static let basic = "Basic dHBwOnRwcC1zZWNyZXQ="

    private func bank(
        consent: ScriptedTransport.Outcome = .json(201, #"{"Data":{"ConsentId":"c/1","Status":"AWAU"}}"#)
    ) async throws -> Bank {
        try await Bank("openbanking", signedIn: false) { request, _ in
            if request.url.hasSuffix("/openid-configuration") { return .json(200, Self.discovery) }
            if request.url.hasSuffix("/account-access-consents") { return consent }
            guard request.url.hasSuffix("/oauth/token") else {
                return request.headers["Authorization"] == "Bearer access"
                    ? .success(HTTPResponse(status: 401)) : .json(200, #"{"Data":{"Account":[]}}"#)
            }
            let form = FormFields(String(decoding: request.body ?? [], as: UTF8.self))
            if form["grant_type"] == "client_credentials" { return .json(200, #"{"access_token":"own","token_type":"Bearer"}"#) }
            return form["grant_type"] == "refresh_token" ? .tokens("renewed", refresh: "r2") : .tokens("access", refresh: "r1")
        }
    }

    private func answer(to page: String) -> String {
        "https://tpp.example/callback?code=k1&iss=http%3A%2F%2Fbank&state=" + (FormFields(ofAddress: page)["state"] ?? "")
    }

    @Test func `the app asks for a consent with its own token, and the page's address names the consent`() async throws {
        let bank = try await bank()

        let page = FormFields(ofAddress: try await bank.client.beginSignIn())

        #expect(page["openbanking_intent_id"] == "c/1")
        #expect(page["client_id"] == "tpp")
        #expect(page["code_challenge_method"] == "S256")
        let sent = bank.payments
        #expect(sent.map(\.url) == ["http://bank/oauth/token", "http://bank/open-banking/v4.0/aisp/account-access-consents"])
        #expect(sent.first?.headers["Authorization"] == Self.basic)
        #expect(sent.last?.headers["Authorization"] == "Bearer own")
        let permissions = try JSON(parsing: sent.last?.body ?? []).at("Data.Permissions")
        #expect(permissions == ["ReadAccountsDetail", "ReadBalances", "ReadTransactionsDetail"])
        #expect(try await !bank.client.status().signedIn)
    }

    @Test func `the code is exchanged with the app's secret in the header, and the verifier`() async throws {
        let bank = try await bank()
        let page = try await bank.client.beginSignIn()

        try await bank.client.finishSignIn(answer(to: page))

        let exchange = try #require(bank.payments.last)
        let form = FormFields(String(decoding: exchange.body ?? [], as: UTF8.self))
        #expect(form.all.map(\.name) == ["grant_type", "code", "redirect_uri", "code_verifier"])
        #expect(exchange.headers["Authorization"] == Self.basic)
        #expect(exchange.needsNewConnection)
        #expect(try await bank.client.status().signedIn)
    }

    @Test func `an expired token is renewed, once, with the app's secret in the header`() async throws {
        let bank = try await bank()
        try await bank.client.finishSignIn(answer(to: try await bank.client.beginSignIn()))

        _ = try await bank.client.accounts()

        let renewal = try #require(bank.payments.last)
        #expect(String(decoding: renewal.body ?? [], as: UTF8.self) == "grant_type=refresh_token&refresh_token=r1")
        #expect(renewal.headers["Authorization"] == Self.basic)
        #expect(bank.transport.requests.last?.headers["Authorization"] == "Bearer renewed")
    }

    @Test(
        arguments: [
            (ScriptedTransport.Outcome.lost, ClientError.offline), (.json(500, "{}"), .unavailable), (.json(200, "{}"), .decode),
            (.json(201, #"{"Data":{}}"#), .decode), (.json(400, #"{"Errors":[{"ErrorCode":"U004"}]}"#), .rejected),
        ])
    func `without a consent there is no page, and the request for one is not repeated`(
        _ consent: ScriptedTransport.Outcome, _ expected: ClientError
    ) async throws {
        let bank = try await bank(consent: consent)

        #expect(await bank.error { try await $0.beginSignIn() } == expected)
        #expect(bank.count("/account-access-consents") == 1)
        #expect(await bank.error { try await $0.finishSignIn("https://tpp.example/callback?code=k1") } == .unauthorized)
    }

    @Test func `the app's secret is in no description`() {
        let app = RegisteredApp(id: "tpp", redirect: "r", scopes: [], secret: "tpp-secret")

        #expect("\(app)" == "RegisteredApp(tpp)")
        var dumped = ""
        dump(app, to: &dumped)
        #expect(!dumped.contains("tpp-secret"))
    }
}
