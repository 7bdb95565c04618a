package import BankModel

/// Which exchanges get which fault.
package struct Rule: Sendable {
    package var setting: FaultSetting
    package var on: RuleSelector
    package var count: RuleCounter
    /// Real time after which the rule is gone, even if nobody removes it.
    package var timeToLive: Duration?

    package init(_ fault: FaultSetting, on: RuleSelector = RuleSelector(), count: RuleCounter = RuleCounter(), timeToLive: Duration? = nil)
    {
        (self.setting, self.on, self.count, self.timeToLive) = (fault, on, count, timeToLive)
    }

    /// Reads `{fault: …, on: …, times: 1, ttl: 30s}`; nil and complaints if something in it is wrong.
    package init?(_ node: Node, _ complaints: Complaints) {
        let fields = Fields(node, of: "a rule", complaints)
        let setting = fields.required("fault").flatMap { FaultSetting($0, complaints) }
        let on = fields["on"].map { RuleSelector($0, complaints) } ?? RuleSelector()
        let count = RuleCounter(fields, complaints)
        let timeToLive = fields["ttl"].flatMap { $0.duration(complaints) }
        fields.finish()
        guard let setting else { return nil }
        self.init(setting, on: on, count: count, timeToLive: timeToLive)
    }

    /// Where its fault strikes.
    package var point: FaultPoint { type(of: setting.fault).point }

    /// Its fault's kind.
    package var kind: String { type(of: setting.fault).kind }

    /// The rule as it would be written.
    package var json: JSON {
        var object = JSONObject([("fault", setting.json)])
        if on != RuleSelector() { object["on"] = on.json }
        for (key, value) in count.members { object[key] = value }
        object["ttl"] = timeToLive.map { .string($0.shortText) }
        return .object(object)
    }
}
