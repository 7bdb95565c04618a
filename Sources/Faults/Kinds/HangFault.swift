package import BankModel

/// No byte of a response ever comes, and the connection stays open. Nothing is executed. When released, it is closed (FIN).
package struct HangFault: ExchangeFault {
    package static let kind = "hang"
    package static let about = "sends nothing, and keeps the connection open"
    package static let effects: Set<FaultEffect> = []
    package let point = FaultPoint.request

    package init?(_ fields: Fields, _ complaints: Complaints) {}

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) {
        outgoing.steps = [.hold(rule: context.ruleID), .close]
    }
}
