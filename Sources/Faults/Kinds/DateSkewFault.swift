package import BankModel

/// Only the `Date` header is wrong.
package struct DateSkewFault: ExchangeFault {
    package static let kind = "date-skew"
    package static let about = "sends a wrong `Date` header, and changes nothing else"
    package static let effects: Set<FaultEffect> = [.wholeResponse, .movesDate]
    package static let example = #"{"by": "-1h"}"#
    package static let fields: [any AnyField] = [by]
    package let point = FaultPoint.head

    private static let by = Field(required: "by", .signedDuration, "the time by which the header `Date` is wrong")

    let skew: Duration

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let skew = fields[Self.by] else { return nil }
        self.skew = skew
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) { outgoing.dateSkew += skew }

    package var settings: JSON { .object(JSONObject([Self.by.member(skew)])) }
}
