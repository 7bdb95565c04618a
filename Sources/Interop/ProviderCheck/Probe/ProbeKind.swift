package import BankModel
package import Faults

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
            if need == .idToken {
                "it needs a sign-in on the bank's page"
            } else if need == .stream {
                "it needs a stream of events"
            } else {
                protocols.contains("h1") ? nil : "it exists \(protocols.contains("h1s") ? "under TLS" : "on HTTP/2") only"
            }
    }

    /// The rule that applies to the first attempt alone: a second one, by something between, is answered as usual.
    package var rule: JSON {
        var rule: JSONObject = JSONObject([("fault", .object(JSONObject([(name, settings)])))])
        // A port that is closed cannot count.
        if point != "connect" { rule["times"] = 1 }
        return .object(rule)
    }

    private static func request(_ need: FaultNeed?) -> Request {
        switch need {
        case .businessFailure, .requestBody: .payment
        case .page, .cursor, .read: .page
        case .intermediate, .idToken, .stream, nil: .read
        }
    }
}
