import CounterfoilTesting
import Foundation
import Testing

/// Sign-ins on the bank's page from a test without a browser.
@Suite(.timeLimit(.minutes(10))) struct SignInTests {
    private static let asked = [
        "response_type": "code", "client_id": "app", "redirect_uri": "counterfoil-app:/callback", "scope": "openid accounts", "state": "s1",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
    ]

    private static func page(_ bank: StubBank, _ changes: [String: String] = [:]) -> URL {
        let fields = asked.merging(changes) { $1 }.sorted { $0.key < $1.key }
        return bank.url.appending(path: "oauth/authorize").appending(queryItems: fields.map { URLQueryItem(name: $0.key, value: $0.value) })
    }

    /// The form that exchanges a code for tokens.
    private static func exchange(_ code: String) -> String {
        "grant_type=authorization_code&client_id=app&redirect_uri=counterfoil-app:/callback"
            + "&code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk&code=\(code)"
    }

    private static func fields(_ address: URL?) -> [String: String] {
        let items = address.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: false)?.queryItems } ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
    }

    @Test func `a customer signs in, and the code gives that customer's tokens`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let answer = SignInTests.fields(try bank.authorize(SignInTests.page(bank), as: .ben))
            let code = try #require(answer["code"])
            #expect(answer["state"] == "s1")

            let tokens = try await post(bank.url.appending(path: "oauth/token"), form: SignInTests.exchange(code))
            let access = try #require(tokens["access_token"] as? String)
            #expect(tokens["id_token"] is String)
            #expect(try await call(bank, "v1/accounts", token: access).body.contains("ben-gbp"))
        }
    }

    @Test func `a consent that its customer revokes elsewhere gives no access any more`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let code = try #require(SignInTests.fields(try bank.authorize(SignInTests.page(bank), as: .ben))["code"])
            let tokens = try await post(bank.url.appending(path: "oauth/token"), form: SignInTests.exchange(code))
            let access = try #require(tokens["access_token"] as? String)
            #expect(try await call(bank, "v1/accounts", token: access).status == 200)

            try bank.revokeConsent()

            let rejected = try await call(bank, "v1/accounts", token: access)
            #expect(rejected.status == 403)
            #expect(rejected.body.contains("urn:counterfoil:problem:consent-expired"))
            let again = await trouble { try bank.revokeConsent() }
            #expect(again?.code == .event)
            #expect(again?.message == "found no authorised consent")
        }
    }

    @Test func `a customer denies, cancels, or closes the page`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let denied = try bank.authorize(SignInTests.page(bank), decision: .deny)
            #expect(SignInTests.fields(denied)["error"] == "access_denied")
            let cancelled = try bank.authorize(SignInTests.page(bank), decision: .cancel)
            #expect(SignInTests.fields(cancelled)["error"] == "access_denied")
            #expect(SignInTests.fields(cancelled)["error_description"] != SignInTests.fields(denied)["error_description"])
            let closed = try bank.authorize(SignInTests.page(bank), decision: .abandon)
            #expect(closed == nil)
            let wrong = try bank.authorize(SignInTests.page(bank, ["response_type": "token"]))
            #expect(SignInTests.fields(wrong)["error"] == "unsupported_response_type")
        }
    }

    @Test func `an address without a page throws an error with the reason`() async throws {
        try await withStubBank(.counterfoil) { bank in
            let foreign = await trouble { try bank.authorize(#require(URL(string: "https://bank.example/oauth/authorize?client_id=app"))) }
            #expect(foreign?.code == .signIn)
            #expect(foreign?.message.hasSuffix("expected \(bank.url)/oauth/authorize") == true, "\(String(describing: foreign))")
            let unknown = await trouble { try bank.authorize(SignInTests.page(bank, ["client_id": "other"])) }
            #expect(unknown?.message.contains("client_id is not the id of a registered client.") == true)
            let customer = await trouble { try bank.authorize(SignInTests.page(bank), as: "nobody") }
            #expect(customer?.message.contains("found the customer \"nobody\"") == true, "\(String(describing: customer))")
        }
        try await withStubBank(.login) { bank in
            #expect(await trouble { try bank.authorize(bank.url) }?.message.hasSuffix("expected a bank with `sign_in`") == true)
        }
    }
}
