package import BankModel
package import Faults

/// The verdict on every kind that was asked for.
package struct ProbeReport: Sendable {
    /// One kind.
    package struct Row: Sendable {
        package let kind: String
        package let result: ProbeComparison.Result
        let attempts: Int
        let sent: ProbeReceipt?
        let came: ProbeObservation?

        /// A kind that was sent.
        package init(_ kind: String, attempts: [ProbeReceipt], came: ProbeObservation, effects: Set<FaultEffect>) {
            self.kind = kind
            result = ProbeComparison.result(of: attempts, came: came, effects: effects)
            self.attempts = attempts.count
            sent = attempts.first
            self.came = came
        }

        /// A kind that cannot act here.
        package init(_ kind: String, notProbed reason: String) {
            self.kind = kind
            result = ProbeComparison.Result(verdict: .notProbed(reason))
            attempts = 0
            sent = nil
            came = nil
        }

        /// `not probed`, as people read it.
        package var verdict: String { result.verdict.name.replacing("-", with: " ") }

        /// The findings, and differences that are tolerated if they are asked for.
        package func found(withTolerated: Bool) -> String {
            (result.verdict.findings + (withTolerated ? result.tolerated.map { "(\($0))" } : [])).joined(separator: "; ")
        }
    }

    package let address: String
    package let bank: String
    package let rows: [Row]

    package init(address: String, bank: String, rows: [Row]) {
        self.address = address
        self.bank = bank
        self.rows = rows
    }

    /// Whether any kind is altered or swallowed.
    package var hasFindings: Bool { count("altered") + count("swallowed") > 0 }

    /// `37 of 40 arrive, 2 altered, 1 swallowed, 2 not probed`.
    package var summary: String {
        let arriving = count("arrives")
        let probed = rows.count - count("not-probed")
        var parts = ["\(arriving) of \(probed) \(arriving == 1 ? "arrives" : "arrive")"]
        for (name, words) in [("altered", "altered"), ("swallowed", "swallowed"), ("not-probed", "not probed")] where count(name) > 0 {
            parts.append("\(count(name)) \(words)")
        }
        return parts.joined(separator: ", ")
    }

    /// The report for programs.
    package var json: JSON {
        [
            "through": .string(address), "bank": .string(bank), "arrives": .int(count("arrives")), "altered": .int(count("altered")),
            "swallowed": .int(count("swallowed")), "not_probed": .int(count("not-probed")), "kinds": .array(rows.map(\.json)),
        ]
    }

    private func count(_ name: String) -> Int { rows.count { $0.result.verdict.name == name } }
}

extension ProbeReport.Row {
    fileprivate var json: JSON {
        var object: JSONObject = JSONObject([
            ("kind", .string(kind)), ("verdict", .string(result.verdict.name)),
            ("found", .array(result.verdict.findings.map(JSON.string))), ("tolerated", .array(result.tolerated.map(JSON.string))),
            ("attempts", .int(attempts)),
        ])
        object["sent"] = sent?.json
        object["came"] = came?.json
        return .object(object)
    }
}

/// Whether a kind of fault reaches the client as the server sent it.
package enum ProbeVerdict: Sendable, Hashable {
    case arrives
    /// It came, but not as it was sent: how.
    case altered([String])
    /// Something between sent the request again, or answered it itself.
    case swallowed(String)
    /// The kind cannot act on this path: why.
    case notProbed(String)

    /// As the report for programs names it.
    package var name: String {
        switch self {
        case .arrives: "arrives"
        case .altered: "altered"
        case .swallowed: "swallowed"
        case .notProbed: "not-probed"
        }
    }

    /// The findings; empty if it arrives.
    package var findings: [String] {
        switch self {
        case .arrives: []
        case .altered(let findings): findings
        case .swallowed(let finding): [finding]
        case .notProbed(let reason): [reason]
        }
    }
}
