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

    package init(
        level: ContractCase.Level = .must, maxUnsupported: Int? = nil, maxInconclusive: Int = 0, require: [String] = []
    ) {
        self.level = level
        self.maxUnsupported = maxUnsupported
        self.maxInconclusive = maxInconclusive
        self.require = require
    }
}
