package import BankModel

/// The next page's cursor is that of the page asked for: a client that trusts it reads one page for ever.
package struct ReplayPageFault: ExchangeFault {
    package static let kind = "replay-page"
    package let point = FaultPoint.request
    package let need: FaultNeed? = .cursor

    package init?(_ fields: Fields, _ complaints: Complaints) {}

    package func strike(_ sending: inout Sending, _ context: StrikeContext) { sending.twist = .samePageAgain }
}

/// A page begins one row too early, as when a row came in meanwhile: that row stands on two pages.
package struct ShiftPageFault: ExchangeFault {
    package static let kind = "shift-page"
    package let point = FaultPoint.request
    package let need: FaultNeed? = .cursor

    package init?(_ fields: Fields, _ complaints: Complaints) {}

    package func strike(_ sending: inout Sending, _ context: StrikeContext) { sending.twist = .overlap }
}

/// The cursor is unknown, as after too long a time: the dialect's `cursor-expired`.
package struct ExpireCursorFault: ExchangeFault {
    package static let kind = "expire-cursor"
    package let point = FaultPoint.request
    package let need: FaultNeed? = .cursor

    package init?(_ fields: Fields, _ complaints: Complaints) {}

    package func strike(_ sending: inout Sending, _ context: StrikeContext) { sending.twist = .expiredCursor }
}

/// There is always a next page.
package struct EndlessPageFault: ExchangeFault {
    package static let kind = "endless-page"
    package let point = FaultPoint.request
    package let need: FaultNeed? = .page

    package init?(_ fields: Fields, _ complaints: Complaints) {}

    package func strike(_ sending: inout Sending, _ context: StrikeContext) { sending.twist = .endless }
}
