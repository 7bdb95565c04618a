package import BankModel

extension Operation {
    /// Makes payments later by the session's clock, once or again and again: a scheduled payment or a standing order.
    package struct Repeats: Sendable {
        /// The operation whose `move` and `insert` make each payment, with the body of the request that made the order.
        package var pays: String
        /// A day such as `2026-01-31`.
        package var starts: ValueSource
        /// `week` or `month`; missing: one payment.
        package var every: ValueSource?
        /// The time of day in UTC, in nanoseconds.
        package var timeOfDay: Int64
        /// Whether a payment of a Saturday or Sunday is made on the Monday after it.
        package var avoidsWeekends: Bool

        package init(pays: String, starts: ValueSource, every: ValueSource?, timeOfDay: Int64, avoidsWeekends: Bool) {
            self.pays = pays
            self.starts = starts
            self.every = every
            self.timeOfDay = timeOfDay
            self.avoidsWeekends = avoidsWeekends
        }
    }
}

/// A customer's order to pay later. It lasts as long as the row that shows it.
package struct StandingOrder: Sendable, Hashable {
    /// The row that shows it.
    package var table: String
    package var key: String
    /// The operation that makes its payments, and the body that they have.
    package var pays: String
    package var body: JSON
    package var customer: String
    /// The day of its next payment, and its repetition.
    package var due: ScheduledDate
    package var avoidsWeekends: Bool

    /// The most orders of a session.
    package static let most = 100

    /// The instant of its next payment.
    package var at: Instant {
        guard avoidsWeekends else { return due.at }
        // 1970-01-01 was a Thursday.
        let weekday = (due.at.date.daysSinceEpoch % 7 + 11) % 7
        let later = [6: 2, 0: 1][weekday] ?? 0
        return due.at + .seconds(86_400 * later)
    }

    /// The order after its next payment; nil if that was the last.
    var next: StandingOrder? {
        due.next.map { due in
            var next = self
            next.due = due
            return next
        }
    }
}

extension Movement {
    /// The ``event`` of a payment that a standing order has made.
    package static let ofOrder = "standing-order"

    /// Whether an event of the bank made it, and no operation.
    package var isOfEvent: Bool { event != nil && event != Movement.ofOrder }
}
