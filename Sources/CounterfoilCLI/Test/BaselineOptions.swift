import ArgumentParser
import BankModel
import Contracts
import Foundation
import Harness

/// Which failures are the platform's: those that are shared by a client that is only the platform's HTTP stack.
struct BaselineOptions: ParsableArguments {
    @Option(
        help: "The driver of a baseline client that only wraps the platform's HTTP stack: failures that it shares are reported separately.")
    var baseline: String?

    @Flag(help: "With --baseline: failures that the baseline shares do not count.")
    var forgivePlatform = false

    func validate() throws {
        if forgivePlatform, baseline == nil {
            throw ValidationError("found --forgive-platform without --baseline, expected the driver of a baseline")
        }
        _ = try baseline.map { try DriverOptions.command(ofLoop: $0) }
    }

    /// Runs the baseline against the instances that the client failed, with the client's seed, and marks what both fail.
    ///
    /// A baseline that cannot be run is reported on standard error, and marks nothing.
    func compare(_ report: inout RunReport, _ test: TestRun, _ instances: [Instance], _ folder: URL) async {
        let failed = report.failed(of: instances)
        guard let baseline, !failed.isEmpty, report.trouble == nil,
            let command = try? DriverOptions.command(ofLoop: baseline)
        else { return }
        let progress = ProgressLine()
        let run = test.baseline(command, folder: folder.appending(path: "baseline")) { progress.show($0) }
        let found = await runningDrivers { await run.run(failed) }
        progress.clear()
        if let trouble = found.trouble {
            Output.errors.line("warning: no failure was compared with the baseline, because it could not be run: \(trouble)")
        } else {
            report.mark(sharedWith: found, as: forgivePlatform ? .forgiven : .shared)
        }
    }
}
