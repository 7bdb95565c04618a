import ArgumentParser

/// The commands on the drivers of clients, besides running them.
struct DriverGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "driver", abstract: "Check the driver of a client.", subcommands: [DriverCheckCommand.self])
}
