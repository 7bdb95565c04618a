package import BankModel

/// The connection is closed (FIN) before any byte of a response, and of a handshake.
package struct CloseOnAcceptFault: ConnectionFault {
    package static let kind = "close-on-accept"
    package static let about = "closes the connection (FIN) before any byte"
    package static let effects: Set<FaultEffect> = []
    package let point = FaultPoint.connect

    package init?(_ fields: Fields, _ complaints: Complaints) {}

    package func apply(_ context: FaultContext) -> ConnectionEffect { .close }
}
