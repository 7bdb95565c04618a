import ArgumentParser
import BankModel
import Contracts
import Foundation
import Harness

/// The work of `counterfoil test`, with all files read and checked.
struct TestPlan {
    let command: DriverCommand
    let options: RunOptions
    let loaded: LoadedContracts
    private let banks: [String]
    /// The selected cases, and complaints about the selection.
    let choice: TestChoice
    /// The file with the names of failed cases.
    let memory: LastFailed

    /// The known-failing lines that match no instance at all.
    var unmatched: [KnownFailing.Line] {
        // With --bank the others are not even loaded, so lines about them look like lines about nothing.
        banks.isEmpty ? options.knownFailing.unmatched(among: loaded.names) : []
    }

    /// The known-failing lines whose last day has passed.
    var expired: [KnownFailing.Line] { options.knownFailing.expired(on: options.today) }

    /// - Throws: every fault of banks, contracts and the known-failing file, at once.
    init(_ arguments: TestCommand) throws {
        let complaints = Complaints()
        command = try arguments.driver.command()
        let folders = arguments.folders
        banks = arguments.bank
        loaded = LoadedContracts(stubs: folders.stubs, contracts: folders.contracts, banks: banks, complaints)
        var options = RunOptions(
            jobs: arguments.jobs ?? TryOptions.jobs, seed: arguments.seed ?? UInt64.random(in: 0..<1 << 32),
            repetitions: arguments.repetitions, failFast: arguments.failFast, today: CivilDate.today)
        if arguments.jobs == nil { options.jobsInOneProcess = TryOptions.jobsInOneProcess }
        options.processPerCase = arguments.trying.processPerCase
        arguments.demands.checkSuites(among: loaded.suites.map(\.name), complaints)
        options.invariants = loaded.invariants
        options.demands = arguments.demands.demands
        options.knownFailing = arguments.demands.announced(complaints) ?? KnownFailing()
        guard complaints.errors.isEmpty else { throw ComplaintsError(complaints.errors) }
        memory = LastFailed(contracts: InstalledFolder.find("Contracts", given: folders.contracts))
        choice = try TestChoice(loaded, banks: banks, filters: arguments.filter, arguments.choice, memory: memory)
        self.options = options
    }
}

extension CivilDate {
    /// The machine's day, in UTC.
    static var today: CivilDate { Instant(seconds: Int64(Date.now.timeIntervalSince1970)).date }
}
