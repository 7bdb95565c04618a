package import BankModel

/// The cursor is unknown, as after too long a time: the dialect's `cursor-expired`.
package struct ExpireCursorFault: ExchangeFault {
    package static let kind = "expire-cursor"
    package static let about = "rejects the page's cursor as unknown"
    package static let effects: Set<FaultEffect> = [.wholeResponse, .changesContent]
    package let point = FaultPoint.request
    package let need: FaultNeed? = .cursor

    package init?(_ fields: Fields, _ complaints: Complaints) {}

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) { outgoing.readAlteration = .expiredCursor }
}
