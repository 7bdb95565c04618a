import BankModel
import Contracts
import Foundation
import Harness

/// What `counterfoil test` is to do, all files read and checked.
struct TestPlan {
    let command: DriverCommand
    let options: RunOptions
    let loaded: LoadedContracts
    /// What is run.
    let instances: [Instance]
    /// The known-failing lines that match no instance at all.
    let unmatched: [KnownFailing.Line]

    /// Filters that fit no case of the banks, with what they may have meant.
    let idle: [String]

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
            let hint = nearestName(to: name, among: suites).map { "; did you mean `\($0)`?" } ?? ""
            complaints.add(found: "the suite `\(name)`", expected: oneOf(suites) + hint, at: Place(file: "--require"))
        }
        options.invariants = loaded.invariants
        options.demands = Demands(
            level: ContractCase.Level(rawValue: arguments.level) ?? .must, maxUnsupported: arguments.maxUnsupported, require: required)
        if let path = arguments.knownFailing { options.knownFailing = TestPlan.knownFailing(path, complaints) }
        guard complaints.errors.isEmpty else { throw ComplaintsError(complaints.errors) }
        instances = loaded.instances.filter(options.selects)
        idle = TestPlan.idle(arguments.filter, among: loaded.instances)
        // With --bank the others are not even loaded, and lines about them cannot be told from lines about nothing.
        unmatched = arguments.bank.isEmpty ? options.knownFailing.unmatched(among: loaded.names) : []
        self.options = options
    }

    /// What is to be said of filters that fit nothing: a misspelt one would let all its cases go unseen.
    static func idle(_ filters: [String], among instances: [Instance]) -> [String] {
        let known = Set(instances.flatMap { [$0.suite, $0.caseID] }).sorted()
        return filters.filter { filter in !instances.contains(where: RunOptions(filters: [filter], today: .today).selects) }.map { filter in
            let name = String(filter.prefix { !"@[*".contains($0) })
            let hint = nearestName(to: name, among: known).map { "; did you mean `\($0)`?" } ?? ""
            return "--filter: found `\(filter)`, which fits no case of the banks, expected a glob, a case's id or a suite\(hint)"
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
}

extension CivilDate {
    /// The machine's day, in UTC.
    static var today: CivilDate { Instant(seconds: Int64(Date.now.timeIntervalSince1970)).date }
}
