import ArgumentParser
import Foundation
import Harness

/// How a client is tried before it is judged, and how many of its processes there are.
struct TryOptions: ParsableArguments {
    @Flag(name: .customLong("try"), help: "Run no case; compare the displayed data of each bank with the expected results.")
    var showsViews = false

    @Flag(help: "Start a process for each case, for a client that keeps state in memory between cases.")
    var processPerCase = false

    /// How many cases at once by default: most of their time is waiting, but a driver's start is work. Measured on 2 busy cores with
    /// a driver in Python: 12.8 s, 9.3 s and 11.8 s for 4, 8 and 16 at once.
    static var jobs: Int { max(4, min(16, 4 * ProcessInfo.processInfo.activeProcessorCount)) }

    /// How many cases at once by default, at most, of a driver that takes them in one process (docs/decisions/measured.md).
    static var jobsInOneProcess: Int { max(16, min(64, 16 * ProcessInfo.processInfo.activeProcessorCount)) }
}

extension TestCommand {
    /// Shows the views of each bank beside the expected ones; runs no case.
    ///
    /// - Throws: the exit code: 0 if all is as expected, 1 if not, 3 if the driver cannot be used.
    func showViews(_ plan: TestPlan) async throws -> Never {
        let instances = plan.choice.instances
        let look = try await plan.loaded.serving(instances, seed: plan.options.seed) { bank, folder in
            let run = TestRun(bank: bank, command: plan.command, options: plan.options, folder: folder)
            return await runningDrivers { await run.firstLook(instances, reads: .all) }
        }
        Output.results.write(look.tryText)
        throw ExitCode(look.trouble != nil || look.tries.isEmpty ? 3 : look.isAsExpected ? 0 : 1)
    }
}
