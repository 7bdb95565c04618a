package import BankModel

/// The events of a stream do not come as they happened.
package struct StreamEventsFault: ExchangeFault {
    package static let kind = "stream-events"
    package static let about = "drops, duplicates or reorders the events of a stream, or ends it"
    package static let effects: Set<FaultEffect> = [.wholeResponse, .changesContent]
    package static let example = #"{"by": "drop"}"#
    package static let fields: [any AnyField] = [by]
    package let point = FaultPoint.request

    private static let by = Field(
        required: "by", .choice(of: StreamAlteration.self),
        "`drop`: every second event is missing, beginning with the first; `duplicate`: each event is sent twice; `reorder`: of two "
            + "events of a table, the second is sent first; `end`: the stream ends instead of its first event"
    )
    package let need: FaultNeed? = .stream

    let alteration: StreamAlteration

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let alteration = fields[Self.by] else { return nil }
        self.alteration = alteration
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) { outgoing.readAlteration = .events(alteration) }

    package var settings: JSON { .object(JSONObject([Self.by.member(alteration)])) }
}
