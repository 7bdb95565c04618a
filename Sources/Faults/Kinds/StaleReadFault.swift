package import BankModel

/// Reads show everything as it was some time ago, by the session's clock.
package struct StaleReadFault: ExchangeFault {
    package static let kind = "stale-read"
    package static let about = "sends rows and balances as they were at an earlier time"
    package static let effects: Set<FaultEffect> = [.wholeResponse, .changesContent]
    package static let example = #"{"by": "5m"}"#
    package static let fields: [any AnyField] = [by]
    package let point = FaultPoint.request

    private static let by = Field(required: "by", .duration, "the age of the data, by the session clock")
    package let need: FaultNeed? = .read

    let age: Duration

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let age = fields[Self.by] else { return nil }
        self.age = age
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) { outgoing.readAlteration = .stale(age) }

    package var settings: JSON { .object(JSONObject([Self.by.member(age)])) }
}
