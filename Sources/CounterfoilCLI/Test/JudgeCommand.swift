import ArgumentParser
import BankModel
import Contracts
import Foundation

struct JudgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "judge", abstract: "Check traffic of an app: a session's journal, HAR files, or what passes to a real bank.",
        discussion: """
            Example: counterfoil judge --session roundup --until-quiet --require auth
            Without a server: counterfoil judge --har checkout.har --api api.yaml
            In front of a real bank: counterfoil judge --through https://sandbox.bank.example --port 9000
            Point the app at the session's address and use it; verdicts are printed as they change. Ctrl-C, --for or --until-quiet \
            ends the command. Several sessions, also on several servers, are checked together: a required suite must have been \
            exercised in one of them. Only the journal is checked: it does not show what the user intended. A rule without a matching \
            request is not exercised; one that the journal cannot decide is inconclusive. `counterfoil session reset` starts over.
            --through forwards the app's requests to a real bank and checks what passes: reads only, unless --allow-writes. A sign-in is \
            forwarded too: a POST with a password or grant_type. No secret is stored. \
            --har checks files that a browser, Charles, mitmproxy, Proxyman or Playwright wrote, and prints what it assumed of the API; \
            `counterfoil schema api` describes the file that corrects it.
            Exit codes: 0 no rule was broken, 1 a rule was broken or a required suite has no verdict, 2 wrong usage, unreadable files, or \
            the server cannot be reached, 3 the journal dropped entries, or every exercised rule is inconclusive, or the server ended, \
            4 nothing was exercised.
            """)

    @Option(
        name: .customLong("session"),
        help: "The session, repeatable; a bank's default session has the bank's name. Needed if several banks are served.")
    var sessions: [String] = []

    @Option(help: "Every session with this label, such as team=ios; repeatable.")
    var label: [String] = []

    @OptionGroup var servers: AdminServers

    @Option(
        name: .customLong("har"), parsing: .upToNextOption,
        help: "HAR files to check in place of a session; no server is needed.")
    var archives: [String] = []

    @Option(help: "A real bank's address, such as https://sandbox.bank.example: the app uses the proxy's address in its place.")
    var through: String?

    @OptionGroup(title: "Options with --through") var proxy: ProxyOptions

    @Option(
        help:
            "With --har and --through: a file that describes the API (`counterfoil schema api`); facts that it omits are inferred from names."
    )
    var api: String?

    @Option(help: "Only the rules of these suites, such as auth,pay.")
    var suites: String = ""

    @Option(help: "Suites of which a rule must have been exercised, such as auth,pay.")
    var require: String = ""

    @Flag(
        help: """
            The app sends one request at a time, each after it has read the previous response: then the order of requests \
            decides rules that are inconclusive otherwise.
            """)
    var sequential = false

    @Option(parsing: .unconditional, help: "Time without a request after which the session is quiet, such as 2s.", transform: readDuration)
    var quiet: Duration = .seconds(2)

    @Flag(help: "End when the session is quiet after its first request.")
    var untilQuiet = false

    @Option(name: .customLong("for"), parsing: .unconditional, help: "End after this time, such as 30s.", transform: readDuration)
    var limit: Duration?

    @OptionGroup(title: "Reports") var files: ReportOutputs

    func validate() throws {
        try validateArchives()
        try validateProxy()
        do {
            let suites = try ClientRule.suites(named: self.suites)
            for name in try ClientRule.suites(named: require) where !suites.isEmpty && !suites.contains(name) {
                throw ValidationError("found --require \(name), expected a suite selected by --suites: \(oneOf(suites))")
            }
        } catch let error as UnknownSuiteError {
            throw ValidationError("\(error)")
        }
    }

    func run() async throws {
        let began = ContinuousClock.now
        let origin = ReportDocument.Origin.here
        try files.check(reading: archives + [api, proxy.providerCa].compactMap(\.self))
        let required = try ClientRule.suites(named: require)
        guard archives.isEmpty else { return try judgeArchives(required, origin, since: began) }
        if let through { return try await judgeProxy(through, required, origin, since: began) }
        let found = try await JudgedSessions(sessions, labels: label, at: servers.all)
        try await announce(found)
        let watched = await interruptible { await watch(found.sessions) }
        let failures = watched.compactMap { result in (try? result.get())?.failure }
        let judged = JournalReports(try watched.map { try $0.get().report })
        Output.report.write((Output.report.isTerminal ? "\n" : "") + judged.text(require: required, columns: Output.report.columns))
        for failure in failures { Output.errors.error("the server stopped before the check was complete: \(failure)") }
        try conclude(
            judged, !found.isWhole ? .usage : failures.isEmpty ? judged.exitCode(require: required) : .noVerdict, required, origin,
            since: began
        ) { "counterfoil judge --session \(RunReport.quoted($0))" }
    }

    /// Writes the reports, and ends with a code that is not 0.
    ///
    /// - Parameter command: the one that checks a session again.
    func conclude(
        _ reports: JournalReports, _ code: Contracts.ExitCode, _ required: [String], _ origin: ReportDocument.Origin,
        since began: ContinuousClock.Instant, notes: [String] = [], command: (String) -> String
    ) throws {
        var document = reports.document(command: command, duration: (ContinuousClock.now - began).nanoseconds / 1_000_000)
        document.origin = origin
        document.notes = notes
        document.exitReason = reports.exitReason(code, require: required)
        try files.write([files.located(document)], code)
        if code != .ok { throw ExitCode(code.rawValue) }
    }

    /// Prints what is checked, and how to end the check.
    private func announce(_ found: JudgedSessions) async throws {
        // Nobody presses Ctrl-C in a script.
        let other = Output.errors.isTerminal ? "" : ", as --until-quiet and --for do"
        let end = endsByItself ? "" : "; Ctrl-C ends the check" + other
        guard let only = found.sessions.first, found.sessions.count == 1 else {
            return Output.errors.line(
                "checking \(counted(found.sessions.count, "session")): \(found.sessions.map(\.name).joined(separator: ", "))" + end)
        }
        let address = try await only.get("").text("base_url")
        Output.errors.line("checking the client at \(address) (session \(only.name))" + end)
    }

    /// Watches all sessions at once.
    private func watch(_ sessions: [ServedSession]) async -> [Result<(report: JournalReport, failure: AdminFailure?), any Error>] {
        await withTaskGroup(of: (Int, Result<(report: JournalReport, failure: AdminFailure?), any Error>).self) { group in
            for (index, session) in sessions.enumerated() {
                let live = LiveVerdict(name: sessions.count == 1 ? nil : session.name)
                group.addTask { (index, await watch(session, live)) }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private var endsByItself: Bool { untilQuiet || limit != nil }

    /// Polls the verdict until the end, and prints what is new.
    ///
    /// - Returns: the last verdict, and why there is no later one if the server ended first; a failure if there is none at all.
    private func watch(
        _ session: ServedSession, _ live: LiveVerdict
    ) async -> Result<(report: JournalReport, failure: AdminFailure?), any Error> {
        let clock = ContinuousClock()
        let began = clock.now
        var last: JournalReport?
        var changed = began
        var pause = Duration.zero
        defer { live.clear() }
        while true {
            do {
                let asked = clock.now
                // Asked in a separate task: Ctrl-C ends the waiting, and not the last look at the journal.
                let report = try await Task { try await verdict(session) }.value
                if report.isLater(than: last) { changed = clock.now }
                live.show(report, since: last)
                last = report
                let now = clock.now
                let isOver = limit.map { now - began >= $0 } ?? false
                let isQuiet = untilQuiet && report.exchanges > 0 && now - changed >= quiet
                if Task.isCancelled || isOver || isQuiet { return .success((report, nil)) }
                // A long journal takes time to check: the server must keep most of its time for the client.
                pause = max(.milliseconds(250), (now - asked) * 4)
                if let limit { pause = min(pause, began + limit - now) }
            } catch {
                guard let last, let failure = error as? AdminFailure else { return .failure(error) }
                return .success((last, failure))
            }
            try? await Task.sleep(for: pause)
        }
    }

    private func verdict(_ session: ServedSession) async throws -> JournalReport {
        let names = try ClientRule.suites(named: suites)
        return try JournalReport(json: await session.get("/verdict?suites=\(names.joined(separator: ","))&sequential=\(sequential)"))
    }
}

/// A time of the command line, such as `30s`.
@Sendable func readDuration(_ text: String) throws -> Duration {
    guard let duration = Duration(text: text) else { throw ValidationError("found the time `\(text)`, expected \(Duration.expectedText)") }
    return duration
}
