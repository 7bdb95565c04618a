package import BankModel

/// There is always a next page.
package struct EndlessPageFault: ExchangeFault {
    package static let kind = "endless-page"
    package static let about = "announces a next page on every page"
    package static let effects: Set<FaultEffect> = [.wholeResponse, .changesContent]
    package let point = FaultPoint.request
    package let need: FaultNeed? = .page

    package init?(_ fields: Fields, _ complaints: Complaints) {}

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) { outgoing.readAlteration = .endless }
}
