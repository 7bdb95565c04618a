import BankModel
import Contracts
import Foundation
import Harness

/// The work of `counterfoil test`, with all files read and checked.
struct TestPlan {
    let command: DriverCommand
    let options: RunOptions
    let loaded: LoadedContracts
    /// The known-failing lines that match no instance at all.
    let unmatched: [KnownFailing.Line]

    /// The selected cases, and complaints about the selection.
    let choice: TestChoice
    /// The file with the names of failed cases.
    let memory: LastFailed

    /// - Throws: every fault of banks, contracts and the known-failing file, at once.
    init(_ arguments: TestCommand) throws {
        let complaints = Complaints()
        command = try arguments.command()
        loaded = LoadedContracts(stubs: arguments.stubs, contracts: arguments.contracts, banks: arguments.bank, complaints)
        let suites = loaded.suites.map(\.name)
        var options = RunOptions(
            filters: arguments.filter, banks: arguments.bank, jobs: arguments.jobs, seed: arguments.seed ?? UInt64.random(in: 0..<1 << 32),
            repetitions: arguments.repetitions, failFast: arguments.failFast, today: CivilDate.today)
        options.processPerCase = arguments.trying.processPerCase
        let required = (arguments.require ?? "").split(separator: ",").map(String.init)
        for name in required where !suites.contains(name) {
            let hint = didYouMean(name, among: suites)
            complaints.add(found: "the suite `\(name)`", expected: oneOf(suites) + hint, at: Place(file: "--require"))
        }
        options.invariants = loaded.invariants
        options.demands = Demands(
            level: ContractCase.Level(rawValue: arguments.level) ?? .must, maxUnsupported: arguments.maxUnsupported,
            maxInconclusive: arguments.maxInconclusive, require: required)
        if let path = arguments.knownFailing { options.knownFailing = TestPlan.knownFailing(path, complaints) }
        guard complaints.errors.isEmpty else { throw ComplaintsError(complaints.errors) }
        memory = LastFailed(contracts: InstalledFolder.find("Contracts", given: arguments.contracts))
        choice = try TestChoice(loaded, banks: arguments.bank, filters: arguments.filter, arguments.choice, memory: memory)
        // With --bank the others are not even loaded, and lines about them cannot be told from lines about nothing.
        unmatched = arguments.bank.isEmpty ? options.knownFailing.unmatched(among: loaded.names) : []
        self.options = options
    }

    private static func knownFailing(_ path: String, _ complaints: Complaints) -> KnownFailing {
        guard let data = FileManager.default.contents(atPath: path) else {
            complaints.add(
                found: "a file that cannot be read", expected: "lines of `pattern  # reason, until 2027-01-01`", at: Place(file: path))
            return KnownFailing()
        }
        return KnownFailing(String(decoding: data, as: UTF8.self), file: path, complaints)
    }
}

extension CivilDate {
    /// The machine's day, in UTC.
    static var today: CivilDate { Instant(seconds: Int64(Date.now.timeIntervalSince1970)).date }
}
