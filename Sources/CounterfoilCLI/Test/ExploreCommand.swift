import ArgumentParser
import BankFiles
import BankImport
import BankModel
import Contracts
import Foundation
import Harness

/// Looks for failures of a client that no case is written for.
struct ExploreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore", abstract: "Test a client with random scenarios, and write the shortest form of each failure as a contract.",
        discussion: """
            Example: counterfoil explore --client "./driver --drive" --bank counterfoil --minutes 5

            Each scenario has 3 to 25 steps and 0 to 4 rules. A failure counts if it repeats 3 times. Then the command removes \
            every step, rule and setting that the failure does not need, and writes the rest as a contract, which \
            `counterfoil test --contracts` runs. Invariants and faults are chosen from those of --contracts. The report gives the reason \
            of each run without a verdict.

            Exit codes: 0 no failure; 1 a failure was found; 2 usage, unreadable files or a folder that cannot be written; 3 the \
            exploration did not finish, and no failure was found; 4 nothing was exercised.
            """)

    @OptionGroup var driver: DriverOptions

    @Option(help: "Only this bank; repeatable. By default all, in turn.")
    var bank: [String] = []

    @Option(help: "How long to explore; 5 minutes by default. Shrinking may take 30 seconds more.")
    var minutes: Double?

    @Option(help: "Number of scenarios, in place of a time.")
    var runs: Int?

    @Option(help: "Seed of the scenarios and all other random values; by default a new one each time.")
    var seed: UInt64?

    @Option(help: ArgumentHelp("Folder for the contracts of failures.", valueName: "dir"))
    var out = "explored"

    @Option(help: "Number of concurrent scenarios; by default as for `counterfoil test`.")
    var jobs: Int?

    @Flag(help: "Start a process for each scenario, for a client that keeps state in memory between cases.")
    var processPerCase = false

    @Option(help: "Write the failures and what was exercised as JSON to this file.")
    var json: String?

    @Option(help: "Write the failures as JUnit XML to this file.")
    var junit: String?

    @Option(help: "Write the failures as one HTML page to this file.")
    var html: String?

    @Flag(help: "Also print annotations for GitHub Actions.")
    var github = false

    @OptionGroup var folders: FolderOptions

    mutating func validate() throws {
        if let minutes, !(minutes > 0 && minutes <= 100_000) {
            throw ValidationError("found --minutes \(minutes), expected a number of minutes up to 100000")
        }
        if let runs, !(1...100_000_000).contains(runs) { throw ValidationError("found --runs \(runs), expected 1 to 100000000") }
        if minutes != nil, runs != nil { throw ValidationError("found --minutes and --runs, expected one of them") }
        if let jobs, !(1...256).contains(jobs) { throw ValidationError("found --jobs \(jobs), expected 1 to 256") }
        _ = try driver.command()
    }

    func run() async throws {
        let folder = try ExploredFolder(out)
        try ReportOutputs.check([json, junit, html])
        let complaints = Complaints()
        let loaded = LoadedContracts(stubs: folders.stubs, contracts: folders.contracts, banks: bank, complaints)
        guard complaints.errors.isEmpty else { throw UsageError("nothing was run", hint: "fix the files", because: complaints.errors) }
        let command = try driver.command()
        let settings = options(loaded)
        let time: Duration? = runs == nil ? .seconds((minutes ?? 5) * 60) : nil
        let faults = ScenarioGenerator.faults(of: loaded.suites)
        var report = try await loaded.serving([], seed: settings.seed, speaksTLS: true) { bank, scratch in
            let test = TestRun(bank: bank, command: command, options: settings, folder: scratch, label: "x")
            let line = StatusLine()
            let exploration = Exploration(
                test, banks: loaded.banks.map { BankFacts($0.bank) }, faults: faults, runs: runs, time: time)
            let report = await runningDrivers {
                await exploration.run { event in
                    switch event {
                    case .explored(let runs, let elapsed): line.show("\(counted(runs, "run")) in \(elapsed.components.seconds) s")
                    case .shrinking(let oracle, let tried): line.show("shrinking \(oracle): \(counted(tried, "run"))")
                    // What cannot be written now is reported at the end.
                    case .found(let found): _ = try? folder.write(found)
                    }
                }
            }
            line.clear()
            return report
        }
        report.options =
            ([report.options, "--contracts \(RunReport.quoted(out))"] + (folders.stubs.map { ["--stubs \(RunReport.quoted($0))"] } ?? []))
            .filter { !$0.isEmpty }.joined(separator: " ")
        let unwritten = folder.write(&report.found)
        try write(report)
        if let unwritten { throw unwritten }
        throw ExitCode(report.exitCode.rawValue)
    }

    private func options(_ loaded: LoadedContracts) -> RunOptions {
        var options = RunOptions(jobs: jobs ?? TryOptions.jobs, seed: seed ?? UInt64.random(in: 0..<1 << 32), today: CivilDate.today)
        if jobs == nil { options.jobsInOneProcess = TryOptions.jobsInOneProcess }
        options.processPerCase = processPerCase
        options.invariants = loaded.invariants
        return options
    }

    private func write(_ report: ExploreReport) throws {
        var run = report.asRun
        run.origin = ReportDocument.Origin.here
        let document = run.document
        if github {
            Output.results.write(commands: document.githubText(Demands(), text: report.text, word: ReportOutputs.newWord()))
        } else {
            Output.report.write(report.text)
        }
        if let json { try ReportOutputs.write(report.json.pretty + "\n", to: json) }
        if let junit { try ReportOutputs.write(ReportDocument.junit(of: [document]), to: junit) }
        if let html { try ReportOutputs.write(HTMLReport([document]).text, to: html) }
    }
}

/// The folder in which contracts of failures are written. It is made for the first of them.
struct ExploredFolder: Sendable {
    private let path: String

    /// Looks whether contracts can be written there.
    ///
    /// - Throws: if not: before a run of minutes.
    init(_ path: String) throws {
        self.path = path
        let isThere = FileManager.default.fileExists(atPath: path)
        try make()
        defer { if !isThere { _ = rmdir(path) } }
        try ReportOutputs.check([path + "/explored.yaml"])
    }

    /// Writes the contract of a failure; one that is there from an earlier run is replaced.
    ///
    /// - Returns: the path of the file.
    func write(_ found: ExploreReport.Found) throws -> String {
        let file = "\(path)/\(found.scenario.fileName)"
        try make()
        let comment = "Found by `counterfoil explore`; `counterfoil test --contracts \(RunReport.quoted(path))` runs it."
        try ReportOutputs.write(YAMLText.document(found.file, comment: comment.inOneLine), to: file)
        return file
    }

    /// Writes the contract of each failure, and sets the path of each that is written.
    ///
    /// - Returns: why one could not be written, the first of them; the others are written nevertheless.
    func write(_ found: inout [ExploreReport.Found]) -> (any Error)? {
        var first: (any Error)?
        for index in found.indices {
            do {
                found[index].path = try write(found[index])
            } catch {
                first = first ?? error
            }
        }
        return first
    }

    private func make() throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw UsageError(
                "\(path): the folder for the contracts cannot be created: \(error.plainReason)", hint: "name another with --out")
        }
    }
}
