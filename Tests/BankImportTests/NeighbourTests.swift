import BankFiles
import BankModel
import Testing

@testable import BankImport

/// References into the files beside a description.
@Suite struct NeighbourTests {
    private let files = [
        "paths/it.yaml": """
        get: {responses: {"200": {content: {application/json: {schema: {$ref: "../schemas/money.json#/Money"}}}}}}
        """,
        "schemas/money.json":
            ##"{"Money": {"type": "object", "properties": {"amount": {"$ref": "#/Amount"}, "code": {"$ref": "../api.yaml#/components/schemas/Code"}}}, "Amount": {"type": "string", "example": "1.00"}}"##,
    ]

    private func imported(_ reference: String) throws -> Imported {
        let yaml = """
            openapi: 3.1.0
            paths:
              /it: {$ref: "\(reference)"}
              /rest: {get: {responses: {"204": {}}}}
            components: {schemas: {Code: {type: string, example: GBP}}}
            """
        let node = try Complaints.collecting { Node.parse(yaml: yaml, file: "api.yaml", $0) }
        return try OpenAPIImport(name: "it").convert(
            node, file: "api.yaml", name: "api.yaml",
            neighbour: { path in files[path].flatMap { Node.parse(yaml: $0, file: path, Complaints()) } })
    }

    @Test(arguments: ["paths/it.yaml", "./paths/it.yaml", "paths/../paths/it%2Eyaml", "paths/it.yaml#"])
    func `are followed there and back`(_ reference: String) throws {
        let imported = try imported(reference)

        #expect(imported.warnings == [])
        #expect(imported.text("it/replies/get-it.json") == "{\n  \"amount\": \"1.00\",\n  \"code\": \"GBP\"\n}\n")
    }

    @Test(arguments: [
        ("../paths/it.yaml", "references out of the description's folder are not followed"),
        ("paths/../../it.yaml", "references out of the description's folder are not followed"),
        ("/etc/passwd", "references out of the description's folder are not followed"),
        ("http://127.0.0.1/it.yaml", "references to other hosts are not followed"),
        ("paths/gone.yaml", "there is no such file of YAML or JSON in the description's folder"),
        ("paths/it.yaml#/post", "the reference has no target"),
    ])
    func `are listed where they lead nowhere`(_ reference: String, _ reason: String) throws {
        let imported = try imported(reference)

        #expect(imported.operations == 1)
        #expect(imported.warnings.map(\.reason) == [reason])
        #expect(imported.warnings.map(\.path) == ["#/paths/~1it/$ref"])
    }
}
