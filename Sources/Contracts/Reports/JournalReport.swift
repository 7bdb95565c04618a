package import BankModel

/// The report on a client, from its session's journal alone.
package struct JournalReport: Sendable {
    package var session: String
    package var bank: String
    /// How many entries the bounded journal dropped: a violation that the others show still counts, but nothing is a pass.
    package var dropped: Int
    /// How many exchanges were checked, and how many of them have not ended.
    package var exchanges: Int
    package var underWay: Int
    /// How many requests came through something between the client and the bank, by the header that shows it.
    package var through: [String: Int] = [:]
    /// The effect of the session's outage; nil if there was none, or it affected no request.
    package var outage: OutageEffect?
    package var rules: [Outcome]

    /// One rule's verdict.
    package struct Outcome: Sendable, Hashable {
        package var id: String
        package var level: ContractCase.Level
        package var why: String
        package var trigger: String
        /// What its findings rest on; empty in a report that was read.
        var restsOn: [RecordedFact]
        /// How often the trigger was met.
        package var met: Int
        package var verdict: Verdict
        package var violations: [Finding]
        /// The times when the journal cannot decide whether the rule was broken.
        package var openFindings: [OpenFinding]
        /// The exchanges of the first violations, or else of the first open findings, line by line: the first and the last of them.
        package var timeline: [String]
        /// How many lines are left out between them.
        package var timelineLeftOut: Int

        package var suite: String { String(id.prefix { $0 != "." }) }

        /// Whether it belongs to a suite. Those of other suites that an invariant rests on belong to `invariant` too.
        func isOf(_ suite: String) -> Bool { ClientRule.counts(id, for: suite) }
    }

    /// Checks a journal: a pure function of its entries.
    ///
    /// - Parameters:
    ///   - suites: the suites whose rules are wanted; empty: all.
    ///   - isSequential: whether the client sends one request at a time, each after it has read the response to the one before.
    ///   - isOfOneClient: whether one client has sent all requests, as in a recording of one browser.
    package init(
        session: String, bank: String, journal: [JournalEntry], dropped: Int = 0, suites: [String] = [], isSequential: Bool = false,
        isOfOneClient: Bool = false
    ) {
        self.session = session
        self.bank = bank
        self.dropped = dropped
        let scene = Scene(journal: journal, dropped: dropped, isSequential: isSequential, isOfOneClient: isOfOneClient)
        exchanges = scene.requests.count
        underWay = scene.requests.count { $0.durationMicroseconds == nil }
        for name in JournalReport.proxyHeaders {
            let count = scene.requests.count { $0.requestHeaders.contains { $0.name.lowercased() == name } }
            if count > 0 { through[name] = count }
        }
        rules = Outcome.all(of: ClientRule.ofJournals, in: scene, suites)
    }

    /// Checks the receivers of a session's webhooks as well, if there were deliveries; without `suites` all rules.
    package mutating func judge(_ attempts: [WebhookAttempt], suites: [String]) {
        guard !attempts.isEmpty else { return }
        rules += Outcome.all(of: ClientRule.webhookRules, in: Scene(journal: [], deliveries: attempts), suites)
    }

    /// The headers that proxies add (RFC 9110 §7.6.3, RFC 7239), and what most send in place of `Forwarded`.
    package static let proxyHeaders = ["via", "forwarded", "x-forwarded-for"]

    package func count(_ verdict: Verdict) -> Int { rules.count { $0.verdict == verdict } }

    /// The wanted suites of which no rule was exercised.
    package func missing(_ required: [String]) -> [String] {
        required.filter { suite in !rules.contains { $0.isOf(suite) && [.pass, .fail].contains($0.verdict) } }
    }

    /// The exit code, in the precedence of a contract run: 3, 1, 4, 0.
    ///
    /// A violation is reported though entries were dropped, but the run as a whole has no verdict then. An inconclusive rule
    /// fails no run in which others were checked; the run has no verdict if all rules are inconclusive.
    package func exitCode(require: [String] = []) -> ExitCode {
        if dropped > 0 { return .noVerdict }
        if rules.contains(where: { $0.verdict == .fail && $0.level == .must }) || !missing(require).isEmpty { return .failed }
        if count(.pass) + count(.fail) > 0 { return .ok }
        return count(.inconclusive) > 0 ? .noVerdict : .nothingExercised
    }

    /// Its rules as results of a report; `parameters` distinguish them from those of other sessions in it.
    func results(command: String, parameters: [Parameter]) -> [ReportDocument.Result] {
        let isVerdict = exitCode() != .noVerdict
        let marks = parameters.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
        return rules.map { rule in
            var reasons = rule.violations.map { ReportDocument.Reason($0) }
            switch rule.verdict {
            case .notExercised: reasons.append(ReportDocument.Reason(.noTrigger(rule.trigger)))
            case .inconclusive:
                if dropped > 0 {
                    reasons.append(ReportDocument.Reason(.dropped(dropped)))
                }
                reasons += rule.openFindings.map { doubt in
                    var reason = ReportDocument.Reason(doubt.finding)
                    reason.seen += ": inconclusive, because \(doubt.reason)"
                    return reason
                }
            default: break
            }
            return ReportDocument.Result(
                name: "\(rule.id)@\(bank)" + (marks.isEmpty ? "" : "[\(marks)]"), caseID: rule.id, suite: rule.suite, bank: bank,
                parameters: parameters, level: rule.level,
                why: rule.why, repetition: 1, verdict: rule.verdict, reasons: reasons, duration: 0, timeline: rule.timeline,
                stderr: [], outages: [], again: command, known: nil, advice: advice(on: rule),
                timelineLeftOut: rule.timelineLeftOut, isExcused: rule.verdict == .inconclusive && isVerdict)
        }
    }

    /// The next thing to do about a rule that has no verdict on the client; nil for a verdict.
    private func advice(on rule: Outcome) -> String? {
        guard rule.verdict == .inconclusive else { return nil }
        return dropped > 0 ? InconclusiveReason.dropped.advice : rule.openFindings.first?.advice
    }

    /// One line for each rule that the journal does not decide, with the change that makes it decide.
    package var warnings: [String] {
        rules.filter { $0.verdict == .inconclusive }.compactMap { rule in
            rule.openFindings.first.map {
                "warning: \(rule.id) is inconclusive: \($0.finding.seen); \($0.reason). To decide it: \($0.advice)".inOneLine
            }
        }
    }

    /// `7 entries were dropped (journal limit reached)`
    package var droppedText: String { "\(dropped) \(dropped == 1 ? "entry was" : "entries were") dropped (journal limit reached)" }
}

extension JournalReport.Outcome {
    /// The results of the rules; of those of some suites, if any are named.
    fileprivate static func all(of rules: [ClientRule], in scene: Scene, _ suites: [String]) -> [Self] {
        let wanted = rules.filter { rule in
            rule.applies(to: scene) && (suites.isEmpty || suites.contains { ClientRule.counts(rule.id, for: $0) })
        }
        return wanted.compactMap { rule in rule.recorded.map { Self(rule, $0, scene) } }
    }

    private init(_ rule: ClientRule, _ texts: ClientRule.Recorded, _ scene: Scene) {
        let result = rule.result(in: scene)
        self.init(
            id: rule.id, level: .must, why: texts.why, trigger: texts.trigger, restsOn: texts.restsOn, met: result.applied,
            verdict: result.broken.isEmpty
                ? result.applied == 0 ? .notExercised : result.openFindings.count < result.applied ? .pass : .inconclusive : .fail,
            violations: result.broken, openFindings: result.openFindings, timeline: [], timelineLeftOut: 0)
        if verdict != .fail, scene.evidence.dropped > 0 { verdict = .inconclusive }
        let shown = Set((violations.isEmpty ? openFindings.map(\.finding) : violations).prefix(3).flatMap(\.requests).map(\.number))
        let entries = scene.requests.filter { shown.contains($0.seq) }
        let zero = entries.first?.monoNanoseconds ?? 0
        let isShort = entries.count <= Bounds.shownFirst + Bounds.shownLast
        let kept = isShort ? entries : entries.prefix(Bounds.shownFirst) + entries.suffix(Bounds.shownLast)
        timeline = kept.map { Timeline.milliseconds($0.monoNanoseconds - zero) + "  " + Timeline.text($0) }
        timelineLeftOut = entries.count - kept.count
    }

    private typealias Bounds = ReportDocument.Bounds

    /// The timeline as people see it, with the number of what is left out between its lines.
    package var shownTimeline: [String] {
        guard timelineLeftOut > 0 else { return timeline }
        return timeline.prefix(Bounds.shownFirst) + ["             … \(timelineLeftOut) more …"] + timeline.dropFirst(Bounds.shownFirst)
    }
}

/// The reports on the sessions of one client or of many, checked together; the report of a single session stays as it is.
package struct JournalReports: Sendable {
    package let reports: [JournalReport]

    package init(_ reports: [JournalReport]) { self.reports = reports }

    private var only: JournalReport? { reports.count == 1 ? reports.first : nil }

    /// The suites of which no rule was exercised in any session.
    package func missing(_ required: [String]) -> [String] {
        required.filter { suite in reports.allSatisfy { !$0.missing([suite]).isEmpty } }
    }

    /// The exit code of all sessions together: 3, 1, 4, 0. A suite is required of all together; one without exercise fails no others.
    package func exitCode(require: [String] = []) -> ExitCode {
        let codes = reports.map { $0.exitCode() }
        if reports.contains(where: { $0.dropped > 0 }) { return .noVerdict }
        if codes.contains(.failed) || !missing(require).isEmpty { return .failed }
        return [.ok, .noVerdict].first(where: codes.contains) ?? .nothingExercised
    }

    /// What the reports say of an exit code: `exit 1: 2 failures, the suite pay has no verdict`; nil for 0, and for codes whose reason is no
    /// verdict on a client.
    package func exitReason(_ code: ExitCode, require: [String] = []) -> String? {
        var reasons: [String] = []
        switch code {
        case .ok, .usage, .noVerdict, .staleKnownFailing: return nil
        case .failed:
            let broken = reports.flatMap(\.rules).count { $0.verdict == .fail && $0.level == .must }
            if broken > 0 { reasons.append(counted(broken, "failure")) }
            reasons += missing(require).map { "the suite \($0) has no verdict" }
        case .nothingExercised: reasons.append("nothing was exercised")
        }
        return "exit \(code.rawValue): \(reasons.joined(separator: ", "))"
    }

    /// The end of it, for people: each session's text, then the suites that no session has exercised, then one line.
    package func text(require: [String] = [], columns: Int? = nil) -> String {
        if let only { return only.text(require: require, columns: columns) }
        var parts = reports.map { $0.text(isOneOfMany: true, columns: columns) }
        parts += reports.first?.unchecked.map { JournalReport.list($0, to: columns) + "\n" } ?? []
        parts += missing(require).map { "the required suite `\($0)` has no verdict in any session\n" }
        let failed = reports.filter { $0.exitCode() == .failed }.map(\.session)
        parts.append(
            counted(reports.count, "session") + ", \(counted(reports.reduce(0) { $0 + $1.exchanges }, "exchange")): "
                + (failed.isEmpty ? "no rule was broken\n" : "rules were broken in \(failed.joined(separator: ", "))\n"))
        return parts.joined(separator: "\n")
    }

    /// What the other reports are rendered from: one report of all, whose results name their session if there are several; `command` checks
    /// a session again by its id, `duration` is in milliseconds.
    package func document(command: (String) -> String, duration: Int64) -> ReportDocument {
        ReportDocument(
            client: only.map { "session \($0.session)" } ?? counted(reports.count, "session"),
            command: command(reports.first?.session ?? ""), seed: 0, duration: duration,
            results: reports.flatMap { report in
                let parameters = only == nil ? [Parameter(key: "session", value: report.session)] : []
                return report.results(command: command(report.session), parameters: parameters)
            }
        ).bounded
    }
}
