import ArgumentParser
import BankFiles
import BankModel
import Contracts
import Platform

struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Combine the reports of several runs, or of the shards of one.",
        discussion: """
            Example: counterfoil report ios.json android.json --html matrix.html
            Reads files written by `counterfoil test --json FILE`. Prints one line per run; the exit code shows only \
            whether the reports could be read and written.

            With --merge, joins the reports of all shards of one run (`counterfoil test --shard 2/5`) into the report of that run, \
            evaluates it and ends with the exit code of `counterfoil test`. A missing or duplicate shard, or one with another \
            seed, client, version, contracts or selection ends with 2, and nothing is written.
            """)

    @Argument(help: "Reports as JSON.")
    var files: [String]

    @OptionGroup(title: "Reports") var reports: ReportOutputs

    @Flag(help: "Join the shards of one run and evaluate it.")
    var merge = false

    @OptionGroup var demands: DemandOptions

    @Option(help: "With --known-failing: folder of the banks; by default ./Stubs, else the installed one.")
    var stubs: String?

    @Option(help: "With --known-failing: folder of the contracts; by default ./Contracts, else the installed one.")
    var contracts: String?

    func validate() throws {
        guard !merge else { return }
        let judging = [
            ("--json", reports.json != nil), ("--known-failing", demands.knownFailing != nil),
            (demands.ofWholeRuns ?? "", demands.ofWholeRuns != nil),
            ("--level", demands.level != ContractCase.Level.must.rawValue), ("--stubs", stubs != nil), ("--contracts", contracts != nil),
        ]
        guard let (option, _) = judging.first(where: \.1) else { return }
        throw ValidationError("found \(option) without --merge, expected it with the shards of one run")
    }

    func run() throws {
        if merge {
            try reports.check()
            let merged = try reportingFailures { () throws(ComplaintsError) in
                try MergedRun(files, demands, stubs: stubs, contracts: contracts)
            }
            return try finish(merged)
        }
        let runs = try reportingFailures { () throws(ComplaintsError) in try FiledReport.reading(files).map(\.run) }
        let codes = runs.map { $0.exitCode(Demands()) }
        try reports.write(runs, [.failed, .noVerdict, .staleKnownFailing, .nothingExercised].first(where: codes.contains) ?? .ok)
        for run in runs { Output.results.line(run.summary) }
    }

    /// Writes the reports of a merged run, and ends with its code.
    private func finish(_ merged: MergedRun) throws {
        Output.report.write(merged.run.terminalText(demands.demands, unmatched: merged.unmatched, expired: merged.expired))
        let code = merged.run.exitCode(demands.demands, unmatched: merged.unmatched)
        try reports.write([merged.run], code)
        throw ExitCode(code.rawValue)
    }

    private func reportingFailures<Value>(_ work: () throws(ComplaintsError) -> Value) throws(UsageError) -> Value {
        do throws(ComplaintsError) { return try work() } catch {
            throw UsageError("no report was written", because: error.complaints)
        }
    }
}

/// One run, of the reports of its shards.
struct MergedRun {
    let run: ReportDocument
    /// The known-failing lines that match no instance at all.
    let unmatched: [KnownFailing.Line]
    /// The known-failing lines whose last day has passed.
    let expired: [KnownFailing.Line]

    /// - Parameters:
    ///   - stubs: folder of the banks, which are read if failures are announced.
    ///   - contracts: folder of the contracts, likewise.
    /// - Throws: ``ComplaintsError`` with all that is wrong with the files.
    init(_ files: [String], _ options: DemandOptions, stubs: String?, contracts: String?) throws(ComplaintsError) {
        let whole = try ReportDocument.merged(FiledReport.reading(files))
        let complaints = Complaints()
        guard let known = options.announced(complaints) else {
            guard complaints.errors.isEmpty else { throw ComplaintsError(complaints.errors) }
            run = whole
            unmatched = []
            expired = []
            return
        }
        // Only the contracts know of instances that passed, and of invariants that held.
        let loaded = LoadedContracts(stubs: stubs, contracts: contracts, banks: [], complaints)
        if complaints.errors.isEmpty, loaded.digest != whole.contracts {
            complaints.add(
                found: "contracts with the digest \(loaded.digest)",
                expected: "\(whole.contracts ?? "none") as in the reports: --known-failing is checked against them (see --contracts)",
                at: SourcePosition(file: InstalledFolder.find("Contracts", given: contracts)))
        }
        guard complaints.errors.isEmpty else { throw ComplaintsError(complaints.errors) }
        run = whole.announced(by: known, on: .today)
        unmatched = known.unmatched(among: loaded.names)
        expired = known.expired(on: .today)
    }
}

extension FiledReport {
    /// Reads what `counterfoil test --json` wrote.
    ///
    /// - Throws: ``ComplaintsError`` that names the file, what was found and what was expected.
    init(reading file: String) throws(ComplaintsError) {
        let bytes: [UInt8]
        do throws(UnreadFile) { bytes = try Disk.bytes(named: file, .report) } catch {
            throw ComplaintsError([Complaint(error, file: file, expected: "a report as JSON")])
        }
        let json: JSON
        do throws(JSONError) { json = try JSON(parsing: bytes) } catch {
            throw wrong("found no JSON (\(error)), expected what `counterfoil test --json` writes", file)
        }
        self.init(file, try ReportDocument(json: json, file: file))
    }

    /// Reads all files.
    ///
    /// - Throws: ``ComplaintsError`` with what is wrong with any of them.
    static func reading(_ files: [String]) throws(ComplaintsError) -> [FiledReport] {
        try makeAll(files) { file throws(ComplaintsError) in try FiledReport(reading: file) }
    }
}
