package import BankModel
package import Foundation

/// A round-up that was paid.
package struct RoundUp: Sendable, Hashable {
    package var amount: Money
    /// The bank's id of the payment.
    package var payment: String?
}

/// A movement on an account, with the fields that a round-up needs.
package struct RoundUpRow: Sendable, Hashable {
    /// The time of the purchase, not of its settlement.
    package var at: Instant
    /// In the account's currency, unsigned.
    package var amount: Money
    package var isOutgoing: Bool
    /// False if it is pending, declined, reversed or refunded.
    package var isSettled: Bool
    /// True for a transfer between the customer's own accounts and goals.
    package var isInternal: Bool
    /// Plain text for a user; empty if the bank sends none.
    package var description = ""
}

/// A bank whose purchases can be rounded up into a savings goal.
package protocol RoundUpBank: PayingBank, AccountListing {
    /// The device's time zone, in which days begin.
    var timeZone: TimeZone { get }
    /// All movements in the period, each once. Unreadable rows are left out: that makes a round-up smaller, never larger.
    ///
    /// - Throws: ``ClientFailure``, also `decode` if the list is incomplete.
    func roundUpRows(_ caller: BankCaller, account: String, _ period: Period) async throws(ClientFailure) -> [RoundUpRow]
    /// The ids of the account's goals that accept money, in the bank's order.
    func goalIDs(_ caller: BankCaller, account: String) async throws(ClientFailure) -> [String]
}

/// A computed round-up that has not been paid.
package struct RoundUpPreview: Sendable, Hashable {
    /// The account of the purchases, which would be debited.
    package var account: String
    /// The purchases that count, in the bank's order; those of whole units too.
    package var purchases: [RoundUpPurchase]
    /// The sum of the differences to whole units.
    package var amount: Money
}

/// A purchase with its difference to the next whole unit.
package struct RoundUpPurchase: Sendable, Hashable {
    /// The day in the device's time zone.
    package var day: CivilDate
    package var description: String
    /// The price, unsigned.
    package var amount: Money
    /// The amount moved for it; 0 for a whole amount.
    package var roundedUpBy: Money
}
