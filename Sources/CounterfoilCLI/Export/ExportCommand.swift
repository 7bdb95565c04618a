import ArgumentParser

/// Writes banks in other tools' formats.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export banks to formats of other tools.",
        discussion: """
            A bank's API as OpenAPI 3.1:    counterfoil export openapi roundup --output roundup.json
            A bank's API as a pact:         counterfoil export pact roundup --output roundup-pact.json
            """,
        subcommands: [ExportOpenAPI.self, ExportPact.self])
}
