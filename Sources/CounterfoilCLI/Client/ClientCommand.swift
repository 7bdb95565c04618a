import ArgumentParser
import ClientDriver

struct ClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client", abstract: "Run the model client by hand, or as a driver.",
        discussion: """
            By hand:        counterfoil client accounts --bank counterfoil --user ava --password correct-horse
            For a harness:  counterfoil test --client "counterfoil client --drive"
            """,
        subcommands: [
            ClientLogin.self, ClientLogout.self, ClientStatus.self, ClientAccounts.self, ClientBalance.self, ClientTransactions.self,
            ClientATMs.self, ClientGoals.self, ClientImage.self, ClientPay.self, ClientRoundUp.self,
            ClientLoad.self,
        ])

    @Flag(help: "Use the driver protocol on standard input and output.")
    var drive = false

    func run() async throws {
        guard drive else { throw CleanExit.helpRequest(self) }
        await StandardStreams.drive(ModelClient())
    }
}
