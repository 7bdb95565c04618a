package import BankModel

/// The keys of a run's report, as `counterfoil test --json FILE` writes it.
package enum ReportKeys {
    static let version = Field(
        required: "report", Format(.integer(1...ReportDocument.version), read: { $0.int(in: 1...Int.max, $1) }, write: { .int($0) }),
        "the version of the report's format")
    static let client = Field(required: "client", .line, "the client's name, as the driver gives it")
    static let command = Field(required: "command", .line, "the command line by which the driver was started")
    static let seed = Field(required: "seed", .seed, "the run's seed: a text, because a JSON number may not hold 64 bits")
    static let duration = Field(required: "duration_ms", .milliseconds, "the duration of the run, in milliseconds")
    static let trouble = Field("trouble", .line, "why the run has no overall verdict: it could not start, or did not finish")
    static let counts = Field(
        required: "counts", .node(.object(countsSchema)), "the number of results with each verdict")
    static let skipped = Field("skipped", .count, "the number of instances that `--skip` left out; absent if none")
    static let baseline = Field("baseline", .line, "the baseline that failed instances were compared with; absent if none was run")
    static let started = Field("started_at", .instant, "when the run began, by the machine's clock; absent in reports of earlier versions")
    static let host = Field("host", .line, "the name of the machine; absent in reports of earlier versions")
    static let program = Field("version", .line, "the version of the program that ran the tests; absent in reports of earlier versions")
    static let contracts = Field(
        "contracts", .digest,
        "SHA-256 of the files of cases and invariants; absent if `test` did not write the report, and in reports of earlier versions"
    )
    static let part = Field("shard", RunPart.format, "the part of a run; absent if it is a whole run")
    static let held = Field(
        "invariants_held", .counts(of: "invariants"),
        "the invariants that held, each with the number of results that could have broken it; absent in reports of earlier versions")
    static let notes = Field(
        "notes", .lines, "assumptions about recorded traffic, and what was left out, one per line; absent if there is nothing to report")
    static let results = Field(
        required: "results", .list(of: ReportDocument.Result.format), "the results: one for each case, bank, combination and repetition")

    private static let countsSchema = ObjectSchema(
        "counts", "The number of results with each verdict.",
        fields: Verdict.allCases.map { Field($0.rawValue, .count, "results with the verdict `\($0.rawValue)`") })

    package static let schema = ObjectSchema(
        "a report", "A contract run, as `counterfoil test --json FILE` writes it.",
        fields: [
            version, client, command, seed, duration, counts, results, trouble, skipped, baseline, started, host, program, contracts, part,
            held, notes,
        ])

    /// A JSON string: a number is not one.
    static let text = Schema.text(TextSchema("a text", pattern: "[\\s\\S]*"))
}

enum ResultKeys {
    static let name = Field(required: "name", .line, "case@bank, with the matrix's values in brackets")
    static let caseID = Field(required: "case", .line, "the case's id")
    static let suite = Field(required: "suite", .line, "the case's suite")
    static let bank = Field(required: "bank", .line, "the bank")
    static let parameters = Field(
        required: "parameters", .parameters, "the matrix's values")
    static let level = Field(required: "level", .choice(of: ContractCase.Level.self), "the case's level")
    static let why = Field(required: "why", .line, "the purpose of the case")
    static let repetition = Field(required: "repetition", .count, "the number of the repetition, from 1")
    static let verdict = Field(required: "verdict", .choice(of: Verdict.self), "the verdict on the client")
    static let reasons = Field(
        required: "reasons", .list(of: ReportDocument.Reason.format), "why it is not a pass, the decisive ones first; at most 20")
    static let duration = Field(required: "duration_ms", .milliseconds, "the duration, in milliseconds")
    static let timeline = Field(
        required: "timeline", .lines, "what happened, line by line: all of it, or the first 200 lines and the last 50")
    static let stderr = Field(required: "stderr", .lines, "what the driver wrote to stderr")
    static let outages = Field(required: "outages", .list(of: Evidence.Outage.format), "the outages that were started")
    static let again = Field(required: "again", .line, "the command that reruns this instance")
    static let headline = Field(
        "headline", .line,
        "the decisive reason in one line: what happened, then the requirement; absent if there is none")
    static let advice = Field("do", .line, "the next thing to do about a result without a verdict on the client")
    static let timelineLeftOut = Field("timeline_left_out", .count, "the number of lines that are left out of the middle; absent if none")
    static let reasonsLeftOut = Field("reasons_left_out", .count, "the number of further reasons; absent if none")
    static let excused = Field(
        "excused", .bool,
        "whether the journal cannot decide this rule although it decides others; the result is then not an error of the run"
    )
    static let known = Field("known", ReportDocument.Announcement.format, "the entry of `--known-failing` that lists the failure")
    static let platform = Field(
        "platform", .choice(of: PlatformFailure.self),
        "the baseline failed in the same way: the failure counts (`shared`) or not (`forgiven`); absent if it is the client's alone")
    static let exchanges = Field(
        "exchanges", .list(of: ReportDocument.Exchange.format),
        "the first 10 and the last 5 requests with their responses, of the first 3 results of a case that failed for the same reason; "
            + "absent if there is none"
    )
    static let exchangesLeftOut = Field("exchanges_left_out", .count, "the number of further requests; absent if none")
    static let unsearched = Field(
        "unsearched", .lines,
        "the client's files that were not searched for secrets, or not to the end, each with the reason: the first 20; "
            + "absent if there is none")
    static let unsearchedLeftOut = Field("unsearched_left_out", .count, "the number of further such files; absent if none")
    static let source = Field("source", .line, "the document that the case is based on, such as `RFC 6750 §3.1`; absent if it names none")
    static let file = Field("file", .line, "the contract file of the case, from the folder of the run; absent if it was not found")
    static let line = Field("line", .count, "the line of the case in that file")
    static let order = Field("order", .count, "the position in the whole run, from 1; absent in the report of a whole run")
    static let cause = Field(
        "cause", Cause.format,
        "the cause that it shares with results that failed in the same way; absent if there is no reason, and in reports of earlier "
            + "versions"
    )
    static let bugs = Field("bugs", .list(of: BugAddress.format), "the public bugs that the case finds; absent if it names none")

    static let schema = ObjectSchema(
        "a result", "One case on one bank, with one combination of its matrix.",
        fields: [
            name, caseID, suite, bank, parameters, level, why, repetition, verdict, reasons, duration, timeline, stderr, outages, again,
            headline, advice, timelineLeftOut, reasonsLeftOut, excused, known, platform, exchanges, exchangesLeftOut, unsearched,
            unsearchedLeftOut,
            bugs, source, file, line, order, cause,
        ])
}

enum PartKeys {
    static let number = Field(required: "number", .int(in: Shard.counts), "the number of the part, from 1")
    static let count = Field(required: "of", .int(in: Shard.counts), "the number of parts")
    static let total = Field(required: "total", .count, "the number of instances in the whole run; each repetition counts")
    static let cut = Field(
        required: "cut", .digest, "SHA-256 of the whole run's instances with the shard of each, and of the number of repetitions")
    static let schema = ObjectSchema(
        "a shard", "The part of a run, as `counterfoil test --shard 2/5` makes it.", fields: [number, count, total, cut])
}

enum ReasonKeys {
    static let expected = Field(required: "expected", .line, "the requirement")
    static let seen = Field(required: "seen", .line, "what happened, and where")
    static let requirement = Field("requirement", .line, "the requirement without its source; absent in reports of earlier versions")
    static let source = Field("source", .line, "where the requirement comes from, such as `RFC 6750 §3.1`; absent if it is the case's own")
    static let requests = Field(
        "requests", .list(of: RequestRef.format), "the requests that show it, the one that broke it last; absent if none")
    static let schema = ObjectSchema("a reason", "Why a case did not pass.", fields: [expected, seen, requirement, source, requests])
}

/// The keys of a request that a reason is about.
package enum RequestKeys {
    static let number = Field(required: "exchange", .int(in: 1...Int.max), "its number in the journal")
    static let method = Field("method", .line, "the request's method; absent if no head was read")
    static let path = Field(required: "path", .line, "the path, without the query")
    static let operation = Field("operation", .line, "the bank's operation; absent if it is not known")
    package static let schema = ObjectSchema("a request", "A request that shows what happened.", fields: [number, method, path, operation])
}

enum CauseKeys {
    static let topic = Field(required: "topic", .choice(of: Cause.Topic.self), "money, tokens, or other")
    static let title = Field(
        required: "title", .line,
        "the mistake, if it is known; otherwise what happened and the requirement, with `…` for what differs between runs")
    static let schema = ObjectSchema("a cause", "The cause that results share that failed in the same way.", fields: [topic, title])
}

enum ExchangeKeys {
    static let line = Field(required: "exchange", .line, "the request and the response in one line, as in the timeline")
    static let requestHead = Field(
        required: "request_head", .lines,
        "the request line and the headers, without secrets; at most 40 lines, empty if no request was read")
    static let requestBody = Field("request_body", .line, "the request's body, without secrets; at most 2,000 characters, absent if empty")
    static let responseHead = Field(
        required: "reply_head", .lines, "the status line and the headers; at most 40 lines, empty if no status was sent")
    static let responseBody = Field("reply_body", .line, "the response's body; at most 2,000 characters, absent if empty")
    static let schema = ObjectSchema(
        "an exchange", "A request and its response, as in the journal: a token is replaced by its id.",
        fields: [line, requestHead, requestBody, responseHead, responseBody])
}

enum OutageKeys {
    static let name = Field(required: "name", .line, "the outage's name")
    static let seed = Field(required: "seed", .seed, "the seed with which it can be replayed")
    static let schema = ObjectSchema("an outage", "An outage that was started.", fields: [name, seed])
}

enum KnownKeys {
    static let reason = Field(required: "reason", .line, "the reason in that file")
    static let until = Field(required: "until", .day, "the day after which it counts as a failure")
    static let schema = ObjectSchema("a known failure", "A failure that `known-failing` names.", fields: [reason, until])
}

extension Format<String> {
    static var line: Format { Format(ReportKeys.text, read: { $0.text($1) }, write: { .string($0) }) }
}

extension Format {
    /// A text that `parse` takes; `what` describes it in the reference, `expected` in complaints.
    fileprivate static func text(
        _ what: String, expected: String? = nil, pattern: String, parse: @escaping @Sendable (String) -> Value?,
        write: @escaping @Sendable (Value) -> String
    ) -> Format {
        Format(
            .text(TextSchema(what, pattern: pattern)),
            read: { node, complaints in
                guard let text = node.text(complaints) else { return nil }
                return parse(text) ?? node.wrong(complaints, expected ?? what)
            }, write: { .string(write($0)) })
    }
}

extension Format<String> {
    fileprivate static var digest: Format {
        .text(
            "a digest: 64 hexadecimal digits", pattern: "[0-9a-f]{64}",
            parse: { text in text.utf8.count == 64 && text.allSatisfy { "0123456789abcdef".contains($0) } ? text : nil }, write: { $0 })
    }
}

extension Format<[String]> {
    static var lines: Format {
        Format(.list(ReportKeys.text, atLeast: 0), read: { $0.texts($1) }, write: { .array($0.map(JSON.string)) })
    }
}

extension Format<Int> {
    static var count: Format { .int(in: ReportDocument.Bounds.numbers) }
}

extension Format<Int64> {
    fileprivate static var milliseconds: Format {
        Format(Format<Int>.count.schema, read: { Format<Int>.count.read($0, $1).map { Int64($0) } }, write: { .int($0) })
    }
}

extension Format<[String: Int]> {
    static func counts(of keys: String) -> Format {
        Format(
            .map(keys: keys, Format<Int>.count.schema),
            read: { node, complaints in
                let counts = Fields(node, of: "the counts", complaints).all.compactMap { key, _, value in
                    Format<Int>.count.read(value, complaints).map { (key, $0) }
                }
                return Dictionary(counts) { first, _ in first }
            }, write: { counts in .object(JSONObject(counts.sorted { $0.key < $1.key }.map { ($0.key, JSON.int($0.value)) })) })
    }
}

extension Format<[Parameter]> {
    fileprivate static var parameters: Format {
        Format(
            .map(keys: "the matrix's axes", ReportKeys.text),
            read: { node, complaints in
                Fields(node, of: "the parameters", complaints).all.compactMap { key, _, value in
                    value.text(complaints).map { Parameter(key: key, value: $0) }
                }
            }, write: { parameters in .object(JSONObject(parameters.map { ($0.key, .string($0.value)) })) })
    }
}

extension Format<CivilDate> {
    fileprivate static var day: Format {
        .text(
            "a day such as `2027-01-01`", expected: "a day such as 2027-01-01", pattern: "[0-9]{4}-[0-9]{2}-[0-9]{2}",
            parse: { CivilDate($0) }, write: { $0.description })
    }
}

extension Format<UInt64> {
    fileprivate static var seed: Format {
        .text("a seed: digits, at most 64 bits", pattern: "[0-9]{1,20}", parse: { UInt64($0) }, write: { String($0) })
    }
}
