package import BankModel

/// The connection is reset (RST) before any byte of a response. Nothing is executed.
package struct ResetFault: ExchangeFault {
    package static let kind = "reset"
    package static let about = "resets the connection (RST) before any byte"
    package static let effects: Set<FaultEffect> = []
    package let point = FaultPoint.request

    package init?(_ fields: Fields, _ complaints: Complaints) {}

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) { outgoing.steps = [.reset] }
}
