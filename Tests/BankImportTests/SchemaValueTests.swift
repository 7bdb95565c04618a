import BankModel
import Testing

@testable import BankImport

/// Values that are made of schemas, and examples that do not fit theirs.
@Suite struct SchemaValueTests {
    private func made(_ schema: String) throws -> (value: JSON, warnings: [String]) {
        let imported = try DescriptionCorpus.imported(
            yaml: DescriptionCorpus.description(
                operation: "{responses: {\"200\": {content: {application/json: {schema: {type: object, properties: {\(schema)}}}}}}}"))
        let text = imported.text("it/replies/get-it.json") ?? "null"
        return (try JSON(parsing: Array(text.utf8)), imported.warnings.map(\.reason))
    }

    @Test(arguments: [
        (#"currency: {type: string, pattern: "^[A-Z]{3}$"}"#, #""GBP""#), ("countryCode: {type: string, pattern: '[A-Z]{2,2}'}", #""GB""#),
        (#"amount: {type: string, pattern: '^\d{1,13}\.\d{2}$'}"#, #""12.30""#),
        ("id: {type: string, minLength: 5, maxLength: 5}", #""id-1x""#),
        ("n: {type: integer, minimum: 10}", "10"), ("n: {type: number, multipleOf: 0.25}", "0.25"),
        ("n: {type: integer, exclusiveMaximum: 1}", "0"), ("e: {type: string, enum: [A, B]}", #""A""#),
        ("e: {type: string, enum: [1, 2]}", #""1""#),
        ("d: {type: string, format: date}", #""2026-01-12""#),
        ("l: {type: array, minItems: 2, items: {type: string}}", #"["Example l","Example l"]"#),
    ])
    func `values fit formats, patterns, lists and limits`(_ schema: String, _ value: String) throws {
        let (made, warnings) = try made(schema)

        #expect(made.object?.members.first?.value.text == value)
        #expect(warnings == [])
    }

    /// Nothing fits some of them: then the usual value stands there.
    @Test(arguments: [
        ("n: {type: integer, exclusiveMinimum: 9223372036854775807}", "1"), ("n: {type: number, exclusiveMinimum: 1.0e+300}", "1.50"),
        ("n: {type: integer, exclusiveMaximum: -9223372036854775808}", "1"), ("n: {type: integer, exclusiveMinimum: 5}", "6"),
        ("a: {type: string, minLength: -5, maxLength: -9}", "\"\""),
    ])
    func `limits at the ends of what can be counted have a value`(_ schema: String, _ value: String) throws {
        #expect(try made(schema).value.object?.members.first?.value.text == value)
    }

    @Test(arguments: [
        ("a: {type: string, example: 2}", #""2""#, "an example of another type than its schema's is converted"),
        ("a: {type: number, example: '12.50'}", "12.50", "an example of another type than its schema's is converted"),
        ("a: {type: integer, example: many}", "1", "an example that does not fit its schema is replaced (another type)"),
        (
            "a: {type: string, enum: [X], example: Y}", #""X""#,
            "an example that does not fit its schema is replaced (none of the listed values)"
        ),
        (
            "a: {type: string, format: date-time, example: yesterday}", #""2026-01-12T10:15:00Z""#,
            "an example that does not fit its schema is replaced (no date-time)"
        ),
    ])
    func `an example that does not fit is converted or replaced, and listed`(_ schema: String, _ value: String, _ reason: String) throws {
        let (made, warnings) = try made(schema)

        #expect(made["a"]?.text == value)
        #expect(warnings == [reason])
    }

    @Test func `an example of a whole response is completed`() throws {
        let imported = try DescriptionCorpus.imported(
            yaml: DescriptionCorpus.description(
                operation: """
                    {responses: {"200": {content: {application/json: {schema: {type: object, additionalProperties: false, required: [id, at], \
                    properties: {id: {type: string}, at: {type: string, format: date}}}, example: {id: 7, more: 1}}}}}}
                    """))

        #expect(imported.text("it/replies/get-it.json") == "{\n  \"id\": \"7\",\n  \"at\": \"2026-01-12\"\n}\n")
        #expect(imported.warnings.count == 3)
    }

    @Test(arguments: [
        (Int64.max, 1, Int64.max - 1), (Int64.max - 3, 3, Int64.max), (Int64.max - 3, 4, Int64.max - 7), (Int64.min, 1, Int64.min + 1),
        (Int64(7), 2, Int64(9)),
    ])
    func `the key of a further row is another number of 64 bits`(key: Int64, number: Int, further: Int64) {
        #expect(RowVariation.key(.int(key), number) == .int(further))
    }

    @Test func `rows whose example has the largest number as its id are made for each customer`() throws {
        let list = """
            {responses: {"200": {content: {application/json: {schema: {type: array, items: {type: object, properties: \
            {id: {type: integer, example: 9223372036854775807}, currency: {type: string, example: GBP}}}}}}}}}
            """
        let imported = try DescriptionCorpus.imported(
            yaml: """
                openapi: 3.1.0
                info: {title: It, version: "1"}
                security: [{token: []}]
                paths:
                  /accounts: {get: \(list)}
                components: {securitySchemes: {token: {type: http, scheme: bearer}}}
                """)

        let rows = try #require(imported.text("it/accounts.json"))
        for id in ["9223372036854775807", "9223372036854775806", "9223372036854775805", "9223372036854775804"] {
            #expect(rows.contains(id), "\(rows)")
        }
    }
}
