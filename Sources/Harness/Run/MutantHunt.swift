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

    /// Runs the mutants one after the other.
    ///
    /// - Parameters:
    ///   - all: runs each against every instance, not against those alone that must tell it and its control.
    ///   - told: called after each.
    package func run(
        _ mutants: [Mutant], _ instances: [Instance], all: Bool = false, told: (MutationReport.Outcome) -> Void = { _ in }
    ) async -> [MutationReport.Outcome] {
        var outcomes: [MutationReport.Outcome] = []
        for mutant in mutants where !Task.isCancelled {
            let wanted = all ? instances : instances.filter { mutant.killedBy.contains($0.caseID) || mutant.control == $0.caseID }
            let outcome = MutationReport.Outcome(mutant, await run(mutant, wanted))
            outcomes.append(outcome)
            told(outcome)
        }
        return outcomes
    }

    private func run(_ mutant: Mutant, _ instances: [Instance]) async -> RunReport {
        do throws(DriverCommandError) {
            let command = try DriverCommand("\(RunReport.quoted(program)) \(RunReport.quoted(mutant.name))")
            let run = TestRun(bank: bank, command: command, options: options, folder: folder.appending(path: mutant.name))
            return await run.run(instances)
        } catch {
            return RunReport(client: mutant.name, command: program, seed: options.seed, trouble: "\(error)")
        }
    }
}
