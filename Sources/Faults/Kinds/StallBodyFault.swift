package import BankModel

/// Silence after exactly `at` bytes of the body. The rest follows when released.
package struct StallBodyFault: ExchangeFault {
    package static let kind = "stall-body"
    package static let about = "stops sending after exactly `at` bytes of the body; the rest follows on release"
    package static let effects: Set<FaultEffect> = [.cutsResponse, .changesContent]
    package static let example = #"{"at": 100}"#
    package static let fields: [any AnyField] = [BodyPosition.at]
    package let point = FaultPoint.body

    let position: BodyPosition

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let position = fields[BodyPosition.at] else { return nil }
        self.position = position
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) throws(NotApplied) {
        let count = try outgoing.bodyCount()
        let cut = try position.offset(in: count)
        outgoing.replaceBody([.part(0..<cut), .hold(rule: context.ruleID), .part(cut..<count)])
    }

    package var settings: JSON { .object(JSONObject([BodyPosition.at.member(position)])) }
}
