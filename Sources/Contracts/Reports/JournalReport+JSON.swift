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
            .value(key("session", Format<String>.line), \.session), .value(key("bank", Format<String>.line), \.bank),
            .value(key("exchanges", Format<Int>.count), \.exchanges), .value(key("under_way", Format<Int>.count), \.underWay),
            .value(key("dropped", Format<Int>.count), \.dropped), .value(laterKey("through", .counts(of: "headers")), \.through),
            .value(key("rules", Format<[Outcome]>.list(of: Outcome.format)), \.rules),
            .optional(laterKey("outage", effect), \.outage),
        ])

    private static let effect = Format<OutageEffect>(.any, read: { OutageEffect($0, $1) }, write: { $0.json })
}

private func key<Value>(_ name: String, _ format: Format<Value>) -> Field<Value> { Field(required: name, format, "") }

/// A key that older servers do not send, or that is absent if there is nothing to say.
private func laterKey<Value>(_ name: String, _ format: Format<Value>) -> Field<Value> { Field(name, format, "") }

extension JournalReport.Outcome {
    fileprivate static let format: Format<JournalReport.Outcome> = .record(
        called: "a rule",
        JournalReport.Outcome(
            id: "", level: .must, why: "", trigger: "", met: 0, verdict: .pass, violations: [], openFindings: [], timeline: [],
            timelineLeftOut: 0),
        [
            .value(key("id", Format<String>.line), \.id),
            .value(key("level", Format<ContractCase.Level>.choice(of: ContractCase.Level.self)), \.level),
            .value(key("why", Format<String>.line), \.why), .value(key("trigger", Format<String>.line), \.trigger),
            .value(key("met", Format<Int>.count), \.met),
            .value(key("verdict", Format<Verdict>.choice(of: Verdict.self)), \.verdict),
            .value(key("violations", Format<[Finding]>.list(of: Finding.format)), \.violations),
            .value(key("cannot_tell", Format<[OpenFinding]>.list(of: OpenFinding.format)), \.openFindings),
            .value(key("timeline", Format<[String]>.lines), \.timeline),
            .value(key("timeline_left_out", Format<Int>.count), \.timelineLeftOut),
        ])
}

extension Finding {
    fileprivate static let format: Format<Finding> = .record(called: "a violation", .blank, members)

    /// The members that a violation and a doubt share. Older servers do not send the requirement, its source and the requests.
    fileprivate static let members: [RecordMember<Finding>] = [
        .computed(key("expected", Format<String>.line), { $0.expected.text }, { $0.requirement = Phrase(fixed: $1) }),
        .computed(key("seen", Format<String>.line), { $0.seen.text }, { $0.seen = Phrase(fixed: $1) }),
        .derived(laterKey("headline", Format<String>.line), { JSON.string($0.text) }),
        .computed(
            key("exchanges", Format<[Int]>.list(of: Format<Int>.int(in: 1...Int.max))), { $0.requests.map(\.number) },
            { finding, numbers in finding.requests = numbers.map { RequestRef(number: $0) } }),
        .computed(laterKey("requirement", Format<String>.line), { $0.requirement.text }, { $0.requirement = Phrase(fixed: $1) }),
        .optional(laterKey("source", Format<String>.line), \.source),
        .derived(laterKey("link", Format<String>.line), { $0.source.flatMap(SourceAddress.link).map(JSON.string) }),
        .value(laterKey("requests", Format<[RequestRef]>.list(of: RequestRef.format)), \.requests),
    ]
}

extension OpenFinding {
    fileprivate static let format: Format<OpenFinding> = .record(
        called: "a doubt", OpenFinding(.blank, reason: "", advice: ""),
        Finding.members.map { $0.within(\OpenFinding.finding) } + reasons)

    private static let reasons: [RecordMember<OpenFinding>] = [
        .value(key("reason", Format<String>.line), \.reason), .value(key("do", Format<String>.line), \.advice),
    ]
}
