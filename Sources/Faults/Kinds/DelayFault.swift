package import BankModel

/// Waits at a point, then continues as usual.
package struct DelayFault: ExchangeFault, ConnectionFault {
    package static let kind = "delay"
    package static let about = "waits at one point of the exchange, which then continues"
    package static let effects: Set<FaultEffect> = [.wholeResponse, .delaysConnection]
    package static let example = #"{"at_point": "head", "fixed": "400ms"}"#
    package static let fields: [any AnyField] = [atPoint] + Latency.fields
    package static let rules: [KeyRule] = [.exactlyOne(Latency.fields.map { [$0.key] })]
    package let point: FaultPoint

    private static let atPoint = Field("at_point", .choice(of: FaultPoint.self), default: .head, "the point at which it waits")

    let latency: Latency

    package init?(_ fields: Fields, _ complaints: Complaints) {
        let point = fields[Self.atPoint]
        let latency = fields.exactlyOne(of: Latency.fields, "length")
        guard let point, let latency else { return nil }
        self.point = point
        self.latency = latency
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) throws(NotApplied) {
        // Without a body the response ends with its head: nothing would come late.
        if point == .body { _ = try outgoing.bodyCount() }
        let wait = latency.wait(context)
        if point == .body, let index = outgoing.steps.firstIndex(of: .body) {
            outgoing.steps.insert(.pause(wait, rule: context.ruleID), at: index)
        } else {
            outgoing.wait(wait, context.ruleID)
        }
    }

    package func apply(_ context: FaultContext) -> ConnectionEffect { .wait(latency.wait(context)) }

    package var settings: JSON {
        var object = JSONObject([Self.atPoint.member(point)])
        let (name, value) = latency.member
        object[name] = value
        return .object(object)
    }
}
