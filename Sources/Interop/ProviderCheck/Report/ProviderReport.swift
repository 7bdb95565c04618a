package import BankModel
package import Contracts

/// The report of checking a real API against the stub's definition of it.
package struct ProviderReport: Sendable {
    package var bank: String
    /// The provider's address, without credentials.
    package var provider: String
    package var checks: [Check]
    /// Why the provider could not be checked, or not to the end.
    package var trouble: String?
    /// How many requests were sent to the provider.
    package var requests: Int
    /// The sandbox's payments, and whatever else was changed at the provider.
    package var writes: [String] = []

    /// One thing that was compared.
    package struct Check: Sendable, Hashable {
        package var suite: Suite
        /// The operation's name, or what is tried.
        package var name: String
        /// The request line with the path's parameters by name, never their values.
        package var request: String
        /// The comparison, in a sentence.
        package var why: String
        package var verdict: Verdict
        package var drifts: [Drift] = []
        /// Remarks: why nothing was compared, or which parts were not.
        package var notes: [String] = []

        /// Such as `shapes.accounts`.
        package var id: String { "\(suite.rawValue).\(name)" }
    }

    package enum Suite: String, Sendable, CaseIterable {
        case shapes, auth, idempotency
    }

    package func count(_ verdict: Verdict) -> Int { checks.count { $0.verdict == verdict } }

    /// The exit code, in the precedence of a contract run: 3, 1, 4, 0.
    package var exitCode: ExitCode {
        if trouble != nil || count(.inconclusive) > 0 { return .noVerdict }
        if count(.fail) > 0 { return .failed }
        return count(.pass) == 0 ? .nothingExercised : .ok
    }

    /// The report as JUnit is rendered from.
    ///
    /// - Parameters:
    ///   - command: the command line that checks again; no secret in it.
    ///   - duration: in milliseconds.
    package func document(command: String, duration: Int64) -> ReportDocument {
        ReportDocument(
            checksOf: provider, command: command, duration: duration, trouble: trouble,
            results: checks.map { check in
                var reasons = check.drifts.map { drift in
                    ReportDocument.Reason(
                        expected: "the stub declares \(drift.stub)",
                        seen: "\(drift.location)the provider sent \(drift.provider) (\(drift.kind.rawValue))")
                }
                if check.verdict != .pass {
                    reasons += check.notes.map {
                        ReportDocument.Reason(expected: "the check needs a response that can be compared", seen: $0)
                    }
                }
                return ReportDocument.Result(
                    check: check.id, suite: check.suite.rawValue, bank: bank, why: check.why, verdict: check.verdict, reasons: reasons,
                    timeline: check.drifts.map(\.line), again: command)
            })
    }

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
        let others: [(Verdict, String)] = [
            (.inconclusive, "inconclusive"), (.notExercised, "not exercised"), (.pass, "same as the stub, except"),
        ]
        for (verdict, title) in others {
            let noted = checks.filter { $0.verdict == verdict && (verdict != .pass || !$0.notes.isEmpty) }
            let lines = noted.map { "  \($0.id): \($0.notes.joined(separator: "; "))".inOneLine }
            if !lines.isEmpty { parts.append("\(title):\n" + lines.joined(separator: "\n")) }
        }
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
        .object(known: [
            "v": 1, "bank": .string(bank), "provider": .string(provider), "requests": .int(requests),
            "writes": .array(writes.map(JSON.string)), "trouble": trouble.map(JSON.string), "checks": .array(checks.map(\.json)),
        ])
    }
}

extension Drift {
    /// The pointer and a colon, or nothing if it does not point into the body.
    fileprivate var location: String { pointer.isEmpty ? "" : "\(pointer): " }

    var line: String { "\(kind.rawValue)  \(location)stub: \(stub), provider: \(provider)" }
}

/// One way in which a provider is not as the stub has it.
package struct Drift: Sendable, Hashable {
    package var kind: Kind
    /// The location in the response's body (RFC 6901); `*` means every element of an array, empty the whole body, or no part of it.
    package var pointer: String
    /// The stub's value: kinds and counts, never a customer's data.
    package var stub: String
    /// The provider's value: kinds and counts, never the value itself.
    package var provider: String

    package init(_ kind: Kind, at pointer: String = "", stub: String, provider: String) {
        self.kind = kind
        self.pointer = pointer
        self.stub = stub
        self.provider = provider
    }

    /// The kind of difference.
    package enum Kind: String, Sendable, CaseIterable {
        /// The stub always has it, the provider not, or not always.
        case missingField = "missing-field"
        /// The stub never has it.
        case newField = "new-field"
        case otherType = "other-type"
        case otherStatus = "other-status"
        case otherContentType = "other-content-type"
        /// The type is JSON, the body is not.
        case noJSON = "no-json"
        /// The word by which programs distinguish rejections differs.
        case otherErrorCode = "other-error-code"
        case missingHeader = "missing-header"
        /// A key that was sent twice gave two results.
        case twoResults = "two-results"
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
