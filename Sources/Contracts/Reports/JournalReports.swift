import BankModel

/// The reports on the sessions of one client or of many, judged together: on one server or several. The report of a single session
/// stays as it is.
package struct JournalReports: Sendable {
    package let reports: [JournalReport]

    package init(_ reports: [JournalReport]) { self.reports = reports }

    private var only: JournalReport? { reports.count == 1 ? reports.first : nil }

    /// The suites of which no rule was exercised in any session.
    package func missing(_ required: [String]) -> [String] {
        required.filter { suite in reports.allSatisfy { !$0.missing([suite]).isEmpty } }
    }

    /// The exit code of all sessions together, in the precedence of one: 3, 1, 4, 0.
    ///
    /// A suite is required of all of them together. A session in which nothing was exercised fails no others.
    package func exitCode(require: [String] = []) -> ExitCode {
        if let only { return only.exitCode(require: require) }
        let codes = reports.map { $0.exitCode() }
        if reports.contains(where: { $0.dropped > 0 }) { return .noVerdict }
        if codes.contains(.failed) || !missing(require).isEmpty { return .failed }
        return [.ok, .noVerdict].first(where: codes.contains) ?? .nothingExercised
    }

    /// The end of it, for people: each session's text, then the suites that no session has exercised, then one line.
    package func text(require: [String] = []) -> String {
        if let only { return only.text(require: require) }
        var parts = reports.map { $0.text() }
        parts += missing(require).map { "the required suite `\($0)` has no verdict in any session\n" }
        let failed = reports.filter { $0.exitCode() == .failed }.map(\.session)
        parts.append(
            counted(reports.count, "session") + ", \(counted(reports.reduce(0) { $0 + $1.exchanges }, "exchange")): "
                + (failed.isEmpty ? "no rule was broken\n" : "rules were broken in \(failed.joined(separator: ", "))\n"))
        return parts.joined(separator: "\n")
    }

    /// One report of all, whose results name their session.
    ///
    /// - Parameters:
    ///   - command: returns the command line that judges a session again, by its id.
    ///   - duration: for how long the sessions were watched, in milliseconds.
    package func document(command: (String) -> String, duration: Int64) -> ReportDocument {
        if let only { return only.document(command: command(only.session), duration: duration) }
        return ReportDocument(
            client: counted(reports.count, "session"), command: command(reports.first?.session ?? ""), seed: 0, duration: duration,
            trouble: nil,
            results: reports.flatMap { report in
                report.results(
                    command: command(report.session), parameters: [Parameter(key: "session", value: report.session)])
            }
        ).bounded
    }
}
