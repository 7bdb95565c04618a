import BankModel

extension ReportDocument {
    /// A text for users and the report's annotations, for a step of GitHub Actions.
    ///
    /// The runner looks for workflow commands in every line of a step, spaces before them or not, and for `##[…]` within lines (actions/runner,
    /// `ActionCommand.cs`): between the two lines about the report it looks for none.
    ///
    /// - Parameters:
    ///   - text: the text for users.
    ///   - word: what ends the silence; nobody may guess it.
    package func githubText(
        _ demands: Demands, text: String, unmatched: [KnownFailing.Line] = [], expired: [KnownFailing.Line] = [], word: String
    ) -> String {
        let annotations = githubAnnotations(demands, unmatched: unmatched, expired: expired)
        return "::stop-commands::\(word)\n\(text)::\(word)::\n" + annotations
    }

    /// The report as annotations of GitHub Actions, one workflow command a line; empty if there is nothing to report.
    ///
    /// One for each cause, with its first result as the example: GitHub shows ten of each kind for a step. A cause with a failure that counts
    /// is an error, one whose failures are all below the level (`should`) a warning; a known failure is a notice.
    package func githubAnnotations(_ demands: Demands, unmatched: [KnownFailing.Line] = [], expired: [KnownFailing.Line] = []) -> String {
        var lines = causes { $0.needsLooking || $0.platform == .shared }.compactMap { annotation($0, demands) }
        lines += results.compactMap(known)
        lines += unmatched.map {
            command("error", "known-failing line \($0.number)", "`\($0.pattern)` matches nothing")
        }
        lines += expired.map { command("warning", "known-failing line \($0.number)", $0.expiry) }
        lines += missing(demands.require).map { command("error", "suite \($0)", "the required suite `\($0)` was not exercised") }
        if let most = demands.maxUnsupported, count(.unsupported) > most {
            lines.append(command("error", "unsupported", "\(count(.unsupported)) unsupported, at most \(most) allowed"))
        }
        if let trouble { lines.append(command("error", "counterfoil", "no verdict: \(trouble)")) }
        return lines.map { $0 + "\n" }.joined()
    }

    private func annotation(_ reason: FailureReason, _ demands: Demands) -> String? {
        let own = reason.cases.flatMap(\.results).map { results[$0] }
        guard let result = own.first(where: { $0.level == .must }) ?? own.first else { return nil }
        let text = result.account(own.count > 1 ? reason.title : nil)
        let title = result.name + (own.count > 1 ? " and \(own.count - 1) more" : "")
        guard reason.verdict == .fail else { return command("error", "\(title): \(reason.verdict.rawValue)", text) }
        let counts = result.level == .must || demands.level == .should
        return command(counts ? "error" : "warning", title, text)
    }

    private func known(_ result: Result) -> String? {
        switch result.verdict {
        case .pass where result.known != nil: command("error", result.name, "a known failure passed: remove its line from the file")
        case .fail where result.isKnownFailure: command("notice", result.name, result.acceptance)
        default: nil
        }
    }

    /// A workflow command, escaped as the runner unescapes it (actions/toolkit, `command.ts`).
    private func command(_ level: String, _ title: String, _ text: String) -> String {
        "::\(level) title=\(percentEscaped(title, "%\r\n:,"))::\(percentEscaped(text, "%\r\n"))"
    }

    /// The text with these characters as `%` and two digits. Scalar by scalar: CR and LF together are one `Character`.
    private func percentEscaped(_ text: String, _ special: String) -> String {
        text.unicodeScalars.reduce(into: "") { out, scalar in
            if special.unicodeScalars.contains(scalar) {
                out += "%" + hexadecimal([UInt8(truncatingIfNeeded: scalar.value)]).uppercased()
            } else {
                out.unicodeScalars.append(scalar)
            }
        }
    }
}
