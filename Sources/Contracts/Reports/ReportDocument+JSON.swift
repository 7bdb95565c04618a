package import BankModel

extension ReportDocument {
    /// The report for programs; `schemas/report.schema.json` describes it.
    package var json: JSON { ReportDocument.format.write?(self) ?? .null }

    /// Reads what ``json`` made; the error names each position, what was found and what was expected.
    package init(json: JSON, file: String) throws(ComplaintsError) {
        self = try Complaints.collecting { complaints in ReportDocument.read(Node(json, at: SourcePosition(file: file)), complaints) }
    }

    private static func read(_ node: Node, _ complaints: Complaints) -> ReportDocument? {
        // Nothing is said about the members of a version that is not known.
        guard let found = Fields(node, of: schema, complaints)[versionField] else { return nil }
        guard found == version else {
            complaints.add(
                found: "a report of version \(found)", expected: "version \(version), the only one this program reads", at: node.position)
            return nil
        }
        return format.read(node, complaints)
    }

    /// The keys of a run's report.
    package static let schema = ObjectSchema(
        "a report", "A contract run, as `counterfoil test --json FILE` writes it.", fields: members.map(\.declaration))

    private static let format: Format<ReportDocument> = .record(
        schema, ReportDocument(client: "", command: "", seed: 0, duration: 0, results: []), members)

    private static let versionField = Field(
        required: "report", Format(.integer(1...ReportDocument.version), read: { $0.int(in: 1...Int.max, $1) }, write: { .int($0) }),
        "the version of the report's format")

    private static let countsSchema = ObjectSchema(
        "counts", "The number of results with each verdict.",
        fields: Verdict.allCases.map { Field($0.rawValue, .count, "results with the verdict `\($0.rawValue)`") })

    private var counts: JSON { .object(JSONObject(Verdict.allCases.map { ($0.rawValue, .int(count($0))) })) }

    private static let members: [RecordMember<ReportDocument>] = [
        .computed(versionField, { _ in ReportDocument.version }, { _, _ in }),
        .required("client", .line, \.client, "the client's name, as the driver gives it"),
        .required("command", .line, \.command, "the command line by which the driver was started"),
        .required("seed", .seed, \.seed, "the run's seed: a text, because a JSON number may not hold 64 bits"),
        .required("duration_ms", .milliseconds, \.duration, "the duration of the run, in milliseconds"),
        .derived(
            Field(required: "counts", Format<Node>.node(.object(countsSchema)), "the number of results with each verdict"), { $0.counts }),
        .required("results", .list(of: Result.format), \.results, "the results: one for each case, bank, combination and repetition"),
        .optional("trouble", .line, \.trouble, "why the run has no overall verdict: it could not start, or did not finish"),
        .value("skipped", .count, \.skipped, unless: 0, "the number of instances that `--skip` left out; absent if none"),
        .optional("baseline", .line, \.baseline, "the baseline that failed instances were compared with; absent if none was run"),
        .optional(
            "started_at", .instant, \.origin.started, "when the run began, by the machine's clock; absent in reports of earlier versions"),
        .optional("host", .line, \.origin.host, "the name of the machine; absent in reports of earlier versions"),
        .optional(
            "version", .line, \.origin.version, "the version of the program that ran the tests; absent in reports of earlier versions"),
        .optional(
            "contracts", .digest, \.contracts,
            "SHA-256 of the files of cases and invariants; absent if `test` did not write the report, and in reports of earlier versions"),
        .optional("shard", RunPart.format, \.part, "the part of a run; absent if it is a whole run"),
        .value(
            "invariants_held", .counts(of: "invariants"), \.held, unless: [:],
            "the invariants that held, each with the number of results that could have broken it; absent in reports of earlier versions"),
        .value(
            "notes", .lines, \.notes, unless: [],
            "assumptions about recorded traffic, and what was left out, one per line; absent if there is nothing to report"),
    ]
}

extension ReportDocument.Result {
    static let format: Format<ReportDocument.Result> = .record(
        called: "a result", about: "One case on one bank, with one combination of its matrix.",
        ReportDocument.Result(
            name: "", caseID: "", suite: "", bank: "", parameters: [], level: .must, why: "", repetition: 1, verdict: .pass, reasons: [],
            duration: 0, timeline: [], stderr: [], outages: [], again: ""), always + sometimes)

    private static let always: [RecordMember<ReportDocument.Result>] = [
        .required("name", .line, \.name, "case@bank, with the matrix's values in brackets"),
        .required("case", .line, \.caseID, "the case's id"),
        .required("suite", .line, \.suite, "the case's suite"),
        .required("bank", .line, \.bank, "the bank"),
        .required("parameters", .parameters, \.parameters, "the matrix's values"),
        .required("level", .choice(of: ContractCase.Level.self), \.level, "the case's level"),
        .required("why", .line, \.why, "the purpose of the case"),
        .required("repetition", .count, \.repetition, "the number of the repetition, from 1"),
        .required("verdict", .choice(of: Verdict.self), \.verdict, "the verdict on the client"),
        .required(
            "reasons", .list(of: ReportDocument.Reason.format), \.reasons, "why it is not a pass, the decisive ones first; at most 20"),
        .required("duration_ms", .milliseconds, \.duration, "the duration, in milliseconds"),
        .required("timeline", .lines, \.timeline, "what happened, line by line: all of it, or the first 200 lines and the last 50"),
        .required("stderr", .lines, \.stderr, "what the driver wrote to stderr"),
        .required("outages", .list(of: Evidence.Outage.format), \.outages, "the outages that were started"),
        .required("again", .line, \.again, "the command that reruns this instance"),
    ]

    private static let sometimes: [RecordMember<ReportDocument.Result>] = [
        .derived(
            Field(
                "headline", Format<String>.line,
                "the decisive reason in one line: what happened, then the requirement; absent if there is none"),
            { $0.headline.map(JSON.string) }),
        .optional("do", .line, \.advice, "the next thing to do about a result without a verdict on the client"),
        .value(
            "timeline_left_out", .count, \.timelineLeftOut, unless: 0, "the number of lines that are left out of the middle; absent if none"
        ),
        .value("reasons_left_out", .count, \.reasonsLeftOut, unless: 0, "the number of further reasons; absent if none"),
        .value(
            "excused", .bool, \.isExcused, unless: false,
            "whether the journal cannot decide this rule although it decides others; the result is then not an error of the run"),
        .optional("known", ReportDocument.Announcement.format, \.known, "the entry of `--known-failing` that lists the failure"),
        .optional(
            "platform", .choice(of: PlatformFailure.self), \.platform,
            "the baseline failed in the same way: the failure counts (`shared`) or not (`forgiven`); absent if it is the client's alone"),
        .value(
            "exchanges", .list(of: ReportDocument.Exchange.format), \.exchanges, unless: [],
            "the first 10 and the last 5 requests with their responses, of the first 3 results of a case that failed for the same "
                + "reason; absent if there is none"),
        .value("exchanges_left_out", .count, \.exchangesLeftOut, unless: 0, "the number of further requests; absent if none"),
        .value(
            "unsearched", .lines, \.unsearched, unless: [],
            "the client's files that were not searched for secrets, or not to the end, each with the reason: the first 20; "
                + "absent if there is none"),
        .value("unsearched_left_out", .count, \.unsearchedLeftOut, unless: 0, "the number of further such files; absent if none"),
        .value("bugs", .list(of: BugAddress.format), \.bugs, unless: [], "the public bugs that the case finds; absent if it names none"),
        .optional("source", .line, \.source, "the document that the case is based on, such as `RFC 6750 §3.1`; absent if it names none"),
        .computed(
            Field(
                "file", Format<String>.line, "the contract file of the case, from the folder of the run; absent if it was not found"),
            { $0.position?.file }, { $0.position = SourcePosition(file: $1) }),
        .computed(
            Field("line", Format<Int>.count, "the line of the case in that file"), { $0.position?.line }, { $0.position?.line = $1 }),
        .optional("order", .count, \.order, "the position in the whole run, from 1; absent in the report of a whole run"),
        .optional(
            "cause", Cause.format, \.cause,
            "the cause that it shares with results that failed in the same way; absent if there is no reason, and in reports of "
                + "earlier versions"),
    ]
}

private enum PartKeys {
    static let number = Field(required: "number", .int(in: Shard.counts), "the number of the part, from 1")
    static let count = Field(required: "of", .int(in: Shard.counts), "the number of parts")
    static let total = Field(required: "total", .count, "the number of instances in the whole run; each repetition counts")
    static let cut = Field(
        required: "cut", .digest, "SHA-256 of the whole run's instances with the shard of each, and of the number of repetitions")
    static let schema = ObjectSchema(
        "a shard", "The part of a run, as `counterfoil test --shard 2/5` makes it.", fields: [number, count, total, cut])
}

extension RunPart {
    static let format: Format<RunPart> = .object(
        PartKeys.schema,
        read: { fields, complaints in
            let (number, count, total, cut) = (
                fields[PartKeys.number], fields[PartKeys.count], fields[PartKeys.total], fields[PartKeys.cut]
            )
            guard let number, let count, let total, let cut else { return nil }
            guard let shard = Shard(number, of: count) else {
                complaints.add(found: "shard \(number) of \(count)", expected: "one of 1 to \(count)", at: fields.node.position)
                return nil
            }
            return RunPart(shard, total: total, cut: cut)
        },
        write: { part in
            let members = [PartKeys.number.member(part.shard.number), PartKeys.count.member(part.shard.count)]
            return .object(JSONObject(members + [PartKeys.total.member(part.total), PartKeys.cut.member(part.cut)]))
        })
}

extension ReportDocument.Reason {
    static let format: Format<ReportDocument.Reason> = .record(
        called: "a reason", about: "Why a case did not pass.",
        ReportDocument.Reason(requirement: "", source: nil, seen: "", requests: []),
        [
            // Reports of earlier versions have no requirement beside it.
            .computed(Field(required: "expected", Format<String>.line, "the requirement"), { $0.expected }, { $0.requirement = $1 }),
            .required("seen", .line, \.seen, "what happened, and where"),
            .computed(
                Field("requirement", Format<String>.line, "the requirement without its source; absent in reports of earlier versions"),
                { $0.requirement }, { $0.requirement = $1 }),
            .optional(
                "source", .line, \.source, "where the requirement comes from, such as `RFC 6750 §3.1`; absent if it is the case's own"),
            .value(
                "requests", .list(of: RequestRef.format), \.requests, unless: [],
                "the requests that show it, the one that broke it last; absent if none"),
        ])
}

extension RequestRef {
    /// A request that a reason is about.
    package static let format: Format<RequestRef> = .record(
        called: "a request", about: "A request that shows what happened.", RequestRef(number: 1),
        [
            .required("exchange", .int(in: 1...Int.max), \.number, "its number in the journal"),
            .optional("method", .line, \.method, "the request's method; absent if no head was read"),
            .required("path", .line, \.path, "the path, without the query"),
            .optional("operation", .line, \.operation, "the bank's operation; absent if it is not known"),
        ])

    /// The request as reports and the admin API show it.
    package var json: JSON { RequestRef.format.write?(self) ?? .null }
}

extension Cause {
    static let format: Format<Cause> = .record(
        called: "a cause", about: "The cause that results share that failed in the same way.", Cause(.other, ""),
        [
            .required("topic", .choice(of: Cause.Topic.self), \.topic, "money, tokens, or other"),
            .required(
                "title", .line, \.title,
                "the mistake, if it is known; otherwise what happened and the requirement, with `…` for what differs between runs"),
        ])
}

extension ReportDocument.Exchange {
    static let format: Format<ReportDocument.Exchange> = .record(
        called: "an exchange", about: "A request and its response, as in the journal: a token is replaced by its id.",
        ReportDocument.Exchange(line: "", requestHead: [], responseHead: []),
        [
            .required("exchange", .line, \.line, "the request and the response in one line, as in the timeline"),
            .required(
                "request_head", .lines, \.requestHead,
                "the request line and the headers, without secrets; at most 40 lines, empty if no request was read"),
            .optional(
                "request_body", .line, \.requestBody, "the request's body, without secrets; at most 2,000 characters, absent if empty"),
            .required(
                "reply_head", .lines, \.responseHead, "the status line and the headers; at most 40 lines, empty if no status was sent"),
            .optional("reply_body", .line, \.responseBody, "the response's body; at most 2,000 characters, absent if empty"),
        ])
}

extension Evidence.Outage {
    static let format: Format<Evidence.Outage> = .record(
        called: "an outage", about: "An outage that was started.", Evidence.Outage(name: "", seed: 0),
        [
            .required("name", .line, \.name, "the outage's name"),
            .required("seed", .seed, \.seed, "the seed with which it can be replayed"),
        ])
}

extension ReportDocument.Announcement {
    static let format: Format<ReportDocument.Announcement> = .record(
        called: "a known failure", about: "A failure that `known-failing` names.",
        ReportDocument.Announcement(reason: "", until: CivilDate(daysSinceEpoch: 0)),
        [
            .required("reason", .line, \.reason, "the reason in that file"),
            .required("until", .day, \.until, "the day after which it counts as a failure"),
        ])
}
