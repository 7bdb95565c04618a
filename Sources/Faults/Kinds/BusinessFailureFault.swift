package import BankModel

/// A success by its status whose body is a rejection. Nothing is executed.
package struct BusinessFailureFault: ExchangeFault {
    package static let kind = "business-failure"
    package static let about = "sends 200 with a rejection in the body"
    package static let effects: Set<FaultEffect> = [.wholeResponse, .changesContent]
    package let point = FaultPoint.request
    package let need: FaultNeed? = .businessFailure

    package init?(_ fields: Fields, _ complaints: Complaints) {}

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) { outgoing.answer(.businessFailure) }
}
