package import BankModel
import Platform

/// A contract run as it is written to a file: what every report is rendered from, now or later.
package struct ReportDocument: Sendable, Hashable {
    /// The version of the JSON form.
    package static let version = 1

    /// The client's name and version from the driver's hello.
    package var client: String
    /// The command line by which the driver was started.
    package var command: String
    package var seed: UInt64
    /// In milliseconds, by the harness's clock.
    package var duration: Int64
    /// Why there is no verdict on the whole: the run could not be made, or not to its end.
    package var trouble: String?
    package var results: [Result]
    /// How many instances were left out by `--skip`.
    package var skipped = 0
    /// The name of the baseline that failed instances were compared with; nil if none was run.
    package var baseline: String?
    /// When, where and by which program the run was made.
    package var origin = Origin()
    /// A digest of the contracts: 64 hexadecimal digits; nil if the report does not have it, as those of earlier versions.
    package var contracts: String?
    /// The part of a larger run that it is; nil for a whole run.
    package var part: RunPart?
    /// The invariants that were met, each with the number of instances that could have broken it.
    package var held: [String: Int] = [:]
    /// What a reader must know to assess the results, line by line: what was assumed of recorded traffic, and what was left out.
    package var notes: [String] = []
    /// Why the command does not end with 0, as the last line on the terminal has it; nil if it does, or if the run was not evaluated. Not in
    /// the JSON form.
    package var exitReason: String?

    /// The circumstances of a run; each is nil if the report does not have it, as those of earlier versions.
    package struct Origin: Sendable, Hashable {
        /// When the run began, by the machine's clock.
        package var started: Instant?
        /// The name of the machine.
        package var host: String?
        /// The version of the program that tested, such as `0.1.0`.
        package var version: String?

        package init(started: Instant? = nil, host: String? = nil, version: String? = nil) {
            self.started = started
            self.host = host
            self.version = version
        }
    }

    /// One instance and its result.
    package struct Result: Sendable, Hashable {
        /// `auth.no-empty-bearer@roundup[by=close]`
        package var name: String
        package var caseID: String
        package var suite: String
        package var bank: String
        package var parameters: [Parameter]
        package var level: ContractCase.Level
        package var why: String
        /// From 1; more than one with `--repeat`.
        package var repetition: Int
        package var verdict: Verdict
        /// Why it is not a pass, the decisive ones first.
        package var reasons: [Reason]
        /// In milliseconds.
        package var duration: Int64
        /// The timeline, line by line.
        package var timeline: [String]
        /// The last lines that the driver wrote to stderr.
        package var stderr: [String]
        /// Each plan that ran, and the seed that made it do what it did.
        package var outages: [Evidence.Outage]
        /// The command that runs just this one again as it was.
        package var again: String
        package var known: Announcement?
        /// Whether the platform's HTTP stack fails in the same way.
        package var platform: PlatformFailure?
        /// The next thing to do about a result without a verdict on the client; nil for a verdict.
        package var advice: String?
        /// How many lines of the timeline are left out, between the first ``Bounds/keptFirst`` and the last ``Bounds/keptLast``.
        package var timelineLeftOut = 0
        /// How many more reasons there were.
        package var reasonsLeftOut = 0
        /// Whether it is inconclusive and yet no error of the run: a rule that a journal cannot decide, beside others that it can.
        package var isExcused = false
        /// The requests and responses of a result that somebody has to look at, as far as ``Bounds`` allow.
        package var exchanges: [Exchange] = []
        /// How many more exchanges there were.
        package var exchangesLeftOut = 0
        /// The files that were not searched for secrets, or not to the end, each with the reason.
        package var unsearched: [String] = []
        /// How many more such files there were.
        package var unsearchedLeftOut = 0
        /// The public threads of the bugs that the case is to find.
        package var bugs: [BugAddress] = []
        /// The document that the case rests on, such as `RFC 6750 §3.1`; nil if it names none, or the report does not have it.
        package var source: String?
        /// The file and line where the case is written; nil if the report does not have it.
        package var position: SourcePosition?
        /// Its index in the order of the whole run, from 1; nil in the report of a whole run.
        package var order: Int?
        /// The cause that it shares with results that went wrong in the same way; nil if there is no reason, or the report does not have it.
        package var cause: Cause?

        /// The decisive reason in one line: what happened, then the requirement. The same text in every report; nil if there is no reason.
        package var headline: String? { reasons.first?.text }

        /// Whether it is a failure that does not count: it is known, or forgiven as the platform's.
        package var isKnownFailure: Bool { verdict == .fail && (known != nil || platform == .forgiven) }
        /// Why a failure that does not count does not.
        var acceptance: String { known.map { "known failure: \($0.reason)" } ?? "the platform does this too" }
    }

    /// One expectation that was not met.
    package struct Reason: Sendable, Hashable {
        /// The requirement, without its source.
        package var requirement: String
        /// The document that it comes from; nil if it is the case's or the judge's own, or the report does not have it.
        package var source: String?
        package var seen: String
        /// The requests that show it, the one that broke the requirement last.
        package var requests: [RequestRef] = []

        package var expected: String { source.map { "\(requirement) (\($0))" } ?? requirement }
        /// Both in one line: what happened, then the requirement.
        package var text: String { Finding.text(seen: seen, expected: expected) }
    }

    /// The line of a known failure.
    package struct Announcement: Sendable, Hashable {
        package var reason: String
        package var until: CivilDate
    }

    package func count(_ verdict: Verdict) -> Int { ResultCounts(results).count(verdict) }

    /// `38 passed, 1 failed of 39 (acme 2.1, seed 7, 4.2 s)`; after the number of instances `, invariants: 2 failed` if some were broken, at
    /// the end `, 3 skipped` if instances were left out, `, shard 2/5` if it is a part.
    package var summary: String {
        let (instances, invariants) = (ResultCounts(instanceResults), ResultCounts(invariantResults))
        let broken = invariants.total > 0 ? ", invariants: \(invariants.text(hasPassed: false))" : ""
        let seconds = "\(duration / 1000).\(duration % 1000 / 100) s"
        let left = skipped > 0 ? ", \(skipped) skipped" : ""
        let shard = part.map { ", shard \($0.shard)" } ?? ""
        let run = "(\(client.inOneLine), seed \(seed), \(seconds))"
        return "\(instances.text()) of \(instances.total)\(broken) \(run)\(left)\(shard)"
    }

    /// One request and its response, as the journal has them: a token is replaced by its id, secret fields are blanked.
    package struct Exchange: Sendable, Hashable {
        /// `#3 GET /v1/accounts token#1 → 401 token-rejected, …`, as in the timeline.
        package var line: String
        /// The request line and the headers; empty if no request was read.
        package var requestHead: [String]
        /// Nil if it is empty.
        package var requestBody: String?
        /// The status line and the headers; empty if no status was sent.
        package var responseHead: [String]
        /// Nil if it is empty.
        package var responseBody: String?
    }

    /// The same run with the exchanges of the results that somebody has to look at; `journals` has the journal of each result.
    func withExchanges(_ journals: [[JournalEntry]]) -> ReportDocument {
        var document = self
        for (index, journal) in journals.enumerated() where results[index].needsLooking {
            document.results[index].exchanges = journal.sorted { $0.seq < $1.seq }.map(Exchange.init)
        }
        return document
    }
}

extension ReportDocument.Reason {
    init(_ finding: Finding) {
        self.init(requirement: finding.requirement.text, source: finding.source, seen: finding.seen.text, requests: finding.requests)
    }

    package init(expected: String, seen: String) { self.init(requirement: expected, seen: seen) }
}

extension RunReport {
    /// The run as it is written to a file, within the bounds of every report.
    package var document: ReportDocument {
        var whole = ReportDocument(
            client: client, command: command, seed: seed, duration: duration.nanoseconds / 1_000_000, trouble: trouble,
            results: zip(results, results.causes).map { result, cause in
                let instance = result.instance
                let judgement = result.judgement
                return ReportDocument.Result(
                    name: result.name, caseID: instance.caseID, suite: instance.suite, bank: instance.bank.name,
                    parameters: instance.parameters, level: instance.level, why: instance.why, repetition: result.repetition,
                    verdict: judgement.verdict, reasons: judgement.reasons.map { ReportDocument.Reason($0.finding) },
                    duration: result.duration.nanoseconds / 1_000_000, timeline: result.timeline, stderr: result.stderrTail,
                    outages: result.evidence.outages, again: again(result),
                    known: result.known.map { ReportDocument.Announcement(reason: $0.reason, until: $0.until) }, platform: result.platform,
                    advice: advice(result),
                    unsearched: distinct(result.evidence.unsearched.map(\.text)).sorted(), bugs: instance.bugs, order: order(of: result),
                    cause: cause)
            }, skipped: skipped, baseline: baseline, origin: origin, contracts: contracts, part: part)
        for id in results.flatMap(\.held) { whole.held[id, default: 0] += 1 }
        return whole.withExchanges(results.map(\.evidence.journal)).bounded
    }

    /// The index of a result in the order of the whole run: all instances once, then all again for the next repetition.
    private func order(of result: InstanceResult) -> Int? {
        guard part != nil, let position = positions[result.instance.filterName] else { return nil }
        return (result.repetition - 1) * positions.count + position + 1
    }
}

extension ReportDocument.Exchange {
    /// Within the bounds of every report.
    init(_ entry: JournalEntry) {
        func head(_ first: String, _ headers: [JournalEntry.Header]) -> [String] { [first] + headers.map { "\($0.name): \($0.value)" } }
        let version = entry.wireProtocol == .h2 ? "HTTP/2" : "HTTP/1.1"
        let target = entry.path + (entry.query.map { "?\($0)" } ?? "")
        self.init(
            line: Timeline.text(entry), requestHead: entry.method.map { head("\($0) \(target) \(version)", entry.requestHeaders) } ?? [],
            requestBody: Self.text(entry.requestBody),
            responseHead: entry.status.map { head("\(version) \($0)", entry.responseHeaders) } ?? [],
            responseBody: Self.text(entry.responseBody))
        self = bounded
    }

    /// The same exchange with every list and text within ``ReportDocument/Bounds``.
    var bounded: Self {
        typealias Bounds = ReportDocument.Bounds
        func head(_ lines: [String]) -> [String] {
            let more = lines.count > Bounds.headLines ? ["…"] : []
            return lines.prefix(Bounds.headLines - more.count).map { clipped($0, to: Bounds.headLine) } + more
        }
        var exchange = self
        exchange.line = clipped(line, to: Bounds.text)
        exchange.requestHead = head(requestHead)
        exchange.requestBody = requestBody.map { clipped($0, to: Bounds.body) }
        exchange.responseHead = head(responseHead)
        exchange.responseBody = responseBody.map { clipped($0, to: Bounds.body) }
        return exchange
    }

    /// A body as text; a body that is none by its number of bytes.
    private static func text(_ body: [UInt8]) -> String? {
        if body.isEmpty { return nil }
        // The journal may have cut the body within a character, of at most four bytes.
        let text = (0...3).lazy.compactMap { String(validUTF8: body.dropLast($0)) }.first
        guard let text, !body.contains(0) else { return "(\(counted(body.count, "byte")) that are not text)" }
        return text
    }
}
