package import BankModel

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
    package let marks: Set<ProbeMark>
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
        settings = ProbeKind.settings[name] ?? listed["example"] ?? [:]
        marks = ProbeKind.marks[name] ?? []
        request = ProbeKind.requests[name] ?? .read
        skew = name == "date-skew" ? .seconds(-3600) : .zero
        let protocols = listed["protocols"]?.array?.compactMap(\.string) ?? []
        unavailable =
            protocols.contains("h1") ? nil : "it exists \(protocols.contains("h1s") ? "under TLS" : "on HTTP/2") only"
    }

    /// The rule that strikes the first attempt alone: a second one, by something between, is answered as usual.
    package var rule: JSON {
        var rule: JSONObject = JSONObject([("fault", .object(JSONObject([(name, settings)])))])
        // A port that is closed cannot count.
        if point != "connect" { rule["times"] = 1 }
        return .object(rule)
    }

    /// Settings where the catalogue's example takes long, draws at random, or is compared by its value.
    private static let settings: [String: JSON] = [
        "slow": ["chunks": 10, "over": "1s"], "delay": ["at_point": "head", "fixed": "400ms"], "date-skew": ["by": "-1h"],
        "reset-body": ["at": 100], "stall-body": ["at": 100],
    ]

    private static let marks: [String: Set<ProbeMark>] = [
        "lose-reply": [.cut], "truncate": [.cut], "longer-length": [.cut], "reset-body": [.cut], "stall-body": [.cut], "bad-chunk": [.cut],
        "early-hints": [.around], "surplus": [.around], "trailers": [.trailers], "slow": [.spread],
    ]

    private static let requests: [String: Request] = [
        "business-failure": .payment, "early-reply": .payment,
        "replay-page": .page, "shift-page": .page, "expire-cursor": .page, "endless-page": .page, "stale-read": .page,
    ]
}
