import ArgumentParser
import BankModel
import Contracts
import Foundation
import Harness

struct MutantsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutants", abstract: "Measure the cases: run clients with one mistake each against the cases that must fail them.",
        discussion: """
            Example: counterfoil mutants --program .build/release/MutantClients
            Each mutant must fail every case that it lists and pass its control; each `must` case must be listed by a mutant.
            Exit codes: 0 every mutant is killed; 1 one escaped; 2 usage or unreadable files; 3 a mutant could not be run.
            """)

    @Option(help: "The mutants' program: `--list` prints one line of JSON per mutant; a mutant's name as argument runs that one.")
    var program: String?

    @Option(help: "Only mutants with names that match this glob; repeatable.")
    var mutant: [String] = []

    @Flag(help: "Run each against every case, not only those that it lists; the others once, on a bank selected by the seed.")
    var all = false

    @Option(help: "Number of concurrent cases.")
    var jobs = 8

    @Option(help: "Seed for all random values.")
    var seed: UInt64 = 1

    @OptionGroup var folders: FolderOptions

    mutating func validate() throws {
        guard (1...256).contains(jobs) else { throw ValidationError("found --jobs \(jobs), expected 1 to 256") }
    }

    func run() async throws {
        let complaints = Complaints()
        let loaded = LoadedContracts(stubs: folders.stubs, contracts: folders.contracts, banks: [], complaints)
        let program = program ?? MutantsCommand.beside
        let mutants = await MutantProgram(path: program).mutants(complaints)
        complaints.check(mutants, against: loaded.suites, loaded.invariants, at: SourcePosition(file: program))
        guard complaints.errors.isEmpty else { throw UsageError("no case was run", hint: "fix the files", because: complaints.errors) }
        let wanted = mutants.filter { candidate in mutant.isEmpty || mutant.contains { globMatches($0, candidate.name) } }
        let instances = loaded.instances
        let all = all
        var options = RunOptions(jobs: jobs, seed: seed, today: CivilDate.today)
        options.invariants = loaded.invariants
        let outcomes = try await loaded.serving(instances, seed: seed) { bank, folder in
            let hunt = MutantHunt(bank: bank, program: program, options: options, folder: folder)
            return await runningDrivers {
                let progress = ProgressLine()
                var done = 0
                let outcomes = await hunt.run(wanted, instances, all: all) { outcome in
                    done += 1
                    progress.show(done, of: wanted.count, "  \(outcome.mutant.name)")
                }
                progress.clear()
                return outcomes
            }
        }
        let must = Set(instances.filter { $0.level == .must }.map(\.caseID)).sorted()
        let unproved = MutationReport.unproved(named: mutants.flatMap(\.killedBy), cases: must, invariants: loaded.invariants)
        let report = MutationReport(outcomes, of: wanted.count, unproved: mutant.isEmpty ? unproved : [])
        Output.report.write(report.text)
        throw ExitCode(report.exitCode.rawValue)
    }

    /// The program that a build puts beside this one.
    static var beside: String {
        let own = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
        return own.deletingLastPathComponent().appending(path: "MutantClients").path
    }
}
