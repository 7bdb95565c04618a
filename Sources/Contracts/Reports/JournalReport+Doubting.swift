extension JournalReport {
    /// The same report, with the findings that a recording cannot prove as openFindings.
    ///
    /// - Parameter doubt: returns why a rule's finding, which names these exchanges, is not proved, and the change to the recording that
    ///   proves it; nil for what the rules already found.
    package func doubting(
        _ doubt: (_ rule: String, _ exchanges: [Int]) -> (reason: String, advice: String)?
    ) -> JournalReport {
        var report = self
        report.rules = rules.map { $0.doubting(doubt) }
        return report
    }
}

extension JournalReport.Outcome {
    fileprivate func doubting(_ doubt: (String, [Int]) -> (reason: String, advice: String)?) -> Self {
        var outcome = self
        outcome.violations = []
        outcome.openFindings = openFindings.map { open in
            doubt(id, open.finding.requests.map(\.number)).map { OpenFinding(open.finding, reason: $0.reason, advice: $0.advice) } ?? open
        }
        for violation in violations {
            if let (reason, advice) = doubt(id, violation.requests.map(\.number)) {
                outcome.openFindings.append(OpenFinding(violation, reason: reason, advice: advice))
            } else {
                outcome.violations.append(violation)
            }
        }
        if verdict == .fail, outcome.violations.isEmpty { outcome.verdict = outcome.openFindings.count < met ? .pass : .inconclusive }
        return outcome
    }
}
