package import BankModel

/// The connection is accepted, never read and never answered.
package struct BlackholeFault: ConnectionFault {
    package static let kind = "blackhole"
    package static let about = "accepts connections, but never reads and never responds"
    package static let effects: Set<FaultEffect> = [.delaysConnection]
    package let point = FaultPoint.connect

    package init?(_ fields: Fields, _ complaints: Complaints) {}

    package func apply(_ context: FaultContext) -> ConnectionEffect { .silence }
}
