import BankCore
import BankFiles
import BankModel
import Testing

@testable import BankImport

/// OAuth's authorization code flow in a description, and in the template: the bank's page signs in.
@Suite struct ImportedCodeFlowTests {
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    /// - Returns: the status of a read with the token that a sign-in at these paths gives, and the token response.
    private func signsIn(_ bank: Bank, page: String, token: String, read: String) throws -> (status: Int, tokens: JSON) {
        let now = Instant(seconds: 1_763_553_600)
        var state = SessionState(id: "it", seed: 7, prepared: PreparedBank(bank), baseURL: "http://bank", startedAt: now)
        let asked = formEncoded([
            ("response_type", "code"), ("client_id", "app"), ("redirect_uri", "app:/callback"),
            ("code_challenge", ImportedCodeFlowTests.challenge), ("code_challenge_method", "S256"),
        ])
        let html = String(decoding: state.answer(BankRequest("GET", page, query: asked), at: now).response.body, as: UTF8.self)
        let value = try #require(html.firstMatch(of: /name="csrf_token" value="([^"]+)"/), "\(html)")
        let form = [("csrf_token", String(value.1)), ("username", "ava"), ("password", "correct-horse"), ("decision", "approve")]
        let decided = state.answer(BankRequest("POST", page, body: Array(formEncoded(form).utf8)), at: now).response
        let address = try #require(decided.header("Location"))
        let code = try #require(FormFields(String(address.drop { $0 != "?" }.dropFirst()))["code"])
        let exchange = formEncoded([
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", "app:/callback"), ("client_id", "app"),
            ("code_verifier", ImportedCodeFlowTests.verifier),
        ])
        let tokens = try JSON(parsing: state.answer(BankRequest("POST", token, body: Array(exchange.utf8)), at: now).response.body)
        let bearer = "Bearer \(tokens["access_token"]?.string ?? "")"
        let headers = [JournalEntry.Header("Authorization", bearer)]
        return (state.answer(BankRequest("GET", read, headers: headers), at: now).response.status, tokens)
    }

    private func imported(_ flow: String) throws -> Imported {
        try DescriptionCorpus.imported(
            yaml: DescriptionCorpus.description(
                operation: "{security: [{it: [accounts]}], responses: {\"200\": {content: {application/json: {example: {a: 1}}}}}}",
                components: "{securitySchemes: {it: {type: oauth2, flows: {authorizationCode: \(flow)}}}}"))
    }

    @Test func `a described flow becomes the bank's page`() throws {
        let imported = try imported(
            "{authorizationUrl: /oauth/authorize, tokenUrl: /oauth/token, refreshUrl: /oauth/token, scopes: {accounts: Read}}")

        let bank = try imported.bank("it").bank
        let found = try signsIn(bank, page: "/oauth/authorize", token: "/oauth/token", read: "/it")
        #expect(found.status == 200)
        #expect(found.tokens["refresh_token"] != nil && found.tokens["scope"] == "accounts")
        #expect(bank.operations.first { $0.name == "renew" }?.roles == [.refresh])
        #expect(imported.signIn?.contains("sign in on the bank's page") == true)
        #expect(imported.warnings.isEmpty)
    }

    @Test func `one path for page and tokens, and no refresh`() throws {
        let bank = try imported("{authorizationUrl: /auth, tokenUrl: /auth, scopes: {accounts: Read}}").bank("it").bank

        let found = try signsIn(bank, page: "/auth", token: "/auth", read: "/it")
        #expect(found.status == 200)
        #expect(found.tokens["refresh_token"] == nil)
    }

    @Test(arguments: [
        ("{authorizationUrl: /auth, tokenUrl: /auth, refreshUrl: /auth, scopes: {accounts: Read}}", "/auth", "/auth"),
        (
            "{authorizationUrl: to be done, tokenUrl: \"see the wiki\", refreshUrl: x, scopes: {accounts: Read}}", "/oauth/authorize",
            "/oauth/token"
        ),
    ])
    func `one path with a refresh, and addresses that are none, are a sign-in too`(_ flow: String, _ page: String, _ token: String) throws {
        let bank = try imported(flow).bank("it").bank

        let found = try signsIn(bank, page: page, token: token, read: "/it")
        #expect(found.status == 200)
        let body = formEncoded([("grant_type", "refresh_token"), ("refresh_token", found.tokens["refresh_token"]?.string ?? "")])
        var caller = Caller(bank)
        #expect(caller.send("POST", token, headers: [:], body: body).operation == "renew")
    }

    @Test func `addresses of another host and without a path have one below the bank's base`() throws {
        let imported = try imported("{authorizationUrl: https://id.example, tokenUrl: \"https://id.example/{tenant}/token\", scopes: {}}")

        #expect(try signsIn(try imported.bank("it").bank, page: "/oauth/authorize", token: "/oauth/token", read: "/it").status == 200)
    }

    @Test func `an operation that is the page itself is left out`() throws {
        let text = """
            openapi: 3.0.3
            info: {title: t, version: "1"}
            paths:
              /oauth/authorize: {get: {security: [], responses: {"200": {content: {application/json: {example: {page: 1}}}}}}}
              /accounts: {get: {responses: {"200": {content: {application/json: {example: {a: 1}}}}}}}
            security: [{it: []}]
            components:
              securitySchemes:
                it: {type: oauth2, flows: {authorizationCode: {authorizationUrl: /oauth/authorize, tokenUrl: /oauth/token, scopes: {}}}}
            """

        let bank = try DescriptionCorpus.imported(yaml: text).bank("it").bank
        #expect(try signsIn(bank, page: "/oauth/authorize", token: "/oauth/token", read: "/accounts").status == 200)
    }

    @Test func `the template signs in on the page`() throws {
        let made = BankSkeleton(name: "it", signIn: .code).made
        let bank = try made.bank("it").bank

        let found = try signsIn(bank, page: "/api/oauth/authorize", token: "/api/oauth/token", read: "/api/accounts")
        #expect(found.status == 200)
        #expect(found.tokens["refresh_token"] != nil)
        #expect(made.operations == bank.operations.count)
        #expect(bank.clientOperations.suffix(2) == ["authorize_begin", "authorize_finish"])
    }
}
