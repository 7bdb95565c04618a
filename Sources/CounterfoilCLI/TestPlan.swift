import BankFiles
import BankModel
import Contracts
import Faults
import Foundation
import Harness
import StubServer

/// What `counterfoil test` is to do, all files read and checked.
struct TestPlan {
    let command: DriverCommand
    let options: RunOptions
    let banks: [LoadedBank]
    let sources: [BankSource]
    /// What is run.
    let instances: [Instance]
    /// The outages that they name.
    let plans: [String: Plan]
    /// The known-failing lines that match no instance at all.
    let unmatched: [KnownFailing.Line]

    /// - Throws: every fault of banks, contracts and the known-failing file, at once.
    init(_ arguments: TestCommand) throws {
        let complaints = Complaints()
        command = try arguments.command()
        let library = BankLibrary.find(arguments.stubs)
        banks = TestPlan.load(library, wanted: arguments.bank, complaints)
        sources = banks.map { BankSource($0, library: library) }
        let folder = URL(filePath: InstalledFolder.find("Contracts", given: arguments.contracts))
        let suites = ContractFiles(folder: folder, stubs: URL(filePath: library.folder)).suites(complaints)
        var options = RunOptions(
            filters: arguments.filter, banks: arguments.bank, jobs: arguments.jobs, seed: arguments.seed ?? UInt64.random(in: 0..<1 << 32),
            repetitions: arguments.repetitions, failFast: arguments.failFast, today: TestPlan.today)
        let required = (arguments.require ?? "").split(separator: ",").map(String.init)
        for name in required where !suites.contains(where: { $0.name == name }) {
            let hint = nearestName(to: name, among: suites.map(\.name)).map { "; did you mean `\($0)`?" } ?? ""
            complaints.add(found: "the suite `\(name)`", expected: oneOf(suites.map(\.name)) + hint, at: Place(file: "--require"))
        }
        options.demands = Demands(
            level: ContractCase.Level(rawValue: arguments.level) ?? .must, maxUnsupported: arguments.maxUnsupported, require: required)
        if let path = arguments.knownFailing { options.knownFailing = TestPlan.knownFailing(path, complaints) }
        for suite in suites { suite.checkBanks(library.names, complaints) }
        let all = TestRun.instances(suites, on: banks.map { BankFacts($0.bank) }, complaints)
        guard complaints.errors.isEmpty else { throw ComplaintsError(complaints.errors) }
        instances = all.filter(options.selects)
        plans = try PlanLibrary(stubs: library.folder).plans(of: instances)
        // With --bank the others are not even loaded, and lines about them cannot be told from lines about nothing.
        unmatched = arguments.bank.isEmpty ? options.knownFailing.unmatched(among: all.map(\.name)) : []
        self.options = options
    }

    private static func load(_ library: BankLibrary, wanted: [String], _ complaints: Complaints) -> [LoadedBank] {
        let known = library.names
        if known.isEmpty {
            complaints.add(found: "no bank", expected: "folders with a bank.yaml (see --stubs)", at: Place(file: library.folder))
        }
        for name in wanted where !known.contains(name) {
            let hint = nearestName(to: name, among: known).map { "; did you mean `\($0)`?" } ?? ""
            complaints.add(found: "the bank `\(name)`", expected: oneOf(known) + hint, at: Place(file: library.folder))
        }
        return known.filter { wanted.isEmpty || wanted.contains($0) }.compactMap { name in
            do throws(ComplaintsError) { return try library.load(name) } catch {
                error.complaints.forEach(complaints.add)
                return nil
            }
        }
    }

    private static func knownFailing(_ path: String, _ complaints: Complaints) -> KnownFailing {
        guard let data = FileManager.default.contents(atPath: path) else {
            complaints.add(
                found: "a file that cannot be read", expected: "lines of `pattern  # reason, until 2027-01-01`", at: Place(file: path))
            return KnownFailing()
        }
        return KnownFailing(String(decoding: data, as: UTF8.self), file: path, complaints)
    }

    private static var today: CivilDate { Instant(seconds: Int64(Date.now.timeIntervalSince1970)).date }
}
