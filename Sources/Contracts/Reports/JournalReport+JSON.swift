package import BankModel

extension JournalReport {
    /// The report as the admin API shows it.
    package var json: JSON { JournalReport.format.write?(self) ?? .null }

    /// Reads what ``json`` made.
    package init(json: JSON) throws(ComplaintsError) {
        self = try Complaints.collecting { complaints in JournalReport.format.read(Node(json), complaints) }
    }

    private static let format: Format<JournalReport> = .record(
        called: "a verdict", JournalReport(session: "", bank: "", journal: []),
        [
            .required("session", .line, \.session), .required("bank", .line, \.bank), .required("exchanges", .count, \.exchanges),
            .required("under_way", .count, \.underWay), .required("dropped", .count, \.dropped),
            // Older servers do not send it.
            .computed(Field("through", Format<[String: Int]>.counts(of: "headers"), ""), { $0.through }, { $0.through = $1 }),
            .required("rules", .list(of: Outcome.format), \.rules), .optional("outage", effect, \.outage),
        ])

    private static let effect = Format<OutageEffect>(.any, read: { OutageEffect($0, $1) }, write: { $0.json })
}

extension JournalReport.Outcome {
    fileprivate static let format: Format<JournalReport.Outcome> = .record(
        called: "a rule",
        JournalReport.Outcome(
            id: "", level: .must, why: "", trigger: "", met: 0, verdict: .pass, violations: [], openFindings: [], timeline: [],
            timelineLeftOut: 0),
        [
            .required("id", .line, \.id), .required("level", .choice(of: ContractCase.Level.self), \.level),
            .required("why", .line, \.why), .required("trigger", .line, \.trigger), .required("met", .count, \.met),
            .required("verdict", .choice(of: Verdict.self), \.verdict),
            .required("violations", .list(of: Finding.format), \.violations),
            .required("cannot_tell", .list(of: OpenFinding.format), \.openFindings), .required("timeline", .lines, \.timeline),
            .required("timeline_left_out", .count, \.timelineLeftOut),
        ])
}

extension Finding {
    fileprivate static let format: Format<Finding> = .record(called: "a violation", .blank, members)

    /// The members that a violation and a doubt share. Older servers do not send the requirement, its source and the requests.
    fileprivate static let members: [RecordMember<Finding>] = [
        .computed(
            Field(required: "expected", Format<String>.line, ""), { $0.expected.text }, { $0.requirement = Phrase(fixed: $1) }),
        .computed(Field(required: "seen", Format<String>.line, ""), { $0.seen.text }, { $0.seen = Phrase(fixed: $1) }),
        .derived(Field("headline", Format<String>.line, ""), { JSON.string($0.text) }),
        .computed(
            Field(required: "exchanges", Format<[Int]>.list(of: Format<Int>.int(in: 1...Int.max)), ""), { $0.requests.map(\.number) },
            { finding, numbers in finding.requests = numbers.map { RequestRef(number: $0) } }),
        .computed(
            Field("requirement", Format<String>.line, ""), { $0.requirement.text }, { $0.requirement = Phrase(fixed: $1) }),
        .optional("source", .line, \.source),
        .derived(Field("link", Format<String>.line, ""), { $0.source.flatMap(SourceAddress.link).map(JSON.string) }),
        .computed(
            Field("requests", Format<[RequestRef]>.list(of: RequestRef.format), ""), { $0.requests }, { $0.requests = $1 }),
    ]
}

extension OpenFinding {
    fileprivate static let format: Format<OpenFinding> = .record(
        called: "a doubt", OpenFinding(.blank, reason: "", advice: ""),
        Finding.members.map { $0.within(\OpenFinding.finding) } + reasons)

    private static let reasons: [RecordMember<OpenFinding>] = [
        .required("reason", .line, \.reason), .required("do", .line, \.advice),
    ]
}
