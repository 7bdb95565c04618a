package import BankModel

extension ReportDocument {
    /// Runs as a report of GitLab's code quality: an issue for each case that failed, `major` at `must`, `minor` at `should`, and `info` if it
    /// is known to fail.
    package static func gitLab(of runs: [ReportDocument]) -> JSON {
        .array(runs.flatMap { run in run.caseFailures.map { $0.gitLabIssue(client: runs.count > 1 ? run.client.inOneLine : nil) } })
    }
}

extension CaseFailure {
    /// - Parameter client: the client, where the report is of several.
    fileprivate func gitLabIssue(client: String?) -> JSON {
        let who = client.map { "\($0): " } ?? ""
        return [
            "description": .string("\(who)\(title): \((example.headline ?? "").inOneLine)"), "check_name": .string(example.caseID),
            "fingerprint": .string("counterfoil/\(who)\(example.caseID)"),
            "severity": example.isKnownFailure ? "info" : example.level == .must ? "major" : "minor",
            "location": ["path": .string(position.path), "lines": ["begin": .int(position.line)]],
        ]
    }
}
