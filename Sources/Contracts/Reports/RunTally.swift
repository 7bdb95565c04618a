/// The part of a run that decides its exit code, of a run that was just made and of one that is read from a report.
package struct RunTally: Sendable, Hashable {
    /// One result.
    package struct Entry: Sendable, Hashable {
        var verdict: Verdict
        var level: ContractCase.Level
        var suite: String
        /// Whether a line of the known-failing file covers it, or it is forgiven as the platform's.
        var isKnown: Bool
    }

    var entries: [Entry]
    /// Whether the run could not be made, or not to its end.
    var hasTrouble: Bool

    func count(_ verdict: Verdict) -> Int { entries.count { $0.verdict == verdict } }

    /// Whether there is a failure that counts: announced ones and those below the level do not.
    func hasFailures(_ level: ContractCase.Level) -> Bool {
        entries.contains { $0.verdict == .fail && !$0.isKnown && ($0.level == .must || level == .should) }
    }

    /// The required suites of which nothing was exercised.
    func missing(_ required: [String]) -> [String] {
        required.filter { suite in !entries.contains { $0.suite == suite && [.pass, .fail].contains($0.verdict) } }
    }

    /// The exit code, in the precedence 3, 1, 5, 4, 0 (2 is told before anything runs).
    ///
    /// - Parameter unmatched: the known-failing lines that match no instance.
    func exitCode(_ demands: Demands, unmatched: [KnownFailing.Line]) -> ExitCode {
        if hasTrouble || count(.harnessError) > 0 || count(.inconclusive) > demands.maxInconclusive { return .noVerdict }
        if hasFailures(demands.level) { return .failed }
        if let most = demands.maxUnsupported, count(.unsupported) > most { return .failed }
        if !missing(demands.require).isEmpty { return .failed }
        if !unmatched.isEmpty || entries.contains(where: { $0.verdict == .pass && $0.isKnown }) { return .staleKnownFailing }
        if count(.pass) + count(.fail) == 0 { return .nothingExercised }
        return .ok
    }
}

extension RunReport {
    var tally: RunTally {
        RunTally(
            entries: results.map {
                RunTally.Entry(
                    verdict: $0.judgement.verdict, level: $0.instance.level, suite: $0.instance.suite,
                    isKnown: $0.known != nil || $0.isKnownFailure)
            }, hasTrouble: trouble != nil)
    }

    /// The required suites of which nothing was exercised.
    package func missing(_ required: [String]) -> [String] { tally.missing(required) }

    /// The exit code, in the precedence 3, 1, 5, 4, 0 (2 is told before anything runs).
    ///
    /// - Parameter unmatched: the known-failing lines that match no instance.
    package func exitCode(_ demands: Demands, unmatched: [KnownFailing.Line] = []) -> ExitCode {
        tally.exitCode(demands, unmatched: unmatched)
    }
}

extension ReportDocument {
    var tally: RunTally {
        RunTally(
            entries: results.map {
                RunTally.Entry(verdict: $0.verdict, level: $0.level, suite: $0.suite, isKnown: $0.known != nil || $0.isKnownFailure)
            },
            hasTrouble: trouble != nil)
    }

    /// The exit code of the run by these demands, as that of `counterfoil test`.
    ///
    /// - Parameter unmatched: the known-failing lines that match no instance.
    package func exitCode(_ demands: Demands, unmatched: [KnownFailing.Line] = []) -> ExitCode {
        tally.exitCode(demands, unmatched: unmatched)
    }
}
