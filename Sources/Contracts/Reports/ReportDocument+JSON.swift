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
        guard let found = Fields(node, of: ReportKeys.schema, complaints)[ReportKeys.version] else { return nil }
        guard found == version else {
            complaints.add(
                found: "a report of version \(found)", expected: "version \(version), the only one this program reads", at: node.position)
            return nil
        }
        return format.read(node, complaints)
    }

    private var counts: JSON { .object(JSONObject(Verdict.allCases.map { ($0.rawValue, .int(count($0))) })) }

    private static let format: Format<ReportDocument> = .record(
        ReportKeys.schema, ReportDocument(client: "", command: "", seed: 0, duration: 0, results: []),
        [
            .computed(ReportKeys.version, { _ in ReportDocument.version }, { _, _ in }), .value(ReportKeys.client, \.client),
            // The seed is a text: 64 bits do not fit a JSON number of every reader (RFC 8259 §6).
            .value(ReportKeys.command, \.command), .value(ReportKeys.seed, \.seed), .value(ReportKeys.duration, \.duration),
            .derived(ReportKeys.counts, { $0.counts }),
            .value(ReportKeys.results, \.results), .optional(ReportKeys.trouble, \.trouble),
            .value(ReportKeys.skipped, \.skipped, unless: 0), .optional(ReportKeys.baseline, \.baseline),
            .optional(ReportKeys.started, \.origin.started), .optional(ReportKeys.host, \.origin.host),
            .optional(ReportKeys.program, \.origin.version), .optional(ReportKeys.contracts, \.contracts),
            .optional(ReportKeys.part, \.part), .value(ReportKeys.held, \.held, unless: [:]), .value(ReportKeys.notes, \.notes, unless: []),
        ])
}

extension ReportDocument.Result {
    static let format: Format<ReportDocument.Result> = .record(
        ResultKeys.schema,
        ReportDocument.Result(
            name: "", caseID: "", suite: "", bank: "", parameters: [], level: .must, why: "", repetition: 1, verdict: .pass, reasons: [],
            duration: 0, timeline: [], stderr: [], outages: [], again: ""),
        [
            .value(ResultKeys.name, \.name), .value(ResultKeys.caseID, \.caseID), .value(ResultKeys.suite, \.suite),
            .value(ResultKeys.bank, \.bank), .value(ResultKeys.parameters, \.parameters), .value(ResultKeys.level, \.level),
            .value(ResultKeys.why, \.why), .value(ResultKeys.repetition, \.repetition), .value(ResultKeys.verdict, \.verdict),
            .value(ResultKeys.reasons, \.reasons), .value(ResultKeys.duration, \.duration), .value(ResultKeys.timeline, \.timeline),
            .value(ResultKeys.stderr, \.stderr), .value(ResultKeys.outages, \.outages), .value(ResultKeys.again, \.again),
            .derived(ResultKeys.headline, { $0.headline.map(JSON.string) }), .optional(ResultKeys.advice, \.advice),
            .value(ResultKeys.timelineLeftOut, \.timelineLeftOut, unless: 0),
            .value(ResultKeys.reasonsLeftOut, \.reasonsLeftOut, unless: 0), .value(ResultKeys.excused, \.isExcused, unless: false),
            .optional(ResultKeys.known, \.known), .optional(ResultKeys.platform, \.platform),
            .value(ResultKeys.exchanges, \.exchanges, unless: []), .value(ResultKeys.exchangesLeftOut, \.exchangesLeftOut, unless: 0),
            .value(ResultKeys.unsearched, \.unsearched, unless: []), .value(ResultKeys.unsearchedLeftOut, \.unsearchedLeftOut, unless: 0),
            .value(ResultKeys.bugs, \.bugs, unless: []), .optional(ResultKeys.source, \.source),
            .computed(ResultKeys.file, { $0.position?.file }, { $0.position = SourcePosition(file: $1) }),
            .computed(ResultKeys.line, { $0.position?.line }, { $0.position?.line = $1 }), .optional(ResultKeys.order, \.order),
            .optional(ResultKeys.cause, \.cause),
        ])
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
        ReasonKeys.schema, ReportDocument.Reason(requirement: "", source: nil, seen: "", requests: []),
        [
            // Reports of earlier versions have no requirement beside it.
            .computed(ReasonKeys.expected, { $0.expected }, { $0.requirement = $1 }), .value(ReasonKeys.seen, \.seen),
            .value(ReasonKeys.requirement, \.requirement), .optional(ReasonKeys.source, \.source),
            .value(ReasonKeys.requests, \.requests, unless: []),
        ])
}

extension RequestRef {
    static let format: Format<RequestRef> = .record(
        RequestKeys.schema, RequestRef(number: 1),
        [
            .value(RequestKeys.number, \.number), .optional(RequestKeys.method, \.method), .value(RequestKeys.path, \.path),
            .optional(RequestKeys.operation, \.operation),
        ])

    /// The request as reports and the admin API show it.
    package var json: JSON { RequestRef.format.write?(self) ?? .null }
}

extension Cause {
    static let format: Format<Cause> = .record(
        CauseKeys.schema, Cause(.other, ""), [.value(CauseKeys.topic, \.topic), .value(CauseKeys.title, \.title)])
}

extension ReportDocument.Exchange {
    static let format: Format<ReportDocument.Exchange> = .record(
        ExchangeKeys.schema, ReportDocument.Exchange(line: "", requestHead: [], responseHead: []),
        [
            .value(ExchangeKeys.line, \.line), .value(ExchangeKeys.requestHead, \.requestHead),
            .optional(ExchangeKeys.requestBody, \.requestBody), .value(ExchangeKeys.responseHead, \.responseHead),
            .optional(ExchangeKeys.responseBody, \.responseBody),
        ])
}

extension Evidence.Outage {
    static let format: Format<Evidence.Outage> = .record(
        OutageKeys.schema, Evidence.Outage(name: "", seed: 0), [.value(OutageKeys.name, \.name), .value(OutageKeys.seed, \.seed)])
}

extension ReportDocument.Announcement {
    static let format: Format<ReportDocument.Announcement> = .record(
        KnownKeys.schema, ReportDocument.Announcement(reason: "", until: CivilDate(daysSinceEpoch: 0)),
        [.value(KnownKeys.reason, \.reason), .value(KnownKeys.until, \.until)])
}
