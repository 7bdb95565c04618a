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
        .object(known: [
            "kind": .string(kind), "verdict": .string(result.verdict.name),
            "found": .array(result.verdict.findings.map(JSON.string)), "tolerated": .array(result.tolerated.map(JSON.string)),
            "attempts": .int(attempts), "sent": sent?.json, "came": came?.json,
        ])
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

/// A kind of fault, as the probe sends it.
package struct ProbeKind: Sendable {
    /// The request that the kind acts on.
    package enum Request: Sendable {
        case read, payment
        /// The second page of a list.
        case page
    }

    package let name: String
    package let point: String
    package let settings: JSON
    package let effects: Set<FaultEffect>
    package let request: Request
    /// How far it moves the field Date.
    package let skew: Duration
    /// Why it cannot act on HTTP/1.1 in clear text; nil if it can.
    package let unavailable: String?

    /// - Parameter listed: the kind, as the admin API lists it.
    package init(_ listed: JSON) {
        let name = listed["kind"]?.string ?? ""
        self.name = name
        point = listed["point"]?.string ?? ""
        settings = listed["example"] ?? [:]
        effects = Set((listed["effects"]?.array ?? []).compactMap { $0.string.flatMap(FaultEffect.init(rawValue:)) })
        let need = listed["need"]?.string.flatMap(FaultNeed.init(rawValue:))
        request = ProbeKind.request(need)
        skew = effects.contains(.movesDate) ? settings["by"].flatMap { Node($0).signedDuration(Complaints()) } ?? .zero : .zero
        let protocols = listed["protocols"]?.array?.compactMap(\.string) ?? []
        unavailable =
            if need == .idToken || need == .signInPage {
                "it needs a sign-in on the bank's page"
            } else if need == .stream {
                "it needs a stream of events"
            } else {
                protocols.contains("h1") ? nil : "it exists \(protocols.contains("h1s") ? "under TLS" : "on HTTP/2") only"
            }
    }

    /// The rule that applies to the first attempt alone: a second one, by something between, is answered as usual.
    package var rule: JSON {
        // A port that is closed cannot count.
        .object(known: ["fault": [name: settings], "times": point == "connect" ? nil : 1])
    }

    private static func request(_ need: FaultNeed?) -> Request {
        switch need {
        case .businessFailure, .requestBody: .payment
        case .page, .cursor, .read: .page
        case .intermediate, .idToken, .signInPage, .stream, nil: .read
        }
    }
}

/// The response to one request, as a client saw it.
package struct ProbeObservation: Sendable {
    package enum End: String, Sendable {
        case fin, rst
        /// Nothing more came within the limit.
        case silence
        /// No connection was made.
        case refused

        /// The end in a sentence.
        var words: String {
            switch self {
            case .fin: "the end of the connection (FIN)"
            case .rst: "a reset (RST)"
            case .silence: "silence"
            case .refused: "no connection"
            }
        }
    }

    package let end: End
    package let byteCount: Int
    /// From the request to the first byte; nil if none came.
    package let first: Duration?
    /// From the request to the last byte; nil if none came.
    package let last: Duration?
    /// From the request to the end.
    package let duration: Duration
    package let response: ProbeResponse

    /// A response with more bytes is not read to its end, and only its beginning is examined.
    package static let mostBytes = 4 << 20
    /// How much of a longer response is examined: its status, which comes first.
    private static let beginning = 64 << 10

    package init(_ bytes: [UInt8], end: End, first: Duration? = nil, last: Duration? = nil, duration: Duration = .zero) {
        self.end = end
        byteCount = bytes.count
        self.first = first
        self.last = last
        self.duration = duration
        let isTooLong = bytes.count > ProbeObservation.mostBytes
        response = ProbeResponse(isTooLong ? Array(bytes.prefix(ProbeObservation.beginning)) : bytes, hasEnded: !isTooLong && end == .fin)
    }

    /// Whether the response has more bytes than are read.
    var isTooLong: Bool { byteCount > ProbeObservation.mostBytes }

    /// The observation in a few words: `502`, `a reset (RST)`.
    var words: String {
        if let status = response.status { return String(status) }
        return byteCount > 0 ? "bytes that are not HTTP" : end.words
    }

    var json: JSON {
        [
            "status": response.status.map { .int($0) } ?? .null, "bytes": .int(byteCount), "body_bytes": .int(response.body.count),
            "end": .string(end.rawValue), "first_ms": first.map(JSON.milliseconds) ?? .null,
            "last_ms": last.map(JSON.milliseconds) ?? .null, "duration_ms": .milliseconds(duration),
        ]
    }
}

extension JSON {
    /// A time in whole milliseconds.
    fileprivate static func milliseconds(_ duration: Duration) -> JSON { .int(duration.nanoseconds / 1_000_000) }
}
