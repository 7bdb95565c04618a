import ArgumentParser
import BankFiles
import BankModel
import Contracts
import Foundation
import Harness
import Platform

/// The demands on a run besides its verdicts, and the failures that are announced.
struct DemandOptions: ParsableArguments {
    @Option(help: "File of known failures: lines of `pattern  # reason, until 2027-01-01`.")
    var knownFailing: String?

    @Option(help: "Suites that must be exercised, such as auth,pay.")
    var require: String?

    @Option(help: "Maximum number of unsupported cases.")
    var maxUnsupported: Int?

    @Option(help: "Maximum number of inconclusive cases; more end with exit code 3.")
    var maxInconclusive = 0

    @Option(help: "Lowest level at which failures count: must or should.")
    var level: String = ContractCase.Level.must.rawValue

    func validate() throws {
        guard maxUnsupported ?? 0 >= 0 else { throw ValidationError("found --max-unsupported \(maxUnsupported ?? 0), expected 0 or more") }
        guard maxInconclusive >= 0 else { throw ValidationError("found --max-inconclusive \(maxInconclusive), expected 0 or more") }
        guard ContractCase.Level(rawValue: level) != nil else { throw ValidationError("found --level \(level), expected must or should") }
    }

    /// The demands; those of the suites are names that nobody has looked up.
    var demands: Demands {
        Demands(
            level: ContractCase.Level(rawValue: level) ?? .must, maxUnsupported: maxUnsupported, maxInconclusive: maxInconclusive,
            require: (require ?? "").split(separator: ",").map(String.init))
    }

    /// Complains of required suites that there are not.
    func checkSuites(among suites: [String], _ complaints: Complaints) {
        for name in demands.require where !suites.contains(name) {
            let hint = didYouMean(name, among: suites)
            complaints.add(found: "the suite `\(name)`", expected: oneOf(suites) + hint, at: SourcePosition(file: "--require"))
        }
    }

    /// The failures that are announced; nil if there is no file of them, or it cannot be read.
    func announced(_ complaints: Complaints) -> KnownFailing? {
        guard let knownFailing else { return nil }
        do throws(UnreadFile) {
            let text = try String(ofFile: Disk.bytes(named: knownFailing, .settings))
            return KnownFailing(text, file: knownFailing, complaints)
        } catch {
            complaints.add(Complaint(error, file: knownFailing, expected: "lines of `pattern  # reason, until 2027-01-01`"))
            return nil
        }
    }

    /// The first option that checks a whole run and does not apply to a part of it; nil if none is given.
    var ofWholeRuns: String? {
        if require != nil { return "--require" }
        if maxUnsupported != nil { return "--max-unsupported" }
        return maxInconclusive != 0 ? "--max-inconclusive" : nil
    }
}

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
        let tryOut = try await plan.loaded.serving(instances, seed: plan.options.seed) { bank, folder in
            let run = TestRun(bank: bank, command: plan.command, options: plan.options, folder: folder)
            return await runningDrivers { await run.tryOutReport(instances, reads: .all) }
        }
        Output.results.write(tryOut.tryText)
        throw ExitCode(tryOut.trouble != nil || tryOut.tries.isEmpty ? 3 : tryOut.isAsExpected ? 0 : 1)
    }
}
