extension ReportDocument {
    /// Workflow commands that GitHub shows beside a run: one line for each result that is no pass, none for what the client
    /// has not (https://docs.github.com/actions/reference/workflow-commands-for-github-actions).
    package var githubAnnotations: String {
        var lines = results.compactMap(annotation)
        if let trouble { lines.append("::error title=\(property("counterfoil"))::\(data("the run could not be made: \(trouble)"))") }
        return lines.map { $0 + "\n" }.joined()
    }

    private func annotation(_ result: Result) -> String? {
        let kind: String
        switch result.verdict {
        case .fail where result.isKnownFailure: kind = "notice"
        case .fail where result.level == .should: kind = "warning"
        case .fail, .inconclusive, .harnessError: kind = "error"
        case .pass, .unsupported, .notExercised: return nil
        }
        var text = [result.why] + result.reasons.map { "expected \($0.expected); seen \($0.seen)" }
        if let known = result.known { text.append("known: \(known.reason), until \(known.until)") }
        text.append("again: \(result.again)")
        return "::\(kind) title=\(property("\(result.verdict.rawValue): \(result.name)"))::\(data(text.joined(separator: "\n")))"
    }

    private func data(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }

    private func property(_ text: String) -> String { data(text).replacing(":", with: "%3A").replacing(",", with: "%2C") }
}
