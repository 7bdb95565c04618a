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

    @OptionGroup(title: "Options with --known-failing") var folders: FolderOptions

    func validate() throws {
        guard !merge else { return }
        let judging = [
            ("--json", reports.json != nil), ("--known-failing", demands.knownFailing != nil),
            (demands.ofWholeRuns ?? "", demands.ofWholeRuns != nil),
            ("--level", demands.level != ContractCase.Level.must.rawValue), ("--stubs", folders.stubs != nil),
            ("--contracts", folders.contracts != nil),
        ]
        guard let (option, _) = judging.first(where: \.1) else { return }
        throw ValidationError("found \(option) without --merge, expected it with the shards of one run")
    }

    func run() throws {
        try reports.check(reading: files + [demands.knownFailing].compactMap(\.self))
        if merge {
            return try finish(UsageError.explaining(ReportCommand.failure) { try MergedRun(files, demands, folders) })
        }
        let runs = try UsageError.explaining(ReportCommand.failure) { try FiledReport.reading(files).map(\.run) }
        let codes = runs.map { $0.exitCode(Demands()) }
        try reports.write(runs, [.failed, .noVerdict, .staleKnownFailing, .nothingExercised].first(where: codes.contains) ?? .ok)
        for run in runs { Output.results.line(run.summary) }
    }

    /// Writes the reports of a merged run, and ends with its code.
    private func finish(_ merged: MergedRun) throws {
        Output.report.write(merged.run.terminalText(demands.demands, unmatched: merged.unmatched, expired: merged.expired))
        let code = merged.run.exitCode(demands.demands, unmatched: merged.unmatched)
        try reports.write([merged.run.evaluated(demands.demands, unmatched: merged.unmatched)], code)
        throw ExitCode(code.rawValue)
    }

    private static let failure = "no report was written"
}

/// One run, of the reports of its shards.
struct MergedRun {
    let run: ReportDocument
    /// The known-failing lines that match no instance at all.
    let unmatched: [KnownFailing.Line]
    /// The known-failing lines whose last day has passed.
    let expired: [KnownFailing.Line]

    /// - Parameter folders: are read if failures are announced.
    /// - Throws: ``ComplaintsError`` with all that is wrong with the files.
    init(_ files: [String], _ options: DemandOptions, _ folders: FolderOptions) throws(ComplaintsError) {
        let whole = try ReportDocument.merged(FiledReport.reading(files))
        guard options.knownFailing != nil else {
            (run, unmatched, expired) = (whole, [], [])
            return
        }
        let (known, loaded) = try Complaints.collecting { complaints -> (KnownFailing, LoadedContracts)? in
            let known = options.announced(complaints)
            // Only the contracts know of instances that passed, and of invariants that held.
            let loaded = LoadedContracts(stubs: folders.stubs, contracts: folders.contracts, banks: [], complaints)
            if complaints.errors.isEmpty, loaded.digest != whole.contracts {
                complaints.add(
                    found: "contracts with the digest \(loaded.digest)",
                    expected: "\(whole.contracts ?? "none") as in the reports: --known-failing is checked against them (see --contracts)",
                    at: SourcePosition(file: InstalledFolder.find("Contracts", given: folders.contracts)))
            }
            return known.map { ($0, loaded) }
        }
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
