package import BankModel
import Contracts

extension ProviderReport {
    /// The report for people: each drift with its location, then what could not be compared and why, then one line.
    package var text: String {
        var parts = checks.filter { $0.verdict == .fail }.map { check in
            let width = check.drifts.map { $0.pointer.count }.max() ?? 0
            let lines = check.drifts.map { drift in
                let location = drift.pointer + String(repeating: " ", count: width - drift.pointer.count)
                return
                    "  \(drift.kind.rawValue.padded(to: 18))  \(width > 0 ? location + "  " : "")stub: \(drift.stub); provider: \(drift.provider)"
            }
            let notes = check.notes.map { "  note: \($0)" }
            return (["DRIFT  \(check.id)  \(check.request)"] + lines + notes).map(\.inOneLine).joined(separator: "\n")
        }
        let unknown: [(Verdict, String)] = [(.inconclusive, "inconclusive"), (.notExercised, "not exercised")]
        for (verdict, title) in unknown {
            let lines = checks.filter { $0.verdict == verdict }.map { "  \($0.id): \($0.notes.joined(separator: "; "))".inOneLine }
            if !lines.isEmpty { parts.append("\(title):\n" + lines.joined(separator: "\n")) }
        }
        let passed = checks.filter { $0.verdict == .pass && !$0.notes.isEmpty }.map {
            "  \($0.id): \($0.notes.joined(separator: "; "))".inOneLine
        }
        if !passed.isEmpty { parts.append("same as the stub, except:\n" + passed.joined(separator: "\n")) }
        if let trouble { parts.append("the provider could not be checked: \(trouble.indented)") }
        parts.append(summary)
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// `7 as the stub, 2 drifted (3 differences) of 13 checks (bank counterfoil, https://…, 21 requests)`
    package var summary: String {
        var counts = ["\(count(.pass)) same as the stub"]
        let differences = checks.reduce(0) { $0 + $1.drifts.count }
        if count(.fail) > 0 { counts.append("\(count(.fail)) drifted (\(counted(differences, "difference")))") }
        if count(.inconclusive) > 0 { counts.append("\(count(.inconclusive)) inconclusive") }
        if count(.notExercised) > 0 { counts.append("\(count(.notExercised)) not exercised") }
        return "\(counts.joined(separator: ", ")) of \(counted(checks.count, "check")) "
            + "(bank \(bank), \(provider), \(counted(requests, "request")))"
    }

    /// The report for programs.
    package var json: JSON {
        var object: JSONObject = JSONObject([
            ("v", 1), ("bank", .string(bank)), ("provider", .string(provider)), ("requests", .int(requests)),
            ("writes", .array(writes.map(JSON.string))),
        ])
        if let trouble { object["trouble"] = .string(trouble) }
        object["checks"] = .array(checks.map(\.json))
        return .object(object)
    }
}

extension ProviderReport.Check {
    fileprivate var json: JSON {
        [
            "check": .string(id), "suite": .string(suite.rawValue), "request": .string(request), "why": .string(why),
            "verdict": .string(verdict.rawValue),
            "drift": .array(
                drifts.map { drift in
                    [
                        "kind": .string(drift.kind.rawValue), "pointer": .string(drift.pointer), "stub": .string(drift.stub),
                        "provider": .string(drift.provider),
                    ]
                }),
            "notes": .array(notes.map(JSON.string)),
        ]
    }
}
