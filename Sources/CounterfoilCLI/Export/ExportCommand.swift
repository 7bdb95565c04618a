import ArgumentParser

/// Writes banks in other tools' formats.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write banks in formats of other tools.",
        discussion: """
            A bank's API as a pact:          counterfoil export pact roundup --output roundup-pact.json
            """,
        subcommands: [ExportPact.self])
}
