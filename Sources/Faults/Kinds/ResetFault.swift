package import BankModel

/// The connection is reset (RST) before any byte of a reply. Nothing is executed.
package struct ResetFault: Fault {
    package static let kind = "reset"
    package static let point = FaultPoint.request

    package init?(_ fields: Fields, _ complaints: Complaints) {}

    package var strike: Strike { Strike(steps: [.reset]) }
    package var settings: JSON { [:] }
}
