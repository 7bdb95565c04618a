package import Contracts
package import Foundation

/// Runs mutants against the cases that must tell them.
package struct MutantHunt: Sendable {
    private let bank: any TestBank
    private let program: String
    private let options: RunOptions
    private let folder: URL

    /// - Parameters:
    ///   - program: what drives as the mutant whose name is its only argument.
    ///   - options: seed, jobs and limits of each run; its filters are not looked at.
    ///   - folder: where drivers may write.
    package init(bank: any TestBank, program: String, options: RunOptions, folder: URL) {
        (self.bank, self.program, self.options, self.folder) = (bank, program, options, folder)
    }

    /// Runs the mutants, several at once: most of their time is waiting.
    ///
    /// - Parameters:
    ///   - atOnce: how many.
    ///   - all: runs each against every instance, not against those alone that must tell it and its control.
    ///   - told: called after each, in the order in which they end.
    /// - Returns: what came of each, in the order of the mutants.
    package func run(
        _ mutants: [Mutant], _ instances: [Instance], atOnce: Int = 4, all: Bool = false, told: (MutationReport.Outcome) -> Void = { _ in }
    ) async -> [MutationReport.Outcome] {
        var outcomes: [(index: Int, outcome: MutationReport.Outcome)] = []
        await withTaskGroup(of: (Int, MutationReport.Outcome).self) { group in
            var waiting = mutants.enumerated().makeIterator()
            func next() {
                guard !Task.isCancelled, let (index, mutant) = waiting.next() else { return }
                let wanted = all ? instances : instances.filter { mutant.killedBy.contains($0.caseID) || mutant.control == $0.caseID }
                group.addTask { (index, MutationReport.Outcome(mutant, await run(mutant, wanted, label: "m\(index)-c"))) }
            }
            for _ in 0..<atOnce { next() }
            while let (index, outcome) = await group.next() {
                outcomes.append((index, outcome))
                told(outcome)
                next()
            }
        }
        return outcomes.sorted { $0.index < $1.index }.map(\.outcome)
    }

    private func run(_ mutant: Mutant, _ instances: [Instance], label: String) async -> RunReport {
        do throws(DriverCommandError) {
            let command = try DriverCommand("\(RunReport.quoted(program)) \(RunReport.quoted(mutant.name))")
            let run = TestRun(bank: bank, command: command, options: options, folder: folder.appending(path: mutant.name), label: label)
            return await run.run(instances)
        } catch {
            return RunReport(client: mutant.name, command: program, seed: options.seed, trouble: "\(error)")
        }
    }
}
