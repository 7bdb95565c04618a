@testable import BankClient
import BankModel
import Foundation
import Platform
import Testing

/// The sign-in on the bank's page: what the client asks for, and what it makes of the answer.
struct PageSignInTests {
    private static let discovery = #"""
        {"issuer":"http://bank","authorization_endpoint":"http://bank/oauth/authorize","token_endpoint":"http://bank/oauth/token","jwks_uri":"http://bank/oauth/jwks","authorization_response_iss_parameter_supported":true}
        """#

    /// A bank that nobody has signed in at, whose token call has this outcome.
    private func bank(
        discovery: String = Self.discovery, store: any TokenStore = MemoryTokenStore(), signedIn: Bool = false,
        token: ScriptedTransport.Outcome = .problem(500, "internal-error")
    ) async throws -> Bank {
        try await Bank(store: store, signedIn: signedIn) { request, _ in
            if request.url.hasSuffix("/openid-configuration") { return .json(200, discovery) }
            return request.url.hasSuffix("/oauth/token") ? token : .json(200, #"{"keys":[]}"#)
        }
    }

    private func answer(to page: String, _ change: (inout FormFields) -> Void = { _ in }) -> String {
        var parameters = FormFields("code=c1&iss=http%3A%2F%2Fbank")
        parameters.all.append(FormFields.Field("state", FormFields(ofAddress: page)["state"] ?? ""))
        change(&parameters)
        return "counterfoil-app:/callback?" + parameters.text
    }

    private func exchanges(_ bank: Bank) -> Int { bank.count("/oauth/token") }

    @Test func `the page's address has a challenge and no verifier, and each attempt its own secrets`() async throws {
        let bank = try await bank()

        let pages = [try await bank.client.beginSignIn(), try await bank.client.beginSignIn()].map(FormFields.init(ofAddress:))

        #expect(
            pages[0].all.map(\.name) == [
                "response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge", "code_challenge_method",
            ])
        #expect(pages[0]["code_challenge_method"] == "S256")
        #expect(pages[0]["code_challenge"]?.count == 43)
        for name in ["state", "nonce", "code_challenge"] { #expect(pages[0][name] != pages[1][name], "\(name)") }
    }

    @Test func `a code is exchanged once, whatever becomes of the request`() async throws {
        let bank = try await bank(token: .lost)
        let answer = answer(to: try await bank.client.beginSignIn())

        #expect(await bank.error { try await $0.finishSignIn(answer) } == .offline)
        #expect(await bank.error { try await $0.finishSignIn(answer) } == .unauthorized)

        #expect(exchanges(bank) == 1)
        let form = FormFields(String(decoding: bank.payments[0].body ?? [], as: UTF8.self))
        #expect(form.all.map(\.name) == ["grant_type", "code", "redirect_uri", "client_id", "code_verifier"])
        #expect(bank.payments[0].headers["Authorization"] == nil)
        #expect(bank.payments[0].needsNewConnection)
    }

    @Test(arguments: [
        ("state", "another"), ("iss", "http://other"), ("state", nil), ("iss", nil), ("code", "twice"),
    ])
    func `what is not the answer to the attempt changes nothing`(name: String, value: String?) async throws {
        let bank = try await bank(signedIn: true)
        let page = try await bank.client.beginSignIn()

        let foreign = answer(to: page) { parameters in
            if value != "twice" { parameters.all.removeAll { $0.name == name } }
            if let value { parameters.all.append(FormFields.Field(name, value)) }
        }

        #expect(await bank.error { try await $0.finishSignIn(foreign) } == .rejected)
        #expect(exchanges(bank) == 0)
        #expect(try await bank.client.status().signedIn)
        // The attempt goes on.
        #expect(await bank.error { try await $0.finishSignIn(answer(to: page)) } == .unavailable)
        #expect(exchanges(bank) == 1)
    }

    @Test(arguments: ["other-app:/callback", "counterfoil-app:/callback/x", "https://app.invalid/callback"])
    func `another address than the app's is not its answer`(address: String) async throws {
        let bank = try await bank()
        let answer = answer(to: try await bank.client.beginSignIn()).replacing("counterfoil-app:/callback", with: address)

        #expect(await bank.error { try await $0.finishSignIn(answer) } == .rejected)
        #expect(exchanges(bank) == 0)
    }

    @Test(arguments: [
        ("access_denied", ClientError.cancelled), ("server_error", .unavailable), ("temporarily_unavailable", .unavailable),
        ("invalid_scope", .rejected),
    ])
    func `an answer with an error ends the attempt, and signs out who was signed in`(name: String, error: ClientError) async throws {
        let bank = try await bank(signedIn: true)
        let answer = answer(to: try await bank.client.beginSignIn()) { $0.all[0] = FormFields.Field("error", name) }

        #expect(await bank.error { try await $0.finishSignIn(answer) } == error)
        #expect(try await !bank.client.status().signedIn)
        #expect(exchanges(bank) == 0)
    }

    @Test func `a sign-in without a valid ID token signs nobody in, and gives the tokens back`() async throws {
        let bank = try await bank(token: .json(200, #"{"access_token":"access","token_type":"Bearer","id_token":"a.b.c"}"#))
        let answer = answer(to: try await bank.client.beginSignIn())

        #expect(await bank.error { try await $0.finishSignIn(answer) } == .decode)
        #expect(try await !bank.client.status().signedIn)
        #expect(bank.count("/oauth/revoke") == 1)
    }

    @Test(arguments: [
        discovery.replacing("\"http://bank\"", with: "\"http://other\""),
        discovery.replacing("http://bank/oauth/token", with: "http://b/t"),
        discovery.replacing("http://bank/oauth/jwks", with: "http://bank.evil/jwks"), "{}",
    ])
    func `a bank that names another issuer, or calls elsewhere, is not asked`(discovery: String) async throws {
        let bank = try await bank(discovery: discovery)

        #expect(await bank.error { try await $0.beginSignIn() } == .decode)
    }

    @Test func `a stored attempt is continued, with its own state and verifier`() async throws {
        let bank = try await bank()
        let caller = bank.client.parts.caller
        let begun = Locked<SignInAttempt?>(nil)
        let random = RandomSource(SeededGenerator(seed: 7))
        var page = PageSignIn(RegisteredApp(id: "app", redirect: "counterfoil-app:/callback", scopes: []), random: random)
        page.makeAddress = { attempt in
            begun.withLock { $0 = attempt }
            return attempt.pageAddress
        }
        let address = try await page.begin(caller)
        let seen = begun.withLock { $0 }
        let attempt = try #require(seen)
        let stored = try JSONEncoder().encode(attempt)
        let restarted = PageSignIn(page.app, random: random)

        restarted.resume(try JSONDecoder().decode(SignInAttempt.self, from: stored))

        let foreign = answer(to: address) { parameters in parameters.all.removeAll { $0.name == "state" } }
        await #expect(throws: SignInFailure.self) { try await restarted.finish(foreign, caller) }
        #expect(exchanges(bank) == 0)
        await #expect(throws: SignInFailure.self) { try await restarted.finish(answer(to: address), caller) }
        #expect(exchanges(bank) == 1)
        let form = FormFields(String(decoding: bank.payments[0].body ?? [], as: UTF8.self))
        #expect(form["code_verifier"] == attempt.verifier)
        #expect(!restarted.isInProgress)
    }

    @Test func `an attempt shows no secret`() {
        let app = RegisteredApp(id: "app", redirect: "counterfoil-app:/callback", scopes: [])
        let addresses = BankAddresses(issuer: "i", page: "p", tokenPath: "/t", keysPath: "/k", namesIssuer: true)
        let attempt = SignInAttempt(verifier: "verifier-1", state: "state-1", nonce: "nonce-1", app: app, bank: addresses)

        #expect("\(attempt)" == "SignInAttempt(redacted)")
        var dumped = ""
        dump(attempt, to: &dumped)
        #expect(!dumped.contains("verifier-1"))
    }
}
