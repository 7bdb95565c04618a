package import BankModel

extension AttachedReport {
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
    ///
    /// - Throws: ``ComplaintsError`` that says what was found and what was expected.
    package init(json: JSON) throws(ComplaintsError) {
        self = try Complaints.collecting { complaints in AttachedReport(Node(json), complaints) }
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
        // Older servers do not say it.
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

extension AttachedReport.Outcome {
    fileprivate var json: JSON {
        [
            "id": .string(id), "level": .string(level.rawValue), "why": .string(why), "trigger": .string(trigger), "met": .int(met),
            "verdict": .string(verdict.rawValue),
            "violations": .array(
                violations.map {
                    [
                        "expected": .string($0.expected), "seen": .string($0.seen), "headline": .string($0.headline),
                        "exchanges": .array($0.exchanges.map { JSON.int($0) }),
                    ]
                }),
            "cannot_tell": .array(
                doubts.map {
                    [
                        "expected": .string($0.expected), "seen": .string($0.seen), "headline": .string($0.headline),
                        "reason": .string($0.reason), "do": .string($0.advice), "exchanges": .array($0.exchanges.map { JSON.int($0) }),
                    ]
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
        let violations = fields.required("violations")?.elements(complaints)?.compactMap { AttachedViolation($0, complaints) }
        let doubts = fields.required("cannot_tell")?.elements(complaints)?.compactMap { AttachedDoubt($0, complaints) }
        let timeline = fields.required("timeline")?.texts(complaints)
        let leftOut = fields.required("timeline_left_out")?.int(in: ReportDocument.Bounds.numbers, complaints)
        fields.finish()
        guard let id, let why, let trigger, let level, let verdict, let met, let violations, let doubts, let timeline, let leftOut else {
            return nil
        }
        self.init(
            id: id, level: level, why: why, trigger: trigger, met: met, verdict: verdict, violations: violations, doubts: doubts,
            timeline: timeline, timelineLeftOut: leftOut)
    }
}

extension AttachedViolation {
    fileprivate init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: "a violation", complaints)
        let expected = fields.required("expected")?.text(complaints)
        let seen = fields.required("seen")?.text(complaints)
        let exchanges = fields.required("exchanges")?.elements(complaints)?.compactMap { $0.int(in: 1...Int.max, complaints) }
        // Follows from the two halves.
        _ = fields["headline"]
        fields.finish()
        guard let expected, let seen, let exchanges else { return nil }
        self.init(expected: expected, seen: seen, exchanges: exchanges)
    }
}

extension AttachedDoubt {
    fileprivate init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: "a doubt", complaints)
        func text(_ key: String) -> String? { fields.required(key)?.text(complaints) }
        let expected = text("expected")
        let seen = text("seen")
        let reason = text("reason")
        let advice = text("do")
        let exchanges = fields.required("exchanges")?.elements(complaints)?.compactMap { $0.int(in: 1...Int.max, complaints) }
        // Follows from the two halves.
        _ = fields["headline"]
        fields.finish()
        guard let expected, let seen, let reason, let advice, let exchanges else { return nil }
        self.init(expected: expected, seen: seen, reason: reason, advice: advice, exchanges: exchanges)
    }
}
