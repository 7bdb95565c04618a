import ArgumentParser
import BankModel
import Foundation
import TestBanks
import Testing

@testable import CounterfoilCLI

/// The schemas and pages in the repository are those of the declarations.
@Suite struct SchemaTests {
    private static let root = Clone.root

    @Test(arguments: SchemaKind.files.map(\.path))
    func `a committed file is generated from its declaration`(path: String) throws {
        let committed = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
        let written = try #require(SchemaKind.files.first { $0.path == path }).text

        let difference = zip(committed.split(separator: "\n"), written.split(separator: "\n")).first { $0 != $1 }
        #expect(
            committed == written, "first difference: \(difference.map { "\($0)" } ?? "the end"); fix it with `counterfoil schema --into .`"
        )
    }

    /// Of two mappings with one name only the first would be shown.
    @Test func `a definition's name stands for one mapping`() {
        var keys: [String: [String]] = [:]
        for object in SchemaKind.all.flatMap({ $0.schema.objects }) {
            #expect(keys.updateValue(object.keys, forKey: object.name) ?? object.keys == object.keys, "\(object.name)")
        }
        #expect(keys.count > 50)
    }

    @Test(arguments: SchemaKind.all.map(\.name))
    func `every key has a line of help`(kind: String) throws {
        let kind = try #require(SchemaKind.all.first { $0.name == kind })

        let rows = kind.page.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let bare = rows.filter { row in
            let help = row.dropLast().split(separator: "|", omittingEmptySubsequences: false).last ?? ""
            return !row.hasSuffix("|") || help.allSatisfy { $0 == " " }
        }
        #expect(!rows.isEmpty)
        #expect(bare == [])
    }

    @Test func `the admin API alone is described in OpenAPI`() throws {
        let described = SchemaKind.all.filter { $0.openAPI != nil }
        let document = try #require(described.first?.openAPI?())

        #expect(described.map(\.name) == ["admin"])
        #expect(document["openapi"] == "3.1.0")
        #expect(document["info"]?["version"]?.string == Counterfoil.versionText)
        #expect(document["paths"]?["/__admin/sessions/{session}/clock"]?["put"]?["operationId"] == "setClock")
    }

    @Test func `another kind has no description in OpenAPI`() async throws {
        let command = try SchemaCommand.parse(["plan", "--openapi"])

        await #expect(throws: ValidationError.self) { try await command.run() }
    }
}
