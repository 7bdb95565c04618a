import BankModel
import Contracts

/// Documents made by hand: what a test does not say is a failure like any other.
enum Report {
    /// `result("pay.a@toy", expected: …)` as it stands in a report's file.
    static func result(
        _ name: String = "toy.case@toy", _ verdict: Verdict = .fail, expected: String = "the same key in every attempt",
        seen: String = "2 attempts with k1, k2", also: [(String, String)] = [], timeline: [String] = [], stderr: [String] = [],
        cause: Cause? = nil
    ) -> JSON {
        let reasons = verdict == .pass ? [] : [(expected, seen)] + also
        var result: JSON = [
            "name": .string(name), "case": .string(String(name.prefix { $0 != "@" })), "suite": "toy",
            "bank": .string(String(name.drop { $0 != "@" }.dropFirst().prefix { !"[ ".contains($0) })),
            "parameters": [:], "level": "must", "why": "because", "repetition": 1, "verdict": .string(verdict.rawValue),
            "reasons": .array(reasons.map { ["expected": .string($0.0), "seen": .string($0.1)] }), "duration_ms": 1,
            "timeline": .array(timeline.map(JSON.string)), "stderr": .array(stderr.map(JSON.string)), "outages": [],
            "again": "counterfoil test",
        ]
        if let cause, case .object(var object) = result {
            object["cause"] = ["topic": .string(cause.topic.rawValue), "title": .string(cause.title)]
            result = .object(object)
        }
        return result
    }

    static func document(_ results: JSON...) throws -> ReportDocument { try document(results) }

    static func document(_ results: [JSON]) throws -> ReportDocument {
        let json: JSON = [
            "report": 1, "client": "toy 1", "command": "./toy", "seed": "7", "duration_ms": 1, "results": .array(results),
        ]
        return try ReportDocument(json: json, file: "a.json")
    }
}
