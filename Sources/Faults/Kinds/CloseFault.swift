package import BankModel

/// The connection is shut (FIN) before any byte of a reply. Nothing is executed.
package struct CloseFault: Fault {
    package static let kind = "close"
    package static let point = FaultPoint.request

    package init?(_ fields: Fields, _ complaints: Complaints) {}

    package var strike: Strike { Strike(steps: [.close]) }
    package var settings: JSON { [:] }
}
