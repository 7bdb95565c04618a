package import BankModel

extension JournalReport {
    /// The report as the admin API shows it.
    package var json: JSON {
        var object = JSONObject([
            ("session", .string(session)), ("bank", .string(bank)), ("exchanges", .int(exchanges)), ("under_way", .int(underWay)),
            ("dropped", .int(dropped)),
            ("through", .object(JSONObject(through.sorted { $0.key < $1.key }.map { ($0.key, .int($0.value)) }))),
            ("rules", .array(rules.map(\.json))),
        ])
        object["outage"] = outage?.json
        return .object(object)
    }

    /// Reads what ``json`` made.
    package init(json: JSON) throws(ComplaintsError) {
        self = try Complaints.collecting { complaints in JournalReport(Node(json), complaints) }
    }

    private init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: "a verdict", complaints)
        func number(_ key: String) -> Int? { fields.required(key)?.int(in: ReportDocument.Bounds.numbers, complaints) }
        let session = fields.required("session")?.text(complaints)
        let bank = fields.required("bank")?.text(complaints)
        let exchanges = number("exchanges")
        let underWay = number("under_way")
        let dropped = number("dropped")
        let rules = fields.required("rules")?.elements(complaints)?.compactMap { Outcome($0, complaints) }
        // Older servers do not send it.
        let through = fields["through"]?.json.object ?? JSONObject()
        for name in through.keys { self.through[name] = through[name]?.int.map { Int(clamping: $0) } }
        outage = fields["outage"].flatMap { OutageEffect($0, complaints) }
        fields.finish()
        guard let session, let bank, let exchanges, let underWay, let dropped, let rules else { return nil }
        self.session = session
        self.bank = bank
        self.exchanges = exchanges
        self.underWay = underWay
        self.dropped = dropped
        self.rules = rules
    }
}

extension JournalReport.Outcome {
    fileprivate var json: JSON {
        [
            "id": .string(id), "level": .string(level.rawValue), "why": .string(why), "trigger": .string(trigger), "met": .int(met),
            "verdict": .string(verdict.rawValue),
            "violations": .array(violations.map { .object($0.json) }),
            "cannot_tell": .array(
                openFindings.map { doubt in
                    var object = doubt.finding.json
                    object["reason"] = .string(doubt.reason)
                    object["do"] = .string(doubt.advice)
                    return .object(object)
                }),
            "timeline": .array(timeline.map(JSON.string)), "timeline_left_out": .int(timelineLeftOut),
        ]
    }

    fileprivate init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: "a rule", complaints)
        func text(_ key: String) -> String? { fields.required(key)?.text(complaints) }
        let id = text("id")
        let why = text("why")
        let trigger = text("trigger")
        let level = fields.required("level")?.choice(of: ContractCase.Level.self, complaints)
        let verdict = fields.required("verdict")?.choice(of: Verdict.self, complaints)
        let met = fields.required("met")?.int(in: ReportDocument.Bounds.numbers, complaints)
        let violations = fields.required("violations")?.elements(complaints)?.compactMap { Finding($0, complaints) }
        let openFindings = fields.required("cannot_tell")?.elements(complaints)?.compactMap { OpenFinding($0, complaints) }
        let timeline = fields.required("timeline")?.texts(complaints)
        let leftOut = fields.required("timeline_left_out")?.int(in: ReportDocument.Bounds.numbers, complaints)
        fields.finish()
        guard let id, let why, let trigger, let level, let verdict, let met, let violations, let openFindings, let timeline, let leftOut
        else {
            return nil
        }
        self.init(
            id: id, level: level, why: why, trigger: trigger, met: met, verdict: verdict, violations: violations,
            openFindings: openFindings,
            timeline: timeline, timelineLeftOut: leftOut)
    }
}

extension Finding {
    /// The members that a violation and a doubt share.
    fileprivate var json: JSONObject {
        var object = JSONObject([
            ("expected", .string(expected.text)), ("seen", .string(seen.text)), ("headline", .string(text)),
            ("exchanges", .array(requests.map { .int($0.number) })), ("requirement", .string(requirement.text)),
        ])
        object["source"] = source.map { .string($0) }
        object["link"] = source.flatMap(SourceAddress.link).map { .string($0) }
        object["requests"] = .array(requests.map(\.json))
        return object
    }

    /// Reads them. Older servers do not send the requirement, its source and the requests.
    fileprivate init?(_ fields: Fields, _ complaints: Complaints) {
        let expected = fields.required("expected")?.text(complaints)
        let seen = fields.required("seen")?.text(complaints)
        let exchanges = fields.required("exchanges")?.elements(complaints)?.compactMap { $0.int(in: 1...Int.max, complaints) }
        let requirement = fields["requirement"]?.text(complaints)
        let source = fields["source"]?.text(complaints)
        let requests = fields["requests"]?.elements(complaints)?.compactMap { RequestRef.format.read($0, complaints) }
        // Follow from the others.
        for key in ["headline", "link"] { _ = fields[key] }
        guard let expected, let seen, let exchanges else { return nil }
        self.init(
            Phrase(fixed: seen), Phrase(fixed: requirement ?? expected), source: source,
            requests: requests ?? exchanges.map { RequestRef(number: $0) })
    }

    fileprivate init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: "a violation", complaints)
        defer { fields.finish() }
        self.init(fields, complaints)
    }
}

extension OpenFinding {
    fileprivate init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: "a doubt", complaints)
        let finding = Finding(fields, complaints)
        let reason = fields.required("reason")?.text(complaints)
        let advice = fields.required("do")?.text(complaints)
        fields.finish()
        guard let finding, let reason, let advice else { return nil }
        self.init(finding, reason: reason, advice: advice)
    }
}
