import BankCore
import BankFiles
import BankModel
import Testing

@testable import BankImport

/// JSON of others that looks like directives of a bank's templates is sent as it is.
@Suite struct TemplateWordTests {
    private static let json = ["Content-Type": "application/json"]

    // MARK: descriptions

    /// The names come from the reader of templates, so a new directive is among them.
    @Test(arguments: TemplateDirectives.all.sorted() + ["file"])
    func `an example with an object like a directive is sent as it is`(_ name: String) throws {
        let bank = try DescriptionCorpus.imported(
            yaml: """
                openapi: 3.1.0
                info: {title: It, version: "1"}
                paths:
                  /accounts:
                    get:
                      responses:
                        "200":
                          content:
                            application/json:
                              example: {accounts: [{id: a1, name: Main}, {id: a2, name: Pot}], state: {\(name): expired}}
                """
        ).bank("it").bank
        var caller = Caller(bank)

        let response = try JSON(parsing: caller.send("GET", "/accounts").response.body)

        #expect(response["state"] == .object(JSONObject([(name, "expired")])))
        #expect(response["accounts"]?.array?.count == 2)
    }

    @Test(arguments: ["event", "path"]) func `a row with such a member is still added`(_ name: String) throws {
        let bank = try DescriptionCorpus.imported(
            yaml: """
                openapi: 3.1.0
                info: {title: It, version: "1"}
                paths:
                  /orders:
                    get:
                      responses:
                        "200": {content: {application/json: {example: [{id: o-1, \(name): created}, {id: o-2, \(name): created}]}}}
                    post:
                      requestBody:
                        required: true
                        content: {application/json: {schema: {type: object, required: [note], properties: {note: {type: string}}}}}
                      responses: {"201": {content: {application/json: {example: {id: o-3, \(name): created}}}}}
                """
        ).bank("it").bank
        var caller = Caller(bank)

        let added = try JSON(parsing: caller.send("POST", "/orders", headers: Self.json, body: #"{"note": "x"}"#).response.body)

        #expect(added[name] == "created")
        #expect(try JSON(parsing: caller.send("GET", "/orders").response.body).array?.count == 3)
    }

    @Test func `an error that is a detail alone has the reason of each rejection`() throws {
        let description = DescriptionCorpus.description(
            operation: "{responses: {\"404\": {content: {application/json: {example: {detail: Not here}}}}, \"204\": {description: Done}}}")
        var caller = Caller(try DescriptionCorpus.imported(yaml: description).bank("it").bank)

        let response = caller.send("GET", "/nowhere").response

        #expect(response.status == 404)
        let body = try JSON(parsing: response.body)
        #expect(body.object?.keys == ["detail"])
        #expect(body["detail"]?.string?.isEmpty == false, "\(response.text)")
    }

    @Test(arguments: ["{token: abc, links: {path: /home}}", "{token: abc}"])
    func `a described sign-in keeps what looks like a directive`(_ example: String) throws {
        let bank = try DescriptionCorpus.imported(
            paths: """
                  /accounts:
                    get: {responses: {"200": {content: {application/json: {example: [{id: a1, name: Main}]}}}}}
                  /login:
                    post:
                      security: []
                      requestBody:
                        required: true
                        content:
                          application/json:
                            schema:
                              type: object
                              required: [username, password]
                              properties: {username: {type: string}, password: {type: string}}
                      responses: {"200": {content: {application/json: {example: \(example)}}}}
                """
        ).bank("it").bank
        var caller = Caller(bank)
        let customer = try #require(bank.customers.first)

        let body = #"{"username": "\#(customer.login)", "password": "\#(customer.password ?? "")"}"#
        let response = try JSON(parsing: caller.send("POST", "/login", headers: Self.json, body: body).response.body)

        #expect(response["token"]?.string?.isEmpty == false, "\(response.text)")
        #expect(response["links"]?["path"]?.string == (example.contains("links") ? "/home" : nil))
    }

    // MARK: traffic

    private static let signsIn = #"{"access_token":"tok-aaaaaaaaaaaa","token_type":"Bearer","expires_in":600}"#

    private func signIn(_ response: String) -> HAREntry {
        HAREntry(
            0, "POST", "/oauth/token", body: "grant_type=password&username=ava&password=hunter2-hunter2", sends: Traffic.form,
            gets: Traffic.json, response: response)
    }

    @Test(arguments: [#"{"access_token":"tok-aaaaaaaaaaaa","links":{"path":"/home"}}"#, #"{"token":"tok-aaaaaaaaaaaa"}"#])
    func `a recorded sign-in keeps what looks like a directive`(_ recorded: String) throws {
        let imported = try Traffic.learned([signIn(recorded), Traffic.get(100, "/v1/accounts", Traffic.accounts)]).imported
        let bank = try imported.bank("b").bank
        let customer = try #require(bank.customers.first)
        var caller = Caller(bank)

        let form = "grant_type=password&username=\(customer.login)&password=\(customer.password ?? "")"
        let response = try JSON(parsing: caller.send("POST", "/oauth/token", headers: Traffic.form, body: form).response.body)

        #expect((response["access_token"] ?? response["token"])?.string?.isEmpty == false, "\(response.text)")
        #expect((response["links"]?["path"]?.string != nil) == recorded.contains("links"), "\(response.text)")
    }

    @Test func `recorded payments and the rows that they add keep what looks like a directive`() throws {
        let list = #"{"items":[{"id":"t1","at":"2025-01-01T10:00:00Z","amount":"1.00","more":{"query":"x"}}]}"#
        let later = list.replacing(
            "[", with: #"[{"id":"t2","at":"2026-02-02T02:40:00Z","amount":"5.00","more":{"query":"x"}},"#)
        let order = #"{"from":"a1","to":"p1","amount":"5.00","currency":"GBP"}"#
        let imported = try Traffic.learned([
            signIn(Self.signsIn), Traffic.get(50, "/v1/payees", #"{"payees":[{"id":"p1","label":"Gas"}]}"#),
            Traffic.get(100, "/v1/accounts", Traffic.accounts), Traffic.get(110, "/v1/accounts/a1/items", list),
            Traffic.pay(200, order, response: #"{"id":"pay-123456","links":{"path":"/p"}}"#),
            Traffic.get(300, "/v1/accounts/a1/items", later),
        ]).imported
        var (caller, token) = try imported.caller()
        let headers = ["Authorization": "Bearer \(token)", "Content-Type": "application/json", "Idempotency-Key": "k-1"]

        let paid = try JSON(parsing: caller.send("POST", "/v1/payments", headers: headers, body: order).response.body)
        let items = try JSON(parsing: caller.send("GET", "/v1/accounts/a1/items", headers: headers, body: "").response.body)

        #expect(paid["links"] == ["path": "/p"], "\(paid.text)")
        let more = items["items"]?.array?.compactMap { $0["more"] }
        #expect(more == [["query": "x"], ["query": "x"]], "\(items.text)")
    }
}
