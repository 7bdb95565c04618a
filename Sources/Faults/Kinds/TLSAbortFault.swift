package import BankModel

/// The handshake is cut after the client's first message.
package struct TLSAbortFault: ConnectionFault {
    package static let kind = "tls-abort"
    package static let about = "aborts the TLS handshake"
    package static let effects: Set<FaultEffect> = []
    package static let carriers: Set<WireProtocol> = [.h1s, .h2]
    package let point = FaultPoint.tls

    package init?(_ fields: Fields, _ complaints: Complaints) {}

    package func apply(_ context: FaultContext) -> ConnectionEffect { .abortHandshake }
}
