import BankModel
import Contracts

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
