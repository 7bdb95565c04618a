/// With what a contract run ends.
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
    /// Failures below this level are shown and do not count.
    package var level: ContractCase.Level
    /// How many instances may be unsupported; nil means any number.
    package var maxUnsupported: Int?
    /// How many instances may be inconclusive before the run as a whole has no verdict.
    package var maxInconclusive: Int
    /// Suites of which at least one instance must be passed or failed.
    package var require: [String]

    package init(
        level: ContractCase.Level = .must, maxUnsupported: Int? = nil, maxInconclusive: Int = 0, require: [String] = []
    ) {
        self.level = level
        self.maxUnsupported = maxUnsupported
        self.maxInconclusive = maxInconclusive
        self.require = require
    }
}

extension RunReport {
    /// The failures that count: announced ones and those below the level do not.
    package func failures(_ level: ContractCase.Level) -> [InstanceResult] {
        results.filter { $0.judgement.verdict == .fail && $0.known == nil && ($0.instance.level == .must || level == .should) }
    }

    /// The required suites of which nothing was exercised.
    package func missing(_ required: [String]) -> [String] {
        required.filter { suite in
            !results.contains { $0.instance.suite == suite && [.pass, .fail].contains($0.judgement.verdict) }
        }
    }

    /// The exit code, in the precedence 3, 1, 5, 4, 0 (2 is told before anything runs).
    ///
    /// - Parameter unmatched: the known-failing lines that match no instance.
    package func exitCode(_ demands: Demands, unmatched: [KnownFailing.Line] = []) -> ExitCode {
        let verdicts = results.map(\.judgement.verdict)
        if trouble != nil || verdicts.contains(.harnessError) || count(.inconclusive) > demands.maxInconclusive { return .noVerdict }
        if !failures(demands.level).isEmpty { return .failed }
        if let most = demands.maxUnsupported, count(.unsupported) > most { return .failed }
        if !missing(demands.require).isEmpty { return .failed }
        if !unmatched.isEmpty || results.contains(where: { $0.judgement.verdict == .pass && $0.known != nil }) { return .staleKnownFailing }
        if !verdicts.contains(.pass), !verdicts.contains(.fail) { return .nothingExercised }
        return .ok
    }
}
