import BankCore
import BankFiles
import BankModel
import Testing

@testable import BankImport

/// A description in Swagger 2.0 makes the same bank as its twin in OpenAPI 3.0.
@Suite struct SwaggerTests {
    private static let schemas = """
          Account: {type: object, required: [id], properties: {id: {type: string, example: a1}, name: {type: string, example: Everyday}, currency: {type: string, example: GBP}, balance: {$ref: "#/definitions/Money"}}}
          Money: {type: object, properties: {currency: {type: string, example: GBP}, minorUnits: {type: integer, example: 12345}}}
          Wrong: {type: object, properties: {message: {type: string, example: No}}}
        """

    private static let old = """
        swagger: "2.0"
        info: {title: It, version: "1"}
        host: api.bank.example
        basePath: /api/v2
        consumes: [application/json]
        produces: [application/json]
        securityDefinitions:
          user: {type: oauth2, flow: accessCode, authorizationUrl: "https://bank.example/api/v2/authorize", tokenUrl: "https://bank.example/api/v2/token", scopes: {read: Reads, pay: Pays}}
        parameters:
          id: {name: id, in: path, required: true, type: string, maxLength: 40}
          order: {name: order, in: body, required: true, schema: {type: object, required: [amount, externalIdentifier], properties: {amount: {$ref: "#/definitions/Money"}, externalIdentifier: {type: string}}}}
        responses:
          Missing: {description: None, schema: {$ref: "#/definitions/Wrong"}}
        paths:
          /accounts:
            get:
              operationId: accounts
              security: [{user: [read]}]
              responses: {200: {description: All, schema: {type: object, properties: {accounts: {type: array, items: {$ref: "#/definitions/Account"}}}}}}
          /accounts/{id}:
            parameters: [{$ref: "#/parameters/id"}]
            get:
              operationId: account
              security: [{user: [read]}]
              responses: {200: {description: One, headers: {X-Version: {type: string, default: "7"}}, schema: {$ref: "#/definitions/Account"}}, 404: {$ref: "#/responses/Missing"}}
          /accounts/{id}/transfers:
            post:
              operationId: transfer
              security: [{user: [pay]}]
              parameters: [{$ref: "#/parameters/id"}, {$ref: "#/parameters/order"}, {name: Idempotency-Key, in: header, required: true, type: string, format: uuid}]
              responses: {201: {description: Made, examples: {application/json: {id: t-1, state: accepted}}}}
          /pots/{id}/deposit:
            put:
              operationId: deposit
              consumes: [application/x-www-form-urlencoded]
              security: [{user: [pay]}]
              parameters: [{$ref: "#/parameters/id"}, {name: amount, in: formData, required: true, type: integer}, {name: note, in: formData, type: string}]
              responses: {204: {description: Done}}
        definitions:
        \(schemas)
        """

    private static let new = """
        openapi: 3.0.3
        info: {title: It, version: "1"}
        servers: [{url: "https://api.bank.example/api/v2"}]
        components:
          securitySchemes:
            user: {type: oauth2, flows: {authorizationCode: {authorizationUrl: "https://bank.example/api/v2/authorize", tokenUrl: "https://bank.example/api/v2/token", scopes: {read: Reads, pay: Pays}}}}
          parameters:
            id: {name: id, in: path, required: true, schema: {type: string, maxLength: 40}}
          responses:
            Missing: {description: None, content: {application/json: {schema: {$ref: "#/definitions/Wrong"}}}}
        paths:
          /accounts:
            get:
              operationId: accounts
              security: [{user: [read]}]
              responses: {200: {description: All, content: {application/json: {schema: {type: object, properties: {accounts: {type: array, items: {$ref: "#/definitions/Account"}}}}}}}}
          /accounts/{id}:
            parameters: [{$ref: "#/components/parameters/id"}]
            get:
              operationId: account
              security: [{user: [read]}]
              responses: {200: {description: One, headers: {X-Version: {schema: {type: string, default: "7"}}}, content: {application/json: {schema: {$ref: "#/definitions/Account"}}}}, 404: {$ref: "#/components/responses/Missing"}}
          /accounts/{id}/transfers:
            post:
              operationId: transfer
              security: [{user: [pay]}]
              parameters: [{$ref: "#/components/parameters/id"}, {name: Idempotency-Key, in: header, required: true, schema: {type: string, format: uuid}}]
              requestBody: {required: true, content: {application/json: {schema: {type: object, required: [amount, externalIdentifier], properties: {amount: {$ref: "#/definitions/Money"}, externalIdentifier: {type: string}}}}}}
              responses: {201: {description: Made, content: {application/json: {example: {id: t-1, state: accepted}}}}}
          /pots/{id}/deposit:
            put:
              operationId: deposit
              security: [{user: [pay]}]
              parameters: [{$ref: "#/components/parameters/id"}]
              requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, required: [amount], properties: {amount: {type: integer}, note: {type: string}}}}}}
              responses: {204: {description: Done}}
        definitions:
        \(schemas)
        """

    @Test func `a description in Swagger 2 makes the same bank as in OpenAPI 3`() throws {
        let confirmed = Set(RoleChoice.Confirmation.allCases)
        let (old, new) = (
            try DescriptionCorpus.imported(yaml: Self.old, confirmed: confirmed),
            try DescriptionCorpus.imported(yaml: Self.new, confirmed: confirmed)
        )

        #expect(old.files.map(\.path) == new.files.map(\.path))
        for file in new.files { #expect(old.text(file.path) == new.text(file.path), "\(file.path)") }
        #expect(old.choices.map(\.description) == new.choices.map(\.description))
        #expect(old.warnings.map(\.reason) == new.warnings.map(\.reason))
        #expect(try old.bank("it").bank.operations(of: .pay).count == 1)
    }

    @Test(arguments: [("basic", "basic"), ("apiKey, in: header, name: X-Key", "header X-Key")])
    func `the sign-in of a description in Swagger 2 uses its credentials`(_ type: String, _ words: String) throws {
        let imported = try DescriptionCorpus.imported(
            yaml: """
                swagger: "2.0"
                info: {title: It, version: "1"}
                securityDefinitions: {key: {type: \(type)}}
                security: [{key: []}]
                paths: {/accounts: {get: {responses: {200: {description: All}}}}}
                """)

        #expect(imported.signIn?.lowercased().contains(words.lowercased()) == true, "\(imported.signIn ?? "")")
    }
}
