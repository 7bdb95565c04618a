package import BankModel

/// The connection is closed (FIN) before any byte of a response. Nothing is executed.
package struct CloseFault: ExchangeFault {
    package static let kind = "close"
    package static let about = "closes the connection (FIN) before any byte"
    package static let effects: Set<FaultEffect> = []
    package let point = FaultPoint.request

    package init?(_ fields: Fields, _ complaints: Complaints) {}

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) { outgoing.steps = [.close] }
}
