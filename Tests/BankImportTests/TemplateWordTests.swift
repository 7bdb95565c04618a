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
}
