import ArgumentParser

/// Makes things of the user's own.
struct NewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Make a new bank, or a driver for your client.",
        discussion: """
            A small bank to change:                  counterfoil new bank mybank
            Your bank's API, from OpenAPI:           counterfoil new bank mybank --openapi api.yaml
            A driver, so that your client is judged: counterfoil new driver --language python
            """,
        subcommands: [NewBank.self, NewDriver.self])
}
