import BankCore
import BankFiles
import BankModel
import Testing

@testable import BankImport

/// The security of a description closes the bank, and a customer's fixed credential opens it.
@Suite struct ImportedSecurityTests {
    private func bank(_ scheme: String, security: String = "[{it: []}]") throws -> (bank: Bank, imported: Imported) {
        let imported = try DescriptionCorpus.imported(
            yaml: DescriptionCorpus.description(
                operation: "{security: \(security), responses: {\"200\": {content: {application/json: {example: {a: 1}}}}}}",
                components: "{securitySchemes: {it: \(scheme)}}"))
        return (try imported.bank("it").bank, imported)
    }

    private func status(_ bank: Bank, _ headers: KeyValuePairs<String, String>, query: String? = nil) throws -> Int {
        let start = Instant(seconds: 1_763_553_600)
        var state = SessionState(id: "it", seed: 7, prepared: PreparedBank(bank), baseURL: "http://bank", startedAt: start)
        let request = BankRequest("GET", "/it", query: query, headers: headers.map { .init($0.key, $0.value) })
        return state.answer(request, at: start).response.status
    }

    private let key = "cf_ava_key_of_an_imported_bank"

    @Test func `an API key in a header, the query or a cookie`() throws {
        let header = try bank("{type: apiKey, in: header, name: X-Key}")
        #expect(try status(header.bank, [:]) == 401)
        #expect(try status(header.bank, ["X-Key": key]) == 200)
        #expect(header.imported.signIn?.contains("header X-Key") == true)
        let query = try bank("{type: apiKey, in: query, name: api_key}").bank
        #expect(try status(query, [:]) == 401)
        #expect(try status(query, [:], query: "api_key=\(key)") == 200)
        let cookie = try bank("{type: apiKey, in: cookie, name: SID}").bank
        #expect(try status(cookie, [:]) == 401)
        #expect(try status(cookie, ["Cookie": "SID=\(key)"]) == 200)
    }

    @Test func `basic credentials are a customer's name and password`() throws {
        let bank = try bank("{type: http, scheme: basic}").bank

        #expect(try status(bank, [:]) == 401)
        #expect(try status(bank, ["Authorization": "Basic YXZhOmNvcnJlY3QtaG9yc2U="]) == 200)
    }

    @Test func `an API key in the header Authorization is a bearer token`() throws {
        let bank = try bank("{type: apiKey, in: header, name: Authorization}").bank

        #expect(bank.auth?.location == .bearer)
        #expect(try status(bank, [:]) == 401)
    }

    @Test func `an optional token is required, and that is listed`() throws {
        let (bank, imported) = try bank("{type: http, scheme: bearer}", security: "[{}, {it: []}]")

        #expect(try status(bank, [:]) == 401)
        #expect(imported.warnings.map(\.reason) == ["the token is optional; it is required here"])
    }

    @Test(arguments: [
        ("{scopes: {}}", ["#/components/securitySchemes/partner/flows/password"]), ("{tokenUrl: /partner, scopes: {}}", []),
    ])
    func `the first password flow with an address signs in`(_ second: String, _ listed: [String]) throws {
        let first = "it: {type: oauth2, flows: {password: {tokenUrl: /token, scopes: {}}}}"
        let imported = try DescriptionCorpus.imported(
            yaml: DescriptionCorpus.description(
                operation: "{security: [{it: []}], responses: {\"200\": {}}}",
                components: "{securitySchemes: {\(first), partner: {type: oauth2, flows: {password: \(second)}}}}"))
        var caller = try SignedIn(imported.bank("it").bank, isSignedIn: false)

        let response = caller.send("POST", "/token", body: "grant_type=password&username=ava&password=correct-horse")
        #expect(response.json["access_token"] != nil)
        #expect(imported.warnings.map(\.path) == listed)
    }

    @Test func `schemes that no operation refers to are for all`() throws {
        let imported = try DescriptionCorpus.imported(
            yaml: DescriptionCorpus.description(
                operation: "{responses: {\"200\": {}}}", components: "{securitySchemes: {it: {type: http, scheme: bearer}}}"))

        #expect(try status(imported.bank("it").bank, [:]) == 401)
        #expect(imported.warnings.first?.reason.contains("all are taken to need a bearer token") == true)
    }

    @Test func `a parameter Authorization is a token`() throws {
        let imported = try DescriptionCorpus.imported(
            yaml: DescriptionCorpus.description(
                operation: "{parameters: [{name: authorization, in: header, required: true}], responses: {\"200\": {}}}"))

        #expect(try status(imported.bank("it").bank, [:]) == 401)
    }

    @Test func `a sign-in by name and password is proposed, and works once it is confirmed`() throws {
        let yaml = """
            openapi: 3.0.3
            security: [{it: []}]
            paths:
              /login:
                post:
                  operationId: logIn
                  security: []
                  requestBody: {required: true, content: {application/json: {schema: {type: object, required: [email, password], properties: {email: {type: string}, password: {type: string}}}}}}
                  responses: {"200": {content: {application/json: {example: {data: {accessToken: x}, ok: true}}}}}
              /me: {get: {operationId: me, responses: {"200": {content: {application/json: {example: {name: Ava}}}}}}}
            components: {securitySchemes: {it: {type: http, scheme: bearer}}}
            """
        let plain = try DescriptionCorpus.imported(yaml: yaml)
        #expect(
            plain.choices.map(\.description) == [
                "login: POST /login: proposed, not yet in the bank: user: body email; password: body password; token: $.data.accessToken; confirm with --confirm-login"
            ])
        var caller = try SignedIn(DescriptionCorpus.imported(yaml: yaml, confirmed: [.login]).bank("it").bank, isSignedIn: false)

        #expect(plain.signIn?.hasPrefix("no operation signs in; `counterfoil tokens issue") == true)
        #expect(
            try DescriptionCorpus.imported(yaml: yaml, confirmed: [.login]).signIn
                == "POST /login signs in ava (password correct-horse), ben (password battery-staple)")
        #expect(caller.send("GET", "/me").status == 401)
        let response = caller.send("POST", "/login", body: #"{"email": "ava", "password": "correct-horse"}"#)
        caller.token = response.json.at("data.accessToken")?.string
        #expect(caller.send("GET", "/me").status == 200)
        #expect(caller.send("POST", "/login", body: #"{"email": "ava", "password": "no"}"#).status == 400)
    }
}
