package import BankModel

extension RunReport {
    /// The version of the JSON report.
    package static let jsonVersion = 1

    /// The report for programs.
    package var json: JSON {
        var object = JSONObject([
            ("report", .int(RunReport.jsonVersion)), ("client", .string(client)), ("command", .string(command)),
            // A text: 64 bits do not fit a JSON number of every reader (RFC 8259 §6).
            ("seed", .string(String(seed))), ("duration_ms", .int(duration.nanoseconds / 1_000_000)),
            ("counts", .object(JSONObject(Verdict.allCases.map { ($0.rawValue, .int(count($0))) }))),
            ("results", .array(results.map(json))),
        ])
        object["trouble"] = trouble.map(JSON.string)
        return .object(object)
    }

    private func json(_ result: InstanceResult) -> JSON {
        let instance = result.instance
        var object = JSONObject([
            ("name", .string(result.name)), ("case", .string(instance.caseID)), ("suite", .string(instance.suite)),
            ("bank", .string(instance.bank.name)),
            ("parameters", .object(JSONObject(instance.parameters.map { ($0.key, .string($0.value)) }))),
            ("level", .string(instance.level.rawValue)), ("why", .string(instance.why)), ("repetition", .int(result.repetition)),
            ("verdict", .string(result.judgement.verdict.rawValue)),
            ("reasons", .array(result.judgement.reasons.map { ["expected": .string($0.expected), "seen": .string($0.seen)] })),
            ("duration_ms", .int(result.duration.nanoseconds / 1_000_000)),
        ])
        if result.judgement.verdict != .pass {
            object["timeline"] = .array(result.timeline.map(JSON.string))
            object["stderr"] = .array(result.stderrTail.map(JSON.string))
            object["outages"] = .array(result.evidence.outages.map { ["name": .string($0.name), "seed": .string(String($0.seed))] })
            object["again"] = .string(again(result))
        }
        object["known"] = result.known.map { ["reason": .string($0.reason), "until": .string($0.until.description)] }
        return .object(object)
    }
}
