import BankModel
package import Contracts
package import Foundation

/// Runs mutants against the cases that must detect them.
package struct MutantHunt: Sendable {
    private let bank: any TestBank
    private let program: String
    private var options: RunOptions
    private let folder: URL

    /// - Parameters:
    ///   - program: the driver that acts as the mutant whose name is its only argument.
    ///   - options: seed, jobs and limits of each run. A case that has failed once is not run on.
    ///   - folder: where drivers may write.
    package init(bank: any TestBank, program: String, options: RunOptions, folder: URL) {
        self.bank = bank
        self.program = program
        self.options = options
        self.folder = folder
        // A mutant may fail at the first read; its cases must detect that.
        self.options.triesOut = false
    }

    /// Runs the mutants, four at once: most of their time is waiting.
    ///
    /// - Parameters:
    ///   - all: runs each against all other cases too, each of them in one combination on one bank, chosen by the seed.
    ///   - onOutcome: called after each, in the order in which they end.
    /// - Returns: the outcome of each, in the order of the mutants.
    package func run(
        _ mutants: [MutantRecord], _ instances: [Instance], all: Bool = false,
        onOutcome: (MutationReport.Outcome) -> Void = { _ in }
    ) async -> [MutationReport.Outcome] {
        var outcomes: [(index: Int, outcome: MutationReport.Outcome)] = []
        var waiting = mutants.enumerated().makeIterator()
        await ConcurrencyLimit(least: 4, most: 4).run(of: (Int, MutationReport.Outcome).self) {
            guard !Task.isCancelled, let (index, mutant) = waiting.next() else { return nil }
            let wanted = mutant.instances(of: instances, others: all, seed: options.seed)
            return { (index, MutationReport.Outcome(mutant, await run(mutant, wanted, label: "m\(index)-c"))) }
        } take: { index, outcome in
            outcomes.append((index, outcome))
            onOutcome(outcome)
        }
        return outcomes.sorted { $0.index < $1.index }.map(\.outcome)
    }

    private func run(_ mutant: MutantRecord, _ instances: [Instance], label: String) async -> RunReport {
        do throws(DriverCommandError) {
            var options = options
            options.endsCaseAtFailureOf = Set(mutant.killedBy)
            let command = try DriverCommand("\(RunReport.quoted(program)) \(RunReport.quoted(mutant.name))")
            let run = TestRun(bank: bank, command: command, options: options, folder: folder.appending(path: mutant.name), label: label)
            var report = await run.run(instances)
            // Only the verdicts are asked for: the evidence of a hundred mutants would fill the memory.
            for index in report.results.indices { report.results[index].evidence = Evidence() }
            return report
        } catch {
            return RunReport(client: mutant.name, command: program, seed: options.seed, trouble: "\(error)")
        }
    }
}

extension MutantRecord {
    /// The instances to run it against: all those of the cases that must kill it and of its control, with the first instance of
    /// each case at the front.
    ///
    /// - Parameter others: whether each other case is run too, in one instance of it that follows from the seed.
    package func instances(of all: [Instance], others: Bool, seed: UInt64) -> [Instance] {
        let byCase = Dictionary(grouping: all, by: \.caseID)
        let ids = distinct([control] + killedBy.map(MutantRecord.caseID))
        let own = ids.compactMap { byCase[$0] }
        let turns = (0..<(own.map(\.count).max() ?? 0)).flatMap { turn in own.compactMap { turn < $0.count ? $0[turn] : nil } }
        guard others else { return turns }
        let rest = byCase.keys.sorted().filter { !ids.contains($0) }
        return turns
            + rest.compactMap { id in
                guard let instances = byCase[id], !instances.isEmpty else { return nil }
                let number = SeededGenerator.hash(seed, "\(name) \(id)") % UInt64(instances.count)
                return instances[Int(number)]
            }
    }
}
