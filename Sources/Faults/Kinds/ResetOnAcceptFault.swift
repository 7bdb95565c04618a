package import BankModel

/// The connection is reset (RST) as soon as it is accepted.
package struct ResetOnAcceptFault: ConnectionFault {
    package static let kind = "reset-on-accept"
    package static let about = "resets each new connection (RST) at once"
    package static let effects: Set<FaultEffect> = []
    package let point = FaultPoint.connect

    package init?(_ fields: Fields, _ complaints: Complaints) {}

    package func apply(_ context: FaultContext) -> ConnectionEffect { .reset }
}
