package import BankModel

/// A page begins one row too early, as when a row came in meanwhile: that row is on two pages.
package struct ShiftPageFault: ExchangeFault {
    package static let kind = "shift-page"
    package static let about = "sends a row on two pages"
    package static let effects: Set<FaultEffect> = [.wholeResponse, .changesContent]
    package let point = FaultPoint.request
    package let need: FaultNeed? = .cursor

    package init?(_ fields: Fields, _ complaints: Complaints) {}

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) { outgoing.readAlteration = .overlap }
}
