import ArgumentParser

/// What there is for the drivers of clients, beside running them.
struct DriverGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "driver", abstract: "Look at the driver of a client before it is judged.", subcommands: [DriverCheckCommand.self])
}
