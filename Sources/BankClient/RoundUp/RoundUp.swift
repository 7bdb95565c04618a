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

/// Computes the payment of a round-up.
struct RoundUpPlan: Sendable {
    var bank: any RoundUpBank
    var caller: BankCaller
    var rules: RoundUpRules

    /// - Parameter account: nil means the first account.
    /// - Throws: ``ClientFailure``, as ``RoundUpRules`` describes.
    func preview(account: String?) async throws(ClientFailure) -> RoundUpPreview {
        let account = try await accountID(account) { () async throws(ClientFailure) in try await bank.accounts(caller) }
        let period = rules.period(until: caller.clock.now())
        let rows = try await bank.roundUpRows(caller, account: account, period)
        return RoundUpPreview(
            account: account, purchases: rules.purchases(among: rows, in: period), amount: try rules.amount(of: rows, in: period))
    }

    /// The account's goals that accept money, in the bank's order.
    ///
    /// - Throws: ``ClientFailure``; `notFound` if there is none.
    func goals(of account: String) async throws(ClientFailure) -> [Goal] {
        let ids = try await bank.goalIDs(caller, account: account)
        let all = try await (bank as? any GoalListing)?.goals(caller, account: account).rows ?? []
        let goals = ids.compactMap { id in all.first { $0.id == id } }
        guard !goals.isEmpty else {
            throw ClientFailure(.notFound, "found no savings goal, expected one to move money to", mayHaveLeft: false)
        }
        return goals
    }

    /// - Parameters:
    ///   - account: nil means the first account.
    ///   - goal: nil means the first goal.
    /// - Throws: ``ClientFailure``; `notFound` if there is no goal, and the errors of ``RoundUpRules``.
    func order(account: String?, goal: String?) async throws(ClientFailure) -> PaymentOrder {
        let preview = try await preview(account: account)
        if let goal { return PaymentOrder(from: preview.account, to: goal, amount: preview.amount) }
        guard let first = try await bank.goalIDs(caller, account: preview.account).first else {
            throw ClientFailure(.notFound, "found no savings goal, expected one to move \(preview.amount) to", mayHaveLeft: false)
        }
        return PaymentOrder(from: preview.account, to: first, amount: preview.amount)
    }
}
