package import BankModel

/// A success by its status whose body says no (Starling's `success:false`). Nothing is executed.
package struct BusinessFailureFault: Fault {
    package static let kind = "business-failure"
    package static let point = FaultPoint.request

    package init?(_ fields: Fields, _ complaints: Complaints) {}

    package var strike: Strike { Strike(reply: .businessFailure) }
    package var settings: JSON { [:] }
}
