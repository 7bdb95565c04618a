package import BankModel

extension ReportDocument {
    /// Runs as a SARIF 2.1.0 log (OASIS, 2020): a rule and a result for each case that failed, an error at `must` and a warning at `should`.
    /// A known failure is suppressed, with its reason. A result without a verdict on the client is a notification of the run.
    package static func sarif(of runs: [ReportDocument]) -> JSON {
        [
            "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", "version": "2.1.0",
            "runs": .array(runs.map { $0.sarifRun(isOneOfMany: runs.count > 1) }),
        ]
    }

    private func sarifRun(isOneOfMany: Bool) -> JSON {
        let failures = caseFailures
        var driver = JSONObject([("name", "Counterfoil"), ("rules", .array(failures.map(\.sarifRule)))])
        driver["version"] = origin.version.map { .string($0.inOneLine) }
        let unjudged = results.filter { $0.needsLooking && $0.verdict != .fail && !$0.isExcused }
        let notes = [trouble.map { "no verdict: \($0)".inOneLine }].compactMap(\.self) + unjudged.map { shown($0.account($0.name)) }
        var invocation = JSONObject([("executionSuccessful", .bool(trouble == nil))])
        invocation["startTimeUtc"] = origin.started.map { .string($0.rfc3339()) }
        invocation["toolExecutionNotifications"] = .array(notes.map { ["level": "error", "message": ["text": .string($0)]] })
        var run = JSONObject([
            ("tool", ["driver": .object(driver)]), ("invocations", [.object(invocation)]),
            ("results", .array(failures.enumerated().map { $1.sarifResult($0) })),
        ])
        // Without it, a code host takes the results of one client for those of another.
        run["automationDetails"] = isOneOfMany ? ["id": .string("counterfoil/\(client.inOneLine)/")] : nil
        return .object(run)
    }

    /// Runs as a report of GitLab's code quality: an issue for each case that failed, `major` at `must`, `minor` at `should`, and `info` if it
    /// is known to fail.
    package static func gitLab(of runs: [ReportDocument]) -> JSON {
        .array(runs.flatMap { run in run.caseFailures.map { $0.gitLabIssue(client: runs.count > 1 ? run.client.inOneLine : nil) } })
    }
}

/// The lines without control characters.
private func shown(_ lines: String) -> String { lines.split(separator: "\n").map { String($0).inOneLine }.joined(separator: "\n") }

extension CaseFailure {
    private var sarifLevel: JSON { example.level == .must ? "error" : "warning" }

    fileprivate var sarifRule: JSON {
        let why = example.why.inOneLine
        let end = [" (", "; ", ": ", ". "].compactMap { why.firstRange(of: $0)?.lowerBound }.min() ?? why.endIndex
        let source = example.source.map { " Source: \($0)." } ?? ""
        let id: JSON = .string(example.caseID)
        let help = "\(why)\(source.inOneLine) `counterfoil test --explain \(example.caseID)` shows the case."
        var rule = JSONObject([
            ("id", id), ("shortDescription", ["text": .string(String(why[..<end]))]), ("fullDescription", ["text": .string(why)]),
            ("help", ["text": .string(help)]), ("defaultConfiguration", ["level": sarifLevel]),
        ])
        rule["helpUri"] = example.source.flatMap(SourceAddress.link).map(JSON.string)
        return .object(rule)
    }

    /// - Parameter number: of the rule among those of the run.
    fileprivate func sarifResult(_ number: Int) -> JSON {
        let uri = position.path.split(separator: "/").map { percentEncoded(String($0)) }.joined(separator: "/")
        let location: JSON = [
            "physicalLocation": [
                "artifactLocation": ["uri": .string(uri)], "region": ["startLine": .int(position.line)],
            ]
        ]
        // GitHub compares results by the second one only.
        let prints: JSON = ["case/v1": .string(example.caseID), "primaryLocationLineHash": .string("\(example.caseID):1")]
        var result = JSONObject([
            ("ruleId", .string(example.caseID)), ("ruleIndex", .int(number)), ("level", example.isKnownFailure ? "note" : sarifLevel),
            ("message", ["text": .string(shown(example.account(title)))]), ("locations", [location]), ("partialFingerprints", prints),
        ])
        if example.isKnownFailure {
            result["suppressions"] = [["kind": "external", "justification": .string(example.acceptance.inOneLine)]]
        }
        return .object(result)
    }

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
