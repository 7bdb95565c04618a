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
            Point the app at the session's address and use it; verdicts are printed as they change. Ctrl-C, --for or --until-quiet \
            ends the command. Only the journal is judged: it does not contain the customer's intent. A rule without a matching \
            request is not exercised; one that the journal cannot decide is inconclusive. `counterfoil session reset` starts over.
            Exit codes: 0 no rule was broken, 1 a rule was broken or a required suite has no verdict, 2 wrong usage, or the server \
            cannot be reached, 3 the journal dropped entries, or every exercised rule is inconclusive, or the server ended, \
            4 nothing was exercised.
            """)

    @OptionGroup var options: SessionOptions

    @Option(help: "Only the rules of these suites, such as auth,pay.")
    var suites: String = ""

    @Option(help: "Suites of which a rule must have been exercised, such as auth,pay.")
    var require: String = ""

    @Option(help: "The session is quiet after this time without a request, such as 2s.", transform: readDuration)
    var quiet: Duration = .seconds(2)

    @Flag(help: "End when the session is quiet after its first request.")
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
        do {
            let suites = try AttachedRule.suites(named: self.suites)
            for name in try AttachedRule.suites(named: require) where !suites.isEmpty && !suites.contains(name) {
                throw ValidationError("found --require \(name), expected a suite selected by --suites: \(oneOf(suites))")
            }
        } catch let error as UnknownSuiteError {
            throw ValidationError("\(error)")
        }
    }

    func run() async throws {
        let began = ContinuousClock.now
        let origin = ReportDocument.Origin.here
        let files = ReportOutputs(junit: junit, json: json, html: html)
        try files.check()
        let required = try AttachedRule.suites(named: require)
        try await options.telling { session in
            let address = try await session.get("")["base_url"]?.string ?? ""
            Output.errors.line("judging the client at \(address) (session \(session.name))" + (endsByItself ? "" : "; Ctrl-C ends it"))
            let (report, failure) = try await interruptible { await watch(session) }.get()
            Output.report.write((Output.report.isTerminal ? "\n" : "") + report.text(require: required))
            if let failure { Output.errors.error("the server stopped before the judgement was complete: \(failure)") }
            let duration = (ContinuousClock.now - began).nanoseconds / 1_000_000
            var document = report.document(command: "counterfoil judge --session \(RunReport.quoted(session.name))", duration: duration)
            document.origin = origin
            try files.write([document])
            let code = failure == nil ? report.exitCode(require: required) : .noVerdict
            if code != .ok { throw ExitCode(code.rawValue) }
        }
    }

    private var endsByItself: Bool { untilQuiet || limit != nil }

    /// Asks for the verdict until the end, and tells what is new.
    ///
    /// - Returns: the last verdict, and why there is no later one if the server ended first; a failure if there is none at all.
    private func watch(_ session: ServedSession) async -> Result<(report: AttachedReport, failure: AdminFailure?), any Error> {
        let clock = ContinuousClock()
        let began = clock.now
        let live = LiveVerdict(output: .errors)
        var last: AttachedReport?
        var changed = began
        var pause = Duration.zero
        defer { live.clear() }
        while true {
            do {
                let asked = clock.now
                // Asked in a task of its own: Ctrl-C ends the waiting, and not the last look at the journal.
                let report = try await Task { try await verdict(session) }.value
                if report.isLater(than: last) { changed = clock.now }
                live.show(report, since: last)
                last = report
                let now = clock.now
                let isOver = limit.map { now - began >= $0 } ?? false
                let isQuiet = untilQuiet && report.exchanges > 0 && now - changed >= quiet
                if Task.isCancelled || isOver || isQuiet { return .success((report, nil)) }
                // A long journal takes its time to judge: the server is to have most of its own for the client.
                pause = max(.milliseconds(250), (now - asked) * 4)
                if let limit { pause = min(pause, began + limit - now) }
            } catch {
                guard let last, let failure = error as? AdminFailure else { return .failure(error) }
                return .success((last, failure))
            }
            try? await Task.sleep(for: pause)
        }
    }

    private func verdict(_ session: ServedSession) async throws -> AttachedReport {
        let names = try AttachedRule.suites(named: suites)
        return try AttachedReport(json: await session.get("/verdict?suites=\(names.joined(separator: ","))"))
    }
}

/// A time of the command line, such as `30s`.
@Sendable private func readDuration(_ text: String) throws -> Duration {
    guard let duration = Duration(text: text) else {
        throw ValidationError("found the time `\(text)`, expected \(Duration.expectedText)")
    }
    return duration
}
