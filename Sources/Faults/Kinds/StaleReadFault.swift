package import BankModel

/// Reads show everything as it was some time ago, by the session's clock.
package struct StaleReadFault: ExchangeFault {
    package static let kind = "stale-read"
    package static let about = "rows and balances as they were, by the session's clock"
    package static let example = #"{"by": "5m"}"#
    package let point = FaultPoint.request
    package let need: FaultNeed? = .read

    let age: Duration

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let age = fields.required("by")?.duration(complaints) else { return nil }
        self.age = age
    }

    package func strike(_ sending: inout Sending, _ context: StrikeContext) { sending.twist = .stale(age) }

    package var settings: JSON { ["by": .string(age.shortText)] }
}
