import ArgumentParser

@main
struct Counterfoil: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "counterfoil", abstract: "A stub bank and a judge of bank clients.", subcommands: [ClientCommand.self])
}
