import BankModel

extension ReportDocument {
    /// The exit code by these demands: results without a verdict take nothing from a failure. A run that could not be made, or not to its
    /// end, has no verdict. `unmatched` are the known-failing lines that match no instance.
    package func exitCode(_ demands: Demands, unmatched: [KnownFailing.Line] = []) -> ExitCode {
        shortfalls(demands, unmatched).first?.code ?? .ok
    }

    /// What keeps the run from ending with 0; the first decides the exit code.
    private func shortfalls(_ demands: Demands, _ unmatched: [KnownFailing.Line]) -> [(code: ExitCode, text: String)] {
        var found: [(code: ExitCode, text: String)] = []
        if trouble != nil { found.append((.noVerdict, "the run did not finish")) }
        let counting = countedFailures(demands.level)
        if counting > 0 {
            found.append((.failed, "\(counted(counting, "failure")) (\(counted(failures.count { $0.verdict == .fail }, "cause")))"))
            let others = countedFailures(.should) - counting
            if others > 0 { found.append((.failed, "\(others) more at should")) }
        }
        if count(.inconclusive) > demands.maxInconclusive { found.append((.noVerdict, "\(count(.inconclusive)) inconclusive")) }
        if count(.harnessError) > 0 { found.append((.noVerdict, counted(count(.harnessError), "harness error"))) }
        if let most = demands.maxUnsupported, count(.unsupported) > most {
            found.append((.failed, "\(count(.unsupported)) unsupported, at most \(most) allowed"))
        }
        for suite in missing(demands.require) { found.append((.failed, "the suite \(suite) was not exercised")) }
        if stale > 0 { found.append((.staleKnownFailing, "\(counted(stale, "known failure")) passed")) }
        if !unmatched.isEmpty {
            found.append((.staleKnownFailing, "\(counted(unmatched.count, "known-failing line")) without a match"))
        }
        if found.isEmpty, count(.pass) + count(.fail) == 0 { found.append((.nothingExercised, "nothing was exercised")) }
        return found
    }

    /// The number of failures that count: known ones and those below the level do not.
    private func countedFailures(_ level: ContractCase.Level) -> Int {
        results.count { $0.verdict == .fail && !$0.isKnownFailure && ($0.level == .must || level == .should) }
    }

    /// The required suites of which nothing was exercised.
    func missing(_ required: [String]) -> [String] {
        required.filter { suite in !results.contains { $0.suite == suite && [.pass, .fail].contains($0.verdict) } }
    }

    /// How many known failures passed.
    private var stale: Int { results.count { $0.verdict == .pass && $0.known != nil } }

    /// The run with the reason for its exit code, which the HTML page shows, and JUnit where no result fails.
    package func evaluated(_ demands: Demands, unmatched: [KnownFailing.Line]) -> ReportDocument {
        var document = self
        document.exitReason = ending(demands, unmatched: unmatched)
        return document
    }

    /// `exit 1: 210 failures (4 causes), 14 inconclusive, 3 harness errors`; nil if the run ends with 0.
    func ending(_ demands: Demands, unmatched: [KnownFailing.Line]) -> String? {
        let shortfalls = shortfalls(demands, unmatched)
        return shortfalls.first.map { "exit \($0.code.rawValue): \(shortfalls.map(\.text).joined(separator: ", "))" }
    }
}

/// The exit code of a contract run.
package enum ExitCode: Int32, Sendable {
    case ok = 0
    /// A `must` failed, too much was unsupported, or a required suite was not exercised.
    case failed = 1
    /// Usage, or files that cannot be read.
    case usage = 2
    /// A harness error, or more inconclusive instances than allowed.
    case noVerdict = 3
    /// Nothing was exercised.
    case nothingExercised = 4
    /// A known failure passed, or a known-failing line matches nothing.
    case staleKnownFailing = 5
}

/// The demands on a run besides its verdicts.
package struct Demands: Sendable, Hashable {
    /// Failures below this level are shown but do not count.
    package var level: ContractCase.Level
    /// How many instances may be unsupported; nil means any number.
    package var maxUnsupported: Int?
    /// How many instances may be inconclusive before the run as a whole has no verdict.
    package var maxInconclusive: Int
    /// Suites of which at least one instance must be passed or failed.
    package var require: [String]

    package init(level: ContractCase.Level = .must, maxUnsupported: Int? = nil, maxInconclusive: Int = 0, require: [String] = []) {
        self.level = level
        self.maxUnsupported = maxUnsupported
        self.maxInconclusive = maxInconclusive
        self.require = require
    }
}
