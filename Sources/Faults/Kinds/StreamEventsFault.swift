package import BankModel

/// The events of a stream do not come as they happened.
package struct StreamEventsFault: ExchangeFault {
    package static let kind = "stream-events"
    package static let about = "events of a stream missing, twice or in another order, or its end"
    package static let effects: Set<FaultEffect> = [.wholeResponse, .changesContent]
    package static let example = #"{"by": "drop"}"#
    package static let fields: [any AnyField] = [by]
    package let point = FaultPoint.request

    private static let by = Field(
        required: "by", .choice(of: StreamAlteration.self),
        "`drop`: every second event is missing, beginning with the first; `duplicate`: each comes twice; `reorder`: of two of a table the second comes first; `end`: the stream ends instead of the first"
    )
    package let need: FaultNeed? = .stream

    let alteration: StreamAlteration

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let alteration = fields[Self.by] else { return nil }
        self.alteration = alteration
    }

    package func apply(_ sending: inout Sending, _ context: FaultContext) { sending.twist = .events(alteration) }

    package var settings: JSON { .object(JSONObject([Self.by.member(alteration)])) }
}
