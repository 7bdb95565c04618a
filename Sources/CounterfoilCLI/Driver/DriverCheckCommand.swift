import ArgumentParser
import BankModel
import Contracts
import Harness

struct DriverCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Start a driver, run a sign-in and a read on each bank, and show the operations it supports.",
        discussion: """
            Example: counterfoil driver check --client "python3 driver.py"
            Exit codes: 0 the driver is usable; 2 usage or unreadable files; 3 it is not, or no case will run.
            """)

    @OptionGroup var driver: DriverOptions

    @Option(help: "Only this bank; repeatable.")
    var bank: [String] = []

    @OptionGroup var folders: FolderOptions

    mutating func validate() throws { _ = try driver.command() }

    func run() async throws {
        let complaints = Complaints()
        let loaded = LoadedContracts(stubs: folders.stubs, contracts: folders.contracts, banks: bank, complaints)
        guard complaints.errors.isEmpty else { throw UsageError("no case was run", hint: "fix the files", because: complaints.errors) }
        let command = try driver.command()
        let instances = loaded.instances
        let options = RunOptions(today: CivilDate.today)
        let tryOut = try await loaded.serving(instances, seed: options.seed) { bank, folder in
            let run = TestRun(bank: bank, command: command, options: options, folder: folder)
            return await runningDrivers { await run.tryOutReport(instances, reads: .one) }
        }
        Output.results.write(tryOut.checkText)
        throw ExitCode(tryOut.isUsable ? 0 : 3)
    }
}

/// The commands on the drivers of clients, besides running them.
struct DriverGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "driver", abstract: "Check the driver of a client.", subcommands: [DriverCheckCommand.self])
}
