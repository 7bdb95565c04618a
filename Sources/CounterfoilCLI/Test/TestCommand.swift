import ArgumentParser
import BankFiles
import BankModel
import Contracts
import Foundation
import Harness

struct TestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Test a client: run it against the contracts.",
        discussion: """
            Example: counterfoil test --client "./driver --drive" --bank roundup

            The driver command is split by shell word rules and run without a shell, in a separate folder; files among its arguments \
            are resolved from the current one. It uses the driver protocol on stdin and stdout. Before the run it signs in and reads \
            once on each bank; if that fails, no case is run. --try compares displayed data with the expected results (exit code 0 \
            or 1).

            Names of failed cases are stored for --last-failed below COUNTERFOIL_HOME, else in the user's state folder.

            Exit codes: 0 success; 1 a `must` failed, too many cases were unsupported or a required suite was not exercised; \
            2 usage or unreadable files; 3 a harness error, or more inconclusive than --max-inconclusive, and no failure; 4 nothing was \
            exercised; 5 a known failure passed, or a line of --known-failing matches nothing.
            """)

    @OptionGroup var driver: DriverOptions

    @Option(help: "Only this bank; repeatable.")
    var bank: [String] = []

    @Option(help: "Only these cases: a glob over names such as auth.*@roundup*, a case id or a suite; repeatable.")
    var filter: [String] = []

    @OptionGroup var choice: ChoiceOptions

    @OptionGroup var trying: TryOptions

    @OptionGroup var platform: BaselineOptions

    @Option(help: "Number of concurrent cases; by default 4 per core, or up to 16 per core if the driver runs them in one process.")
    var jobs: Int?

    @Option(help: "Seed for all random values; by default a new one each time.")
    var seed: UInt64?

    @Option(name: .customLong("repeat"), help: "Number of times to run each case.")
    var repetitions = 1

    @Flag(help: "Stop at the first failure that counts.")
    var failFast = false

    @OptionGroup(title: "Reports") var files: ReportOutputs

    @Option(help: "Write the run's failures as a file for --known-failing, each with its cause and an expiry date in 30 days.")
    var writeKnownFailing: String?

    @Flag(help: "Also print annotations for GitHub Actions.")
    var github = false

    @OptionGroup var demands: DemandOptions

    @OptionGroup var folders: FolderOptions

    mutating func validate() throws {
        if let jobs, !(1...256).contains(jobs) { throw ValidationError("found --jobs \(jobs), expected 1 to 256") }
        guard (1...10_000).contains(repetitions) else { throw ValidationError("found --repeat \(repetitions), expected 1 to 10000") }
        if choice.onlyShows { return }
        try checkShard()
        _ = try driver.command()
    }

    func run() async throws {
        if choice.onlyShows { return try show() }
        try files.check(reading: [demands.knownFailing, choice.durations].compactMap(\.self), writeKnownFailing)
        let plan = try UsageError.explaining(TestCommand.failure) { try TestPlan(self) }
        for line in plan.choice.idle { Output.errors.line(line) }
        if trying.showsViews { try await showViews(plan) }
        let instances = plan.choice.instances
        let origin = ReportDocument.Origin.here
        let report = try await plan.loaded.serving(instances, seed: plan.options.seed) { bank, folder in
            let progress = ProgressLine()
            let test = TestRun(bank: bank, command: plan.command, options: plan.options, folder: folder) { progress.show($0) }
            var report = await runningDrivers { await test.run(instances) }
            if !report.results.isEmpty { await platform.compare(&report, test, instances, folder) }
            report.options = ([report.options] + folderOptions).filter { !$0.isEmpty }.joined(separator: " ")
            report.skipped = plan.choice.skipped
            report.origin = origin
            report.contracts = plan.loaded.digest
            report.part = plan.choice.cut?.part(repetitions: repetitions)
            report.positions = plan.choice.cut?.positions ?? [:]
            progress.clear()
            return report
        }
        let code = try writeReports(report, plan)
        // At the beginning it stands far above the end of a long report.
        if !report.results.isEmpty { for line in plan.choice.idle { Output.errors.line(line) } }
        throw ExitCode(code.rawValue)
    }

    /// The folders that were named, as words of a shell: without them a case is not found again.
    private var folderOptions: [String] {
        [("--stubs", folders.stubs), ("--contracts", folders.contracts)].compactMap { name, folder in
            folder.map { "\(name) \(RunReport.quoted($0))" }
        }
    }

    /// Writes the reports and returns the exit code.
    private func writeReports(_ report: RunReport, _ plan: TestPlan) throws -> Contracts.ExitCode {
        let demands = plan.options.demands
        let unmatched = plan.unmatched
        remember(report, plan)
        let folder = FileManager.default.currentDirectoryPath
        let document = report.document.located(plan.loaded.suites, plan.loaded.invariants, from: folder)
        let text = document.terminalText(demands, unmatched: unmatched, expired: plan.expired, failedAgain: report.failedAgain)
        if github {
            // A driver's own texts are in between.
            let word = ReportOutputs.newWord()
            Output.results.write(
                commands: document.githubText(demands, text: text, unmatched: unmatched, expired: plan.expired, word: word))
        } else {
            Output.report.write(text)
        }
        let code = document.exitCode(demands, unmatched: unmatched)
        try files.write([document.evaluated(demands, unmatched: unmatched)], code)
        if let writeKnownFailing { try ReportOutputs.write(document.knownFailing(on: .today), to: writeKnownFailing) }
        return code
    }
}

/// The catalogue as `counterfoil test` shows it, and the names it stores after a run.
extension TestCommand {
    /// Shows the list of cases, or one case in words.
    func show() throws {
        let text = try UsageError.explaining(TestCommand.failure) { () throws -> String in
            let loaded = try Complaints.collecting {
                LoadedContracts(stubs: folders.stubs, contracts: folders.contracts, banks: bank, $0)
            }
            if let name = choice.explain { return try explanation(of: name, loaded) }
            let memory = LastFailed(contracts: InstalledFolder.find("Contracts", given: folders.contracts))
            let chosen = try TestChoice(loaded, banks: bank, filters: filter, choice, memory: memory)
            for line in chosen.idle { Output.errors.line(line) }
            if choice.shard != nil { return chosen.instances.map { $0.name + "\n" }.joined() }
            return CaseList(loaded.suites, chosen.instances).text
        }
        Output.results.write(text)
    }

    private func explanation(of given: String, _ loaded: LoadedContracts) throws(ComplaintsError) -> String {
        let name = Invariant.presentName(given)
        let cases = loaded.suites.flatMap(\.cases)
        // Reports show an instance's name.
        let id = cases.contains { $0.id == name } ? name : String(name.prefix { $0 != "@" })
        if let invariant = loaded.invariants.first(where: { $0.id == id }) { return CaseExplanation.text(of: invariant, in: cases) }
        guard let contract = cases.first(where: { $0.id == id }) else {
            let known = cases.map(\.id) + loaded.invariants.map(\.id)
            let near = nearestName(to: id, among: known) ?? known.first { $0.contains(id) }
            let hint = near.map { "; did you mean `\($0)`?" } ?? "; see --list"
            throw wrong("found the case `\(name)`, expected one of the contracts\(hint)", "--explain")
        }
        let instances = loaded.instances.filter { $0.caseID == id }
        guard name.contains("@") else { return CaseExplanation(contract, instances).text }
        guard let example = instances.first(where: { $0.name == name }) else {
            let near = nearestName(to: name, among: instances.map(\.name)).map { "; did you mean `\($0)`?" } ?? "; see --list"
            throw wrong("found `\(name)`, expected an instance of \(id)\(near)", "--explain")
        }
        return CaseExplanation(contract, instances, example: example).text
    }

    private static let failure = "no case was run"

    /// Keeps the names of what failed for `--last-failed`; a run that judged nothing leaves them as they are.
    func remember(_ report: RunReport, _ plan: TestPlan) {
        if report.results.isEmpty { return }
        let names = LastFailed.names(after: report, earlier: plan.choice.lastFailed)
        do throws(FileError) { try plan.memory.keep(names) } catch {
            if !names.isEmpty { Output.errors.line("warning: \(error); --last-failed will not include this run") }
        }
    }

    /// Checks what a shard needs and what it cannot judge.
    func checkShard() throws {
        guard choice.shard != nil else { return }
        if let option = demands.ofWholeRuns {
            throw ValidationError(
                "found \(option) with --shard, expected it with `counterfoil report --merge`, which evaluates all shards together")
        }
        if seed == nil, !trying.showsViews {
            throw ValidationError("found --shard without --seed, expected --seed with one number for all shards")
        }
    }
}
