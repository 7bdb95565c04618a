package import BankModel

/// Which exchanges get which fault.
package struct Rule: Sendable {
    package var setting: FaultSetting
    package var on: RuleSelector
    package var count: RuleCounter
    /// Real time after which the rule is removed, even if nobody removes it.
    package var timeToLive: Duration?

    package init(_ fault: FaultSetting, on: RuleSelector = RuleSelector(), count: RuleCounter = RuleCounter(), timeToLive: Duration? = nil)
    {
        self.setting = fault
        self.on = on
        self.count = count
        self.timeToLive = timeToLive
    }

    private static let fault = Field(required: "fault", FaultSetting.format, "the fault to inject")
    private static let on = Field("on", RuleSelector.format, "the requests that match; by default all")
    private static let ttl = Field("ttl", .duration, "the real time after which the rule is removed automatically")

    /// As files and requests write it.
    package static let format = Format(.object(schema), read: { Rule($0, $1) }, write: { $0.json })

    package static let schema = ObjectSchema(
        "a rule",
        "A fault, and the requests that it affects. The counts choose among the requests that match; without counts, the fault affects "
            + "each of them.",
        fields: [fault, on] + RuleCounter.fields + [ttl],
        example: "fault: {lose-reply: {by: reset}}\non: {role: pay, attempt: 1}\ntimes: 1")

    /// Reads `{fault: …, on: …, times: 1, ttl: 30s}`; nil and complaints if something in it is wrong, or contradicts itself.
    package init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: Rule.schema, complaints)
        let setting = fields[Rule.fault]
        let on = fields[Rule.on] ?? RuleSelector()
        let count = RuleCounter(fields, complaints)
        let timeToLive = fields[Rule.ttl]
        fields.finish()
        guard let setting else { return nil }
        self.init(setting, on: on, count: count, timeToLive: timeToLive)
        guard let contradiction else { return }
        complaints.add("\(contradiction): the rule could never apply", at: node.position)
        return nil
    }

    package var point: FaultPoint { setting.fault.point }

    /// Its fault's kind.
    package var kind: String { type(of: setting.fault).kind }

    /// The protocols on which it can apply.
    package var carriers: Set<WireProtocol> {
        let carriers = type(of: setting.fault).carriers
        return on.wireProtocol.map { carriers.intersection([$0]) } ?? carriers
    }

    /// The contradiction in the rule, with what was expected instead; nil if there is none.
    private var contradiction: String? {
        if let wanted = on.wireProtocol, carriers.isEmpty {
            let known = type(of: setting.fault).carriers.map(\.rawValue).sorted()
            return "found `protocol: \(wanted.rawValue)` for \(kind), expected \(oneOf(known))"
        }
        if point.isOfConnection {
            var rest = on
            rest.connection = nil
            if rest != RuleSelector() {
                return "found `on` with \(rest.memberNames.joined(separator: ", ")), expected only `connection`: "
                    + "at the point \(point.rawValue) no request is known"
            }
            if on.connection == .warm {
                return "found `connection: warm`, expected cold: at the point \(point.rawValue) every connection is"
            }
            if kind == RefuseFault.kind, !count.isAlways {
                return "found a count with refuse, expected none: a closed port cannot count"
            }
        }
        return count.contradiction
    }

    /// Whether it can act on this exchange.
    ///
    /// - Throws: ``NotApplied`` with the reason if it cannot.
    func check(_ exchange: ExchangeFacts) throws(NotApplied) {
        guard carriers.contains(exchange.wireProtocol) else {
            throw NotApplied("\(exchange.wireProtocol.title) cannot carry \(kind)")
        }
        guard let need = setting.fault.need, !exchange.abilities.contains(need) else { return }
        throw NotApplied(need.reason)
    }

    /// The rule as it would be written.
    package var json: JSON {
        var object = JSONObject([Rule.fault.member(setting)])
        if on != RuleSelector() { object.set(Rule.on, on) }
        for (key, value) in count.members { object[key] = value }
        object.set(Rule.ttl, timeToLive)
        return .object(object)
    }
}

extension FaultNeed {
    /// Why an exchange without it goes through.
    package var reason: String {
        switch self {
        case .businessFailure: "the operation has no business_failure in its bank's file"
        case .page: "the operation's response has no pages"
        case .cursor: "the request has no page cursor"
        case .read: "the operation is not a read"
        case .intermediate: "the authority cannot sign intermediate ones"
        case .idToken: "the operation issues no ID token"
        case .signInPage: "the request is not for the sign-in page"
        case .stream: "the response is not a stream of events"
        case .requestBody: "the request has no body"
        }
    }
}

extension WireProtocol {
    /// In a user's words.
    package var title: String {
        switch self {
        case .h1: "HTTP/1.1"
        case .h1s: "HTTP/1.1 over TLS"
        case .h2: "HTTP/2"
        }
    }
}
