import BankFiles
import BankModel

@testable import BankImport

/// API descriptions for tests: those on disk, or written in the test.
enum DescriptionCorpus {
    private static let folder =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/Corpus/descriptions"

    static let names = ["starry.yaml", "open-ledger.json", "pocket.yaml"]

    /// The bank made of a description on disk.
    static func imported(_ name: String, confirmed: Set<RoleChoice.Confirmation> = []) throws -> Imported {
        try OpenAPIImport(name: "it", confirmed: confirmed).convert(try node(name), file: name)
    }

    /// The root of a description on disk.
    static func node(_ name: String) throws -> Node {
        let text = String(decoding: (try? FileReader.disk.read(named: "\(folder)/\(name)")) ?? [], as: UTF8.self)
        return try Complaints.collecting { Node.parse(yaml: text, file: name, $0) }
    }

    /// The bank `it` made of a description.
    static func imported(yaml: String, confirmed: Set<RoleChoice.Confirmation> = []) throws -> Imported {
        let node = try Complaints.collecting { Node.parse(yaml: yaml, file: "api.yaml", $0) }
        return try OpenAPIImport(name: "it", confirmed: confirmed).convert(node, file: "api.yaml")
    }

    /// The bank `it` made of these paths, which need a bearer token, with all that an import asks about confirmed.
    static func imported(paths: String) throws -> Imported {
        try imported(
            yaml: """
                openapi: 3.0.3
                info: {title: It, version: "1"}
                security: [{token: []}]
                components: {securitySchemes: {token: {type: http, scheme: bearer}}}
                paths:
                \(paths)
                """, confirmed: Set(RoleChoice.Confirmation.allCases))
    }

    /// A description of one operation, `GET /it`.
    static func description(operation: String, components: String = "{}") -> String {
        """
        openapi: 3.1.0
        info: {title: It, version: "1"}
        paths:
          /it: {get: \(operation)}
          /rest: {get: {responses: {"204": {description: Nothing}}}}
        components: \(components)
        """
    }

    /// The unconverted locations of that operation, without `file`.
    static func warnings(operation: String, components: String = "{}") throws -> [String] {
        try imported(yaml: description(operation: operation, components: components)).warnings.map { "\($0.path) \($0.effect.rawValue)" }
    }
}
