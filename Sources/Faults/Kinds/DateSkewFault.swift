package import BankModel

/// Only the `Date` header lies.
package struct DateSkewFault: ExchangeFault {
    package static let kind = "date-skew"
    package static let about = "a false `Date` header only"
    package static let example = #"{"by": "-1h"}"#
    package let point = FaultPoint.head

    let skew: Duration

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let skew = fields.required("by")?.signedDuration(complaints) else { return nil }
        self.skew = skew
    }

    package func strike(_ sending: inout Sending, _ context: StrikeContext) { sending.dateSkew += skew }

    package var settings: JSON { ["by": .string(skew.shortText)] }
}
