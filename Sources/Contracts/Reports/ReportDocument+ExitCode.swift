import BankModel

extension ReportDocument {
    /// The exit code by these demands, in the precedence 1, 3, 5, 4, 0: results without a verdict take nothing from a failure. A run that
    /// could not be made, or not to its end, has no verdict. `unmatched` are the known-failing lines that match no instance.
    package func exitCode(_ demands: Demands, unmatched: [KnownFailing.Line] = []) -> ExitCode {
        if trouble != nil { return .noVerdict }
        if countedFailures(demands.level) > 0 { return .failed }
        if count(.harnessError) > 0 || count(.inconclusive) > demands.maxInconclusive { return .noVerdict }
        if let most = demands.maxUnsupported, count(.unsupported) > most { return .failed }
        if !missing(demands.require).isEmpty { return .failed }
        if !unmatched.isEmpty || stale > 0 { return .staleKnownFailing }
        if count(.pass) + count(.fail) == 0 { return .nothingExercised }
        return .ok
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

    /// `exit 1: 210 failures (4 causes), 14 inconclusive, 3 harness errors`; nil if the run ends with 0.
    func ending(_ demands: Demands, unmatched: [KnownFailing.Line]) -> String? {
        let code = exitCode(demands, unmatched: unmatched)
        guard code != .ok else { return nil }
        var parts: [String] = trouble != nil ? ["the run did not finish"] : []
        let counting = countedFailures(demands.level)
        if counting > 0 {
            parts.append("\(counted(counting, "failure")) (\(counted(failures.count { $0.verdict == .fail }, "cause")))")
            let others = countedFailures(.should) - counting
            if others > 0 { parts.append("\(others) more at should") }
        }
        if count(.inconclusive) > demands.maxInconclusive { parts.append("\(count(.inconclusive)) inconclusive") }
        if count(.harnessError) > 0 { parts.append(counted(count(.harnessError), "harness error")) }
        if let most = demands.maxUnsupported, count(.unsupported) > most {
            parts.append("\(count(.unsupported)) unsupported, at most \(most) allowed")
        }
        parts += missing(demands.require).map { "the suite \($0) was not exercised" }
        if stale > 0 { parts.append("\(counted(stale, "known failure")) passed") }
        if !unmatched.isEmpty { parts.append("\(counted(unmatched.count, "known-failing line")) without a match") }
        if parts.isEmpty { parts.append("nothing was exercised") }
        return "exit \(code.rawValue): \(parts.joined(separator: ", "))"
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
