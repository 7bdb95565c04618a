package import BankModel

/// The port does not listen, but stays reserved; open connections are closed.
///
/// It does not concern single connections: it cannot be counted, and lasts as long as its rule.
package struct RefuseFault: ConnectionFault {
    package static let kind = "refuse"
    package static let about = "rejects new connections and closes open ones; the port stays reserved but does not listen"
    package static let effects: Set<FaultEffect> = []
    package let point = FaultPoint.connect

    package init?(_ fields: Fields, _ complaints: Complaints) {}

    package func apply(_ context: FaultContext) -> ConnectionEffect { .refuse }
}
