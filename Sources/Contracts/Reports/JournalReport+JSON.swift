package import BankModel

extension JournalReport {
    /// The report as the admin API shows it.
    package var json: JSON { JournalReport.format.write?(self) ?? .null }

    /// Reads what ``json`` made.
    package init(json: JSON) throws(ComplaintsError) {
        self = try Complaints.collecting { complaints in JournalReport.format.read(Node(json), complaints) }
    }

    /// The keys of a verdict.
    package static let schema = ObjectSchema("a verdict", "The results of a check of a journal.", fields: members.map(\.declaration))

    private static let format: Format<JournalReport> = .record(schema, JournalReport(session: "", bank: "", journal: []), members)

    private static let members: [RecordMember<JournalReport>] = [
        .required("session", .line, \.session, "the session's id"), .required("bank", .line, \.bank, "its bank"),
        .required("exchanges", .count, \.exchanges, "the number of checked exchanges"),
        .required("under_way", .count, \.underWay, "the number of exchanges in progress"),
        .required("dropped", .count, \.dropped, "the number of dropped exchanges"),
        .always(
            Field("through", Format<[String: Int]>.counts(of: "proxies"), "the number of requests through each proxy"), { $0.through },
            { $0.through = $1 }),
        .required("rules", .list(of: Outcome.format), \.rules, "the rules"),
        .optional(
            "outage", OutageEffect.format, \.outage, "the effect of the session's outage; absent if it affected no request"),
    ]
}

extension JournalReport.Outcome {
    fileprivate static let format: Format<JournalReport.Outcome> = .record(
        called: "a checked rule", about: "A rule and its result.",
        JournalReport.Outcome(
            id: "", level: .must, why: "", trigger: "", restsOn: [], met: 0, verdict: .pass, violations: [], openFindings: [], timeline: [],
            timelineLeftOut: 0),
        [
            .required("id", .line, \.id, "its id"),
            .required("level", .choice(of: ContractCase.Level.self), \.level, "its requirement level"),
            .required("why", .line, \.why, "the purpose of the rule"), .required("trigger", .line, \.trigger, "when it applies"),
            .required("met", .count, \.met, "how often it applied"),
            .required("verdict", .choice(of: Verdict.self), \.verdict, "the result"),
            .required("violations", .list(of: Finding.format), \.violations, "the violations"),
            .required("cannot_tell", .list(of: OpenFinding.format), \.openFindings, "the undecided questions"),
            .required("timeline", .lines, \.timeline, "the events, one per line"),
            .required("timeline_left_out", .count, \.timelineLeftOut, "the number of lines omitted from the middle"),
        ])
}

extension Finding {
    fileprivate static let format: Format<Finding> = .record(
        called: "a violation", about: "A violation by the client.", .blank, members)

    /// The members that a violation and a doubt share. Only those that earlier versions wrote are needed in what is read.
    fileprivate static let members: [RecordMember<Finding>] = [
        .computed(
            Field(required: "expected", Format<String>.line, "the required behavior"), { $0.expected.text },
            { $0.requirement = Phrase(fixed: $1) }),
        .computed(
            Field(required: "seen", Format<String>.line, "the observed behavior"), { $0.seen.text }, { $0.seen = Phrase(fixed: $1) }),
        .derived(Field(required: "headline", Format<String>.line, "both in one sentence"), { JSON.string($0.text) }),
        .computed(
            Field(
                required: "exchanges", Format<[Int]>.list(of: Format<Int>.int(in: 1...Int.max)),
                "the numbers of the exchanges in the journal"), { $0.requests.map(\.number) },
            { finding, numbers in finding.requests = numbers.map { RequestRef(number: $0) } }),
        .always(
            Field("requirement", Format<String>.line, "the required behavior, without its source"), { $0.requirement.text },
            { $0.requirement = Phrase(fixed: $1) }),
        .optional("source", .line, \.source, "the source of the requirement, such as `RFC 6750 §3.1`"),
        .derived(
            Field("link", Format<String>.line, "the address of that source, if it is on the web"),
            { $0.source.flatMap(SourceAddress.link).map(JSON.string) }),
        .always(
            Field(
                "requests", Format<[RequestRef]>.list(of: RequestRef.format),
                "those exchanges, each with its method, path and operation"), { $0.requests }, { $0.requests = $1 }),
    ]
}

extension OpenFinding {
    fileprivate static let format: Format<OpenFinding> = .record(
        called: "a doubt", about: "A question that the journal cannot decide.", OpenFinding(.blank, reason: "", advice: ""),
        Finding.members.map { $0.within(\OpenFinding.finding) } + reasons)

    private static let reasons: [RecordMember<OpenFinding>] = [
        .required("reason", .line, \.reason, "the reason"), .required("do", .line, \.advice, "how to get a result"),
    ]
}
