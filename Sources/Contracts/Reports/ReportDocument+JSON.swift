package import BankModel

extension ReportDocument {
    /// The report for programs; `schemas/report.schema.json` describes it.
    package var json: JSON {
        var object = JSONObject([
            ReportKeys.version.member(ReportDocument.version), ReportKeys.client.member(client), ReportKeys.command.member(command),
            // A text: 64 bits do not fit a JSON number of every reader (RFC 8259 §6).
            ReportKeys.seed.member(seed), (ReportKeys.duration.key, .int(duration)),
            (ReportKeys.counts.key, .object(JSONObject(Verdict.allCases.map { ($0.rawValue, .int(count($0))) }))),
            (ReportKeys.results.key, .array(results.map(\.json))),
        ])
        object.set(ReportKeys.trouble, trouble)
        object.set(ReportKeys.skipped, skipped > 0 ? skipped : nil)
        object.set(ReportKeys.baseline, baseline)
        object.set(ReportKeys.started, origin.started)
        object.set(ReportKeys.host, origin.host)
        object.set(ReportKeys.program, origin.version)
        object.set(ReportKeys.contracts, contracts)
        object[ReportKeys.part.key] = part?.json
        let counts = held.sorted { $0.key < $1.key }.map { ($0.key, JSON.int($0.value)) }
        object[ReportKeys.held.key] = counts.isEmpty ? nil : .object(JSONObject(counts))
        object.set(ReportKeys.notes, notes.isEmpty ? nil : notes)
        return .object(object)
    }

    /// Reads what ``json`` made.
    ///
    /// - Throws: ``ComplaintsError`` that names each position, what was found and what was expected.
    package init(json: JSON, file: String) throws(ComplaintsError) {
        self = try Complaints.collecting { complaints in ReportDocument(Node(json, at: SourcePosition(file: file)), complaints) }
    }

    private init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: ReportKeys.schema, complaints)
        guard let version = fields[ReportKeys.version] else { return nil }
        guard version == ReportDocument.version else {
            complaints.add(
                found: "a report of version \(version)", expected: "version \(ReportDocument.version), the only one this program reads",
                at: node.position)
            return nil
        }
        _ = fields.node(of: ReportKeys.counts)
        let results = fields[ReportKeys.results]?.map { Result($0, complaints) } ?? []
        let client = fields[ReportKeys.client]
        let command = fields[ReportKeys.command]
        let seed = fields[ReportKeys.seed]
        let duration = fields[ReportKeys.duration]
        let trouble = fields[ReportKeys.trouble]
        let skipped = fields[ReportKeys.skipped] ?? 0
        let baseline = fields[ReportKeys.baseline]
        let started = fields[ReportKeys.started]
        let host = fields[ReportKeys.host]
        let program = fields[ReportKeys.program]
        let contracts = fields[ReportKeys.contracts]
        let part = fields[ReportKeys.part].flatMap { RunPart($0, complaints) }
        let held = fields[ReportKeys.held].map { readCounts($0, complaints) } ?? [:]
        let notes = fields[ReportKeys.notes] ?? []
        fields.finish()
        guard let client, let command, let seed, let duration else { return nil }
        self.init(
            client: client, command: command, seed: seed, duration: Int64(duration), trouble: trouble, results: results.compactMap(\.self),
            skipped: skipped, baseline: baseline, origin: Origin(started: started, host: host, version: program), contracts: contracts,
            part: part, held: held, notes: notes)
    }
}

extension ReportDocument.Result {
    fileprivate var json: JSON {
        var object = JSONObject([
            ResultKeys.name.member(name), ResultKeys.caseID.member(caseID), ResultKeys.suite.member(suite), ResultKeys.bank.member(bank),
            (ResultKeys.parameters.key, .object(JSONObject(parameters.map { ($0.key, .string($0.value)) }))),
            ResultKeys.level.member(level), ResultKeys.why.member(why), ResultKeys.repetition.member(repetition),
            ResultKeys.verdict.member(verdict), (ResultKeys.reasons.key, .array(reasons.map(\.json))),
            (ResultKeys.duration.key, .int(duration)), ResultKeys.timeline.member(timeline), ResultKeys.stderr.member(stderr),
            (ResultKeys.outages.key, .array(outages.map(\.json))), ResultKeys.again.member(again),
        ])
        object.set(ResultKeys.headline, headline)
        object.set(ResultKeys.advice, advice)
        object.set(ResultKeys.timelineLeftOut, timelineLeftOut > 0 ? timelineLeftOut : nil)
        object.set(ResultKeys.reasonsLeftOut, reasonsLeftOut > 0 ? reasonsLeftOut : nil)
        object.set(ResultKeys.excused, isExcused ? true : nil)
        object[ResultKeys.known.key] = known.map(\.json)
        object.set(ResultKeys.platform, platform)
        object[ResultKeys.exchanges.key] = exchanges.isEmpty ? nil : .array(exchanges.map(\.json))
        object.set(ResultKeys.exchangesLeftOut, exchangesLeftOut > 0 ? exchangesLeftOut : nil)
        object.set(ResultKeys.unsearched, unsearched.isEmpty ? nil : unsearched)
        object.set(ResultKeys.unsearchedLeftOut, unsearchedLeftOut > 0 ? unsearchedLeftOut : nil)
        object.set(ResultKeys.bugs, bugs.isEmpty ? nil : bugs)
        object.set(ResultKeys.source, source)
        object.set(ResultKeys.file, position?.file)
        object.set(ResultKeys.line, position?.line)
        object.set(ResultKeys.order, order)
        object[ResultKeys.cause.key] = cause.map(\.json)
        return .object(object)
    }

    fileprivate init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: ResultKeys.schema, complaints)
        let level = fields[ResultKeys.level]
        let verdict = fields[ResultKeys.verdict]
        let parameters = fields[ResultKeys.parameters].map { readParameters($0, complaints) } ?? []
        let reasons = fields[ResultKeys.reasons]?.map { ReportDocument.Reason($0, complaints) } ?? []
        let outages = fields[ResultKeys.outages]?.map { ReportDocument.Outage($0, complaints) } ?? []
        let known = fields[ResultKeys.known].flatMap { ReportDocument.Announcement($0, complaints) }
        let platform = fields[ResultKeys.platform]
        let name = fields[ResultKeys.name]
        let caseID = fields[ResultKeys.caseID]
        let suite = fields[ResultKeys.suite]
        let bank = fields[ResultKeys.bank]
        let why = fields[ResultKeys.why]
        let again = fields[ResultKeys.again]
        let repetition = fields[ResultKeys.repetition]
        let duration = fields[ResultKeys.duration]
        let timeline = fields[ResultKeys.timeline] ?? []
        let stderr = fields[ResultKeys.stderr] ?? []
        let advice = fields[ResultKeys.advice]
        let timelineLeftOut = fields[ResultKeys.timelineLeftOut] ?? 0
        let reasonsLeftOut = fields[ResultKeys.reasonsLeftOut] ?? 0
        let isExcused = fields[ResultKeys.excused] ?? false
        let exchanges = fields[ResultKeys.exchanges]?.map { ReportDocument.Exchange($0, complaints) } ?? []
        let exchangesLeftOut = fields[ResultKeys.exchangesLeftOut] ?? 0
        let unsearched = fields[ResultKeys.unsearched] ?? []
        let unsearchedLeftOut = fields[ResultKeys.unsearchedLeftOut] ?? 0
        let bugs = fields[ResultKeys.bugs] ?? []
        let source = fields[ResultKeys.source]
        let file = fields[ResultKeys.file]
        let line = fields[ResultKeys.line]
        let order = fields[ResultKeys.order]
        let cause = fields[ResultKeys.cause].flatMap { Cause($0, complaints) }
        // Follows from the first reason.
        _ = fields.node(of: ResultKeys.headline)
        fields.finish()
        guard let name, let caseID, let suite, let bank, let level, let why, let repetition, let verdict, let duration, let again else {
            return nil
        }
        self.init(
            name: name, caseID: caseID, suite: suite, bank: bank, parameters: parameters, level: level, why: why,
            repetition: repetition, verdict: verdict, reasons: reasons.compactMap(\.self), duration: Int64(duration), timeline: timeline,
            stderr: stderr, outages: outages.compactMap(\.self), again: again, known: known, platform: platform, advice: advice,
            timelineLeftOut: timelineLeftOut, reasonsLeftOut: reasonsLeftOut, isExcused: isExcused,
            exchanges: exchanges.compactMap(\.self), exchangesLeftOut: exchangesLeftOut,
            unsearched: unsearched, unsearchedLeftOut: unsearchedLeftOut, bugs: bugs, source: source,
            position: file.map { SourcePosition(file: $0, line: line) }, order: order, cause: cause)
    }
}

extension RunPart {
    fileprivate var json: JSON {
        .object(
            JSONObject([
                PartKeys.number.member(shard.number), PartKeys.count.member(shard.count), PartKeys.total.member(total),
                PartKeys.cut.member(cut),
            ]))
    }

    fileprivate init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: PartKeys.schema, complaints)
        let number = fields[PartKeys.number]
        let count = fields[PartKeys.count]
        let total = fields[PartKeys.total]
        let cut = fields[PartKeys.cut]
        fields.finish()
        guard let number, let count, let total, let cut else { return nil }
        guard let shard = Shard(number, of: count) else {
            complaints.add(found: "shard \(number) of \(count)", expected: "one of 1 to \(count)", at: node.position)
            return nil
        }
        self.init(shard, total: total, cut: cut)
    }
}

extension ReportDocument.Reason {
    fileprivate var json: JSON {
        var members = [ReasonKeys.expected.member(expected), ReasonKeys.seen.member(seen), ReasonKeys.requirement.member(requirement)]
        if let source { members.append(ReasonKeys.source.member(source)) }
        if !requests.isEmpty { members.append((ReasonKeys.requests.key, JSON.array(requests.map(\.json)))) }
        return .object(JSONObject(members))
    }

    fileprivate init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: ReasonKeys.schema, complaints)
        let expected = fields[ReasonKeys.expected]
        let seen = fields[ReasonKeys.seen]
        // Reports of earlier versions do not have these.
        let requirement = fields[ReasonKeys.requirement]
        let source = fields[ReasonKeys.source]
        let requests = fields[ReasonKeys.requests]?.compactMap { RequestRef($0, complaints) } ?? []
        fields.finish()
        guard let expected, let seen else { return nil }
        self.init(requirement: requirement ?? expected, source: source, seen: seen, requests: requests)
    }
}

extension RequestRef {
    package var json: JSON {
        let method = method.map { RequestKeys.method.member($0) }
        let operation = operation.map { RequestKeys.operation.member($0) }
        let members = [RequestKeys.number.member(number), method, RequestKeys.path.member(path), operation]
        return .object(JSONObject(members.compactMap(\.self)))
    }

    init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: RequestKeys.schema, complaints)
        let number = fields[RequestKeys.number]
        let method = fields[RequestKeys.method]
        let path = fields[RequestKeys.path]
        let operation = fields[RequestKeys.operation]
        fields.finish()
        guard let number, let path else { return nil }
        self.init(number: number, method: method, path: path, operation: operation)
    }
}

extension Cause {
    fileprivate var json: JSON { .object(JSONObject([CauseKeys.topic.member(topic), CauseKeys.title.member(title)])) }

    fileprivate init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: CauseKeys.schema, complaints)
        let topic = fields[CauseKeys.topic]
        let title = fields[CauseKeys.title]
        fields.finish()
        guard let topic, let title else { return nil }
        self.init(topic, title)
    }
}

extension ReportDocument.Exchange {
    fileprivate var json: JSON {
        var object = JSONObject([ExchangeKeys.line.member(line), ExchangeKeys.requestHead.member(requestHead)])
        object.set(ExchangeKeys.requestBody, requestBody)
        object.set(ExchangeKeys.responseHead, responseHead)
        object.set(ExchangeKeys.responseBody, responseBody)
        return .object(object)
    }

    fileprivate init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: ExchangeKeys.schema, complaints)
        let line = fields[ExchangeKeys.line]
        let requestHead = fields[ExchangeKeys.requestHead]
        let requestBody = fields[ExchangeKeys.requestBody]
        let responseHead = fields[ExchangeKeys.responseHead]
        let responseBody = fields[ExchangeKeys.responseBody]
        fields.finish()
        guard let line, let requestHead, let responseHead else { return nil }
        self.init(line: line, requestHead: requestHead, requestBody: requestBody, responseHead: responseHead, responseBody: responseBody)
    }
}

extension ReportDocument.Outage {
    fileprivate var json: JSON { .object(JSONObject([OutageKeys.name.member(name), OutageKeys.seed.member(seed)])) }

    fileprivate init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: OutageKeys.schema, complaints)
        let name = fields[OutageKeys.name]
        let seed = fields[OutageKeys.seed]
        fields.finish()
        guard let name, let seed else { return nil }
        self.init(name: name, seed: seed)
    }
}

extension ReportDocument.Announcement {
    fileprivate var json: JSON { .object(JSONObject([KnownKeys.reason.member(reason), KnownKeys.until.member(until)])) }

    fileprivate init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: KnownKeys.schema, complaints)
        let reason = fields[KnownKeys.reason]
        let until = fields[KnownKeys.until]
        fields.finish()
        guard let reason, let until else { return nil }
        self.init(reason: reason, until: until)
    }
}

private func readCounts(_ node: Node, _ complaints: Complaints) -> [String: Int] {
    let counts = Fields(node, of: "the counts", complaints).all.compactMap { key, _, value in
        value.int(in: ReportDocument.Bounds.numbers, complaints).map { (key, $0) }
    }
    return Dictionary(counts) { first, _ in first }
}

private func readParameters(_ node: Node, _ complaints: Complaints) -> [Parameter] {
    let fields = Fields(node, of: "the parameters", complaints)
    return fields.all.compactMap { key, _, value in value.text(complaints).map { Parameter(key: key, value: $0) } }
}
