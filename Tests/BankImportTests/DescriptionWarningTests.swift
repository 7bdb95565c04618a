import BankCore
import BankFiles
import BankModel
import Testing

@testable import BankImport

/// Unconvertible parts of a description are listed with their location, or the whole description is rejected.
@Suite struct DescriptionWarningTests {
    @Test(arguments: [
        (#"{responses: {}, callbacks: {a: {}}}"#, ["#/paths/~1it/get/callbacks ignored", "#/paths/~1it/get/responses approximate"]),
        (#"{responses: {"200": {}}, parameters: [{name: q, in: query}]}"#, ["#/paths/~1it/get/parameters/0 ignored"]),
        (#"{responses: {"200": {}}, parameters: [{name: q, in: cookie, required: true}]}"#, ["#/paths/~1it/get/parameters/0 wider"]),
        (#"{responses: {"200": {}, "206": {}}}"#, ["#/paths/~1it/get/responses/206 ignored"]),
        (#"{responses: {"200": {}, "410": {}}}"#, ["#/paths/~1it/get/responses/410 ignored"]),
        (#"{responses: {"200": {$ref: "other.yaml#/a"}}}"#, ["#/paths/~1it/get/responses/200/$ref ignored"]),
        (#"{responses: {"200": {$ref: "../other.yaml#/a"}}}"#, ["#/paths/~1it/get/responses/200/$ref ignored"]),
        (#"{responses: {"200": {$ref: "https://example.com/other.yaml#/a"}}}"#, ["#/paths/~1it/get/responses/200/$ref ignored"]),
        (##"{responses: {"200": {$ref: "#/components/none"}}}"##, ["#/paths/~1it/get/responses/200/$ref ignored"]),
        (#"{responses: {"200": {content: {image/png: {}}}}}"#, ["#/paths/~1it/get/responses/200/content/image~1png ignored"]),
        (#"{responses: {"200": {headers: {X-A: {schema: {type: string}}}}}}"#, ["#/paths/~1it/get/responses/200/headers/X-A ignored"]),
        (
            #"{responses: {"200": {}}, requestBody: {required: true, content: {text/xml: {}}}}"#,
            ["#/paths/~1it/get/requestBody/content/text~1xml wider"]
        ),
        (#"{responses: {"200": {}}, requestBody: {content: {application/json: {}}}}"#, ["#/paths/~1it/get/requestBody wider"]),
        (
            #"{responses: {"200": {content: {application/json: {schema: {properties: {a: {type: string, pattern: "(a)\\1"}}}}}}}}"#,
            ["#/paths/~1it/get/responses/200/content/application~1json/schema/properties/a/pattern approximate"]
        ),
    ])
    func `is listed with its position`(_ operation: String, _ warnings: [String]) throws {
        #expect(try DescriptionCorpus.warnings(operation: operation) == warnings)
    }

    @Test func `reports file, line and operation`() throws {
        let yaml = DescriptionCorpus.description(operation: #"{responses: {"200": {}}, parameters: [{name: q, in: query}]}"#)

        let warnings = try DescriptionCorpus.imported(yaml: yaml).warnings
        #expect(warnings.map(\.file) == ["api.yaml:4:52"])
        #expect(warnings.first?.item == "GET /it")
        #expect(
            warnings.first?.description.hasSuffix("the response does not depend on this part of the query (ignored)")
                == true)
    }

    @Test func `what is referred to is reported once`() throws {
        let yaml = """
            openapi: 3.0.3
            paths:
              /a: {get: {parameters: [{$ref: "#/components/parameters/p"}], responses: {"200": {}}}}
              /b: {get: {parameters: [{$ref: "#/components/parameters/p"}], responses: {"200": {}}}}
            components: {parameters: {p: {name: p, in: header}}}
            """

        #expect(try DescriptionCorpus.imported(yaml: yaml).warnings.map(\.path) == ["#/components/parameters/p"])
    }

    @Test func `a path with a query is left out`() throws {
        let yaml = """
            openapi: 3.0.3
            paths:
              /a: {get: {responses: {"200": {}}}}
              "/a?type=b": {get: {responses: {"200": {}}}}
            """

        let imported = try DescriptionCorpus.imported(yaml: yaml)
        #expect(imported.warnings.contains { $0.item == "GET /a?type=b" && $0.description.contains("neither a query nor a fragment") })
        #expect(try imported.bank("it").bank.operations.count == 1)
    }

    @Test(arguments: ["mutualTLS", "apiKey"])
    func `other schemes leave an operation open`(_ type: String) throws {
        let yaml = DescriptionCorpus.description(
            operation: #"{security: [{it: []}], responses: {"200": {}}}"#, components: "{securitySchemes: {it: {type: \(type)}}}")

        let imported = try DescriptionCorpus.imported(yaml: yaml)
        #expect(imported.warnings.map(\.path) == ["#/components/securitySchemes/it"])
        #expect(try imported.bank("it").bank.auth == nil)
    }

    @Test(arguments: [
        ("swagger: '1.2'", "api.yaml:1:10: found `swagger: 1.2`, expected `openapi: 3.0.x` or `3.1.x`, or `swagger: 2.0`"),
        ("openapi: 4.0.0", "api.yaml:1:10: found `openapi: 4.0.0`"),
        ("log: {entries: []}", "or `swagger: 2.0` (it looks like a HAR file: `counterfoil import har` reads it)"),
        ("info: {}\nitem: []", "(it looks like a Postman collection: `counterfoil import postman` reads it)"),
        ("title: x", "api.yaml:1:1: found a mapping"), ("openapi: 3.0.0\npaths: {}", "api.yaml: found no convertible operation"),
        ("openapi: 3.0.0\npaths: {/a: {trace: {}}}", "#/paths/~1a/trace"),
        ("openapi: 3.0.0\npaths: {a: {get: {}}}", "GET a: #/paths/a/get: a path begins with /"),
        ("openapi: 3.0.0\npaths: {'/a-{b}': {get: {responses: {}}}}", "#/paths/~1a-{b}/get"),
    ])
    func `is rejected whole`(_ yaml: String, _ complaint: String) {
        let error = #expect(throws: ComplaintsError.self) { try DescriptionCorpus.imported(yaml: yaml) }

        #expect(error?.description.contains(complaint) == true, "\(error.map(\.description) ?? "")")
    }

    @Test func `an API key in an unknown place is listed with the known ones`() throws {
        let imported = try DescriptionCorpus.imported(
            yaml: DescriptionCorpus.description(
                operation: #"{responses: {"200": {}}}"#, components: "{securitySchemes: {it: {type: apiKey, in: headers, name: X-Key}}}"))

        #expect(imported.warnings.map(\.reason) == ["an API key needs `name`, and `in` with header, query or cookie"])
    }

    @Test func `a schema that goes round in a circle ends`() throws {
        let schemas =
            "{schemas: {a: {properties: {id: {type: string}, next: {$ref: '#/components/schemas/a'}, all: {type: array, items: {$ref: '#/components/schemas/a'}}}}}}"
        let yaml = DescriptionCorpus.description(
            operation: ##"{responses: {"200": {content: {application/json: {schema: {$ref: "#/components/schemas/a"}}}}}}"##,
            components: schemas)

        let imported = try DescriptionCorpus.imported(yaml: yaml)
        #expect(imported.text("it/replies/GET-it.json") == nil)
        #expect(imported.text("it/replies/get-it.json") == "{\n  \"id\": \"id-1\",\n  \"all\": []\n}\n")
    }
}
