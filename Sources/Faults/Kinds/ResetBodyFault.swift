package import BankModel

/// RST after exactly `at` bytes of the body have arrived.
package struct ResetBodyFault: ExchangeFault {
    package static let kind = "reset-body"
    package static let about = "resets the connection (RST) after exactly `at` bytes of the body"
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
        outgoing.replaceBody([.part(0..<(try position.offset(in: try outgoing.bodyCount()))), .reset])
    }

    package var settings: JSON { .object(JSONObject([BodyPosition.at.member(position)])) }
}
