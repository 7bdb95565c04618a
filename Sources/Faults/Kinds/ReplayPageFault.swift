package import BankModel

/// The next page's cursor is that of the page asked for: a client that trusts it reads one page forever.
package struct ReplayPageFault: ExchangeFault {
    package static let kind = "replay-page"
    package static let about = "makes the next page repeat this one"
    package static let effects: Set<FaultEffect> = [.wholeResponse, .changesContent]
    package let point = FaultPoint.request
    package let need: FaultNeed? = .cursor

    package init?(_ fields: Fields, _ complaints: Complaints) {}

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) { outgoing.readAlteration = .samePageAgain }
}
