/// A fault's effect on a read.
package enum ReadAlteration: Sendable, Hashable {
    /// The next page's cursor is that of the requested page.
    case samePageAgain
    /// The page begins one row too early.
    case overlap
    /// The cursor is rejected as unknown.
    case expiredCursor
    /// There is always a next page.
    case endless
    /// The rows and balances are as they were that long ago, by the session's clock.
    case stale(Duration)
}
