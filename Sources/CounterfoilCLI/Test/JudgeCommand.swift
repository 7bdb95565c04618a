import ArgumentParser
import BankModel
import Contracts
import Foundation

/// Judges an app that is used by hand, or by its own UI tests, from the journal of a running server's session.
struct JudgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "judge",
        abstract: "Judge an app that uses a running server, from the session's journal alone.",
        discussion: """
            Example: counterfoil judge --session roundup --until-quiet --require auth
            Point the app at the session's address and use it; verdicts are told as they fall. Ctrl-C, --for or --until-quiet ends
            it. Only what a journal can show is judged: what the app's person meant is not in it, and a rule that the app never
            came to is not exercised.
            Exit codes: 0 all that was exercised passed, 1 a rule was broken or a required suite not exercised, 2 wrong usage, or
            the server cannot be reached, 3 the journal had to drop exchanges, 4 nothing was exercised.
            """)

    @OptionGroup var options: SessionOptions

    @Option(help: "Only the rules of these suites, such as auth,pay.")
    var suites: String?

    @Option(help: "Suites of which a rule must have been exercised, such as auth,pay.")
    var require: String?

    @Option(help: "How long no request may come for the session to be quiet, such as 2s.", transform: readDuration)
    var quiet: Duration = .seconds(2)

    @Flag(help: "End once requests have come and the session is quiet.")
    var untilQuiet = false

    @Option(name: .customLong("for"), help: "End after this time, such as 30s.", transform: readDuration)
    var limit: Duration?

    @Option(help: "Write the report as JSON to this file.")
    var json: String?

    @Option(help: "Write the report as JUnit XML to this file.")
    var junit: String?

    @Option(help: "Write the report as one HTML page to this file.")
    var html: String?

    func validate() throws {
        for suite in names(require) + names(suites) where !AttachedRule.suites.contains(suite) {
            throw ValidationError(
                "found the suite `\(suite)`, expected of \(AttachedRule.suites.joined(separator: ", ")): no other can be judged by a journal"
            )
        }
    }

    func run() async throws {
        let began = ContinuousClock.now
        try await options.admin.telling {
            let watched = await interruptible { await watch() }
            let report = try watched.get()
            Output.results.write((Output.results.isTerminal ? "\n" : "") + report.text(require: names(require)))
            let duration = (ContinuousClock.now - began).nanoseconds / 1_000_000
            let document = report.document(command: "counterfoil judge --session \(RunReport.quoted(options.session))", duration: duration)
            try ReportFiles(junit: junit, json: json, html: html).write([document])
            let code = report.exitCode(require: names(require))
            if code != .ok { throw ExitCode(code.rawValue) }
        }
    }

    /// Asks for the verdict until the end, and tells what is new.
    private func watch() async -> Result<AttachedReport, any Error> {
        let clock = ContinuousClock()
        let began = clock.now
        var last: AttachedReport?
        var changed = began
        while true {
            do {
                // Asked in a task of its own: Ctrl-C ends the waiting, and not the last look at the journal.
                let report = try await Task { try await verdict() }.value
                if report.exchanges != last?.exchanges || report.underWay > 0 { changed = clock.now }
                report.news(since: last).forEach(Output.errors.line)
                last = report
                let now = clock.now
                let isOver = limit.map { now - began >= $0 } ?? false
                if Task.isCancelled || isOver || (untilQuiet && report.exchanges > 0 && now - changed >= quiet) { return .success(report) }
            } catch {
                return .failure(error)
            }
            try? await Task.sleep(for: .milliseconds(250))
        }
    }

    private func verdict() async throws -> AttachedReport {
        try AttachedReport(json: await options.get("/verdict?suites=\(names(suites).joined(separator: ","))"))
    }

    private func names(_ list: String?) -> [String] { (list ?? "").split(separator: ",").map(String.init) }
}

/// A time of the command line, such as `30s`.
@Sendable private func readDuration(_ text: String) throws -> Duration {
    guard let duration = Duration(text: text) else {
        throw ValidationError("found the time `\(text)`, expected one such as 250ms, 2s or 5m")
    }
    return duration
}
