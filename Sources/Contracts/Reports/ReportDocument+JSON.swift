package import BankModel

extension ReportDocument {
    /// The report for programs; `Contracts/report.schema.json` describes it.
    package var json: JSON {
        var object = JSONObject([
            ("report", .int(ReportDocument.version)), ("client", .string(client)), ("command", .string(command)),
            // A text: 64 bits do not fit a JSON number of every reader (RFC 8259 §6).
            ("seed", .string(String(seed))), ("duration_ms", .int(duration)),
            ("counts", .object(JSONObject(Verdict.allCases.map { ($0.rawValue, .int(count($0))) }))),
            ("results", .array(results.map(\.json))),
        ])
        object["trouble"] = trouble.map(JSON.string)
        if skipped > 0 { object["skipped"] = .int(skipped) }
        return .object(object)
    }

    /// Reads what ``json`` made.
    ///
    /// - Throws: ``ComplaintsError`` that names each place, what was found and what was expected.
    package init(json: JSON, file: String) throws(ComplaintsError) {
        self = try Complaints.collecting { complaints in ReportDocument(Node(json, at: Place(file: file)), complaints) }
    }

    private init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: "a report", complaints)
        guard let version = fields.required("report")?.int(in: 1...Int.max, complaints) else { return nil }
        guard version == ReportDocument.version else {
            complaints.add(
                found: "a report of version \(version)", expected: "version \(ReportDocument.version), the only one this program reads",
                at: node.place)
            return nil
        }
        _ = fields["counts"]
        let results = fields.required("results")?.elements(complaints)?.map { Result($0, complaints) } ?? []
        let client = fields.required("client")?.text(complaints)
        let command = fields.required("command")?.text(complaints)
        let seed = fields.required("seed").flatMap { readSeed($0, complaints) }
        let duration = fields.required("duration_ms")?.int(in: ReportDocument.Bounds.numbers, complaints)
        let trouble = fields["trouble"]?.text(complaints)
        let skipped = fields["skipped"]?.int(in: ReportDocument.Bounds.numbers, complaints) ?? 0
        fields.finish()
        guard let client, let command, let seed, let duration else { return nil }
        self.init(
            client: client, command: command, seed: seed, duration: Int64(duration), trouble: trouble, results: results.compactMap(\.self),
            skipped: skipped)
    }
}

extension ReportDocument.Result {
    fileprivate var json: JSON {
        var object = JSONObject([
            ("name", .string(name)), ("case", .string(caseID)), ("suite", .string(suite)), ("bank", .string(bank)),
            ("parameters", .object(JSONObject(parameters.map { ($0.key, .string($0.value)) }))),
            ("level", .string(level.rawValue)), ("why", .string(why)), ("repetition", .int(repetition)),
            ("verdict", .string(verdict.rawValue)),
            ("reasons", .array(reasons.map { ["expected": .string($0.expected), "seen": .string($0.seen)] })),
            ("duration_ms", .int(duration)), ("timeline", .array(timeline.map(JSON.string))),
            ("stderr", .array(stderr.map(JSON.string))),
            ("outages", .array(outages.map { ["name": .string($0.name), "seed": .string(String($0.seed))] })),
            ("again", .string(again)),
        ])
        object["headline"] = headline.map(JSON.string)
        object["do"] = advice.map(JSON.string)
        if timelineLeftOut > 0 { object["timeline_left_out"] = .int(timelineLeftOut) }
        if reasonsLeftOut > 0 { object["reasons_left_out"] = .int(reasonsLeftOut) }
        if isExcused { object["excused"] = true }
        object["known"] = known.map { ["reason": .string($0.reason), "until": .string($0.until.description)] }
        return .object(object)
    }

    fileprivate init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: "a result", complaints)
        func text(_ key: String) -> String? { fields.required(key)?.text(complaints) }
        func texts(_ key: String) -> [String] { fields.required(key)?.texts(complaints) ?? [] }
        func number(_ key: String) -> Int? { fields.required(key)?.int(in: ReportDocument.Bounds.numbers, complaints) }
        let level = fields.required("level")?.choice(of: ContractCase.Level.self, complaints)
        let verdict = fields.required("verdict")?.choice(of: Verdict.self, complaints)
        let parameters = fields.required("parameters").map { readParameters($0, complaints) } ?? []
        let reasons = fields.required("reasons")?.elements(complaints)?.map { ReportDocument.Reason($0, complaints) } ?? []
        let outages = fields.required("outages")?.elements(complaints)?.map { ReportDocument.Outage($0, complaints) } ?? []
        let known = fields["known"].flatMap { ReportDocument.Announcement($0, complaints) }
        let name = text("name")
        let caseID = text("case")
        let suite = text("suite")
        let bank = text("bank")
        let why = text("why")
        let again = text("again")
        let repetition = number("repetition")
        let duration = number("duration_ms")
        let timeline = texts("timeline")
        let stderr = texts("stderr")
        let advice = fields["do"]?.text(complaints)
        let leftOut = ["timeline_left_out", "reasons_left_out"].map { fields[$0]?.int(in: ReportDocument.Bounds.numbers, complaints) ?? 0 }
        let isExcused = fields["excused"].flatMap { $0.bool(complaints) } ?? false
        // Follows from the first reason.
        _ = fields["headline"]
        fields.finish()
        guard let name, let caseID, let suite, let bank, let level, let why, let repetition, let verdict, let duration, let again else {
            return nil
        }
        self.init(
            name: name, caseID: caseID, suite: suite, bank: bank, parameters: parameters, level: level, why: why,
            repetition: repetition, verdict: verdict, reasons: reasons.compactMap(\.self), duration: Int64(duration), timeline: timeline,
            stderr: stderr, outages: outages.compactMap(\.self), again: again, known: known, advice: advice,
            timelineLeftOut: leftOut[0], reasonsLeftOut: leftOut[1], isExcused: isExcused)
    }
}

extension ReportDocument.Reason {
    fileprivate init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: "a reason", complaints)
        let expected = fields.required("expected")?.text(complaints)
        let seen = fields.required("seen")?.text(complaints)
        fields.finish()
        guard let expected, let seen else { return nil }
        self.init(expected: expected, seen: seen)
    }
}

extension ReportDocument.Outage {
    fileprivate init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: "an outage", complaints)
        let name = fields.required("name")?.text(complaints)
        let seed = fields.required("seed").flatMap { readSeed($0, complaints) }
        fields.finish()
        guard let name, let seed else { return nil }
        self.init(name: name, seed: seed)
    }
}

extension ReportDocument.Announcement {
    fileprivate init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: "a known failure", complaints)
        let reason = fields.required("reason")?.text(complaints)
        let until = fields.required("until").flatMap { node -> CivilDate? in
            guard let text = node.text(complaints) else { return nil }
            return CivilDate(text) ?? node.wrong(complaints, "a day such as 2027-01-01")
        }
        fields.finish()
        guard let reason, let until else { return nil }
        self.init(reason: reason, until: until)
    }
}

private func readParameters(_ node: Node, _ complaints: Complaints) -> [Parameter] {
    let fields = Fields(node, of: "the parameters", complaints)
    return fields.all.compactMap { key, _, value in value.text(complaints).map { Parameter(key: key, value: $0) } }
}

private func readSeed(_ node: Node, _ complaints: Complaints) -> UInt64? {
    guard let text = node.text(complaints) else { return nil }
    return UInt64(text) ?? node.wrong(complaints, "a seed: digits, at most 64 bits")
}
