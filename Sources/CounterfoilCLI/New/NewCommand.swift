import ArgumentParser

/// Makes things of the user's own.
struct NewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Create a bank, or a driver for your client.",
        discussion: """
            A small bank to edit:                    counterfoil new bank mybank
            Your bank's API, from OpenAPI:           counterfoil new bank mybank --openapi api.yaml
            A driver, to test your client:           counterfoil new driver --language python
            """,
        subcommands: [NewBank.self, NewDriver.self])
}
