public import BankModel
public import Foundation

/// What a round-up has moved.
public struct RoundUp: Sendable, Hashable {
    public var amount: Money
    /// The bank's name for the payment.
    public var payment: String?

    public init(amount: Money, payment: String? = nil) { (self.amount, self.payment) = (amount, payment) }
}

/// A movement on an account, as far as a round-up has to know it.
public struct RoundUpRow: Sendable, Hashable {
    /// When it was made, not when it was settled.
    public var at: Instant
    /// In the account's currency, without its sign.
    public var amount: Money
    public var isOutgoing: Bool
    /// False for what is pending, declined, reversed or refunded.
    public var isSettled: Bool
    /// True for a move between the customer's own accounts and goals.
    public var isInternal: Bool

    public init(at: Instant, amount: Money, isOutgoing: Bool, isSettled: Bool, isInternal: Bool) {
        (self.at, self.amount) = (at, amount)
        (self.isOutgoing, self.isSettled, self.isInternal) = (isOutgoing, isSettled, isInternal)
    }
}

/// A bank whose purchases can be rounded up into a savings goal.
public protocol RoundUpBank: PayingBank, AccountListing {
    /// The zone of the device, in which days begin.
    var timeZone: TimeZone { get }
    /// All movements in the period, each once. Rows that make no sense are left out: a round-up of what is understood
    /// saves less, never more.
    ///
    /// - Throws: ``ClientFailure``, `decode` too if the list is not whole.
    func roundUpRows(_ caller: BankCaller, account: String, _ period: Period) async throws(ClientFailure) -> [RoundUpRow]
    /// The goals of an account that take money, by id, in the bank's order.
    func goalIDs(_ caller: BankCaller, account: String) async throws(ClientFailure) -> [String]
}

/// Works out the payment that a round-up is.
struct RoundUpPlan: Sendable {
    var bank: any RoundUpBank
    var caller: BankCaller
    var rules: RoundUpRules

    /// - Parameters:
    ///   - account: nil means the first.
    ///   - goal: nil means the first.
    /// - Throws: ``ClientFailure``; `notFound` if there is no goal, and what ``RoundUpRules`` says.
    func order(account: String?, goal: String?) async throws(ClientFailure) -> PaymentOrder {
        let account = try await accountID(account) { () async throws(ClientFailure) in try await bank.accounts(caller) }
        let period = rules.period(until: caller.clock.now())
        let amount = try rules.amount(of: try await bank.roundUpRows(caller, account: account, period), in: period)
        if let goal { return PaymentOrder(from: account, to: goal, amount: amount) }
        guard let first = try await bank.goalIDs(caller, account: account).first else {
            throw ClientFailure(.notFound, "found no savings goal, expected one to move \(amount) to", mayHaveLeft: false)
        }
        return PaymentOrder(from: account, to: first, amount: amount)
    }
}
