public import BankModel
public import Foundation

/// What a round-up has moved.
public struct RoundUp: Sendable, Hashable {
    public var amount: Money
    /// The bank's name for the payment.
    public var payment: String?

    public init(amount: Money, payment: String? = nil) {
        self.amount = amount
        self.payment = payment
    }
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
    /// Plain text, for a person; empty where the bank does not tell.
    public var description: String

    public init(at: Instant, amount: Money, isOutgoing: Bool, isSettled: Bool, isInternal: Bool, description: String = "") {
        self.at = at
        self.amount = amount
        self.description = description
        self.isOutgoing = isOutgoing
        self.isSettled = isSettled
        self.isInternal = isInternal
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

/// What a round-up would move, worked out; nothing has been moved.
public struct RoundUpPreview: Sendable, Hashable {
    /// Whose purchases they are, and who would pay.
    public var account: String
    /// The purchases that count, as the bank lists them; those of whole units too.
    public var purchases: [RoundUpPurchase]
    /// The sum of what is missing from each.
    public var amount: Money

    public init(account: String, purchases: [RoundUpPurchase], amount: Money) {
        self.account = account
        self.purchases = purchases
        self.amount = amount
    }
}

/// A purchase, and what is missing from it to the next whole unit.
public struct RoundUpPurchase: Sendable, Hashable {
    /// The day in the device's zone.
    public var day: CivilDate
    public var description: String
    /// What it cost, without a sign.
    public var amount: Money
    /// What is moved for it; nought for a whole amount.
    public var roundedUpBy: Money

    public init(day: CivilDate, description: String, amount: Money, roundedUpBy: Money) {
        self.day = day
        self.description = description
        self.amount = amount
        self.roundedUpBy = roundedUpBy
    }
}

/// Works out the payment that a round-up is.
struct RoundUpPlan: Sendable {
    var bank: any RoundUpBank
    var caller: BankCaller
    var rules: RoundUpRules

    /// - Parameter account: nil means the first.
    /// - Throws: ``ClientFailure``, as ``RoundUpRules`` says.
    func preview(account: String?) async throws(ClientFailure) -> RoundUpPreview {
        let account = try await accountID(account) { () async throws(ClientFailure) in try await bank.accounts(caller) }
        let period = rules.period(until: caller.clock.now())
        let rows = try await bank.roundUpRows(caller, account: account, period)
        return RoundUpPreview(
            account: account, purchases: rules.purchases(among: rows, in: period), amount: try rules.amount(of: rows, in: period))
    }

    /// The goals of an account that take money, in the bank's order.
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
    ///   - account: nil means the first.
    ///   - goal: nil means the first.
    /// - Throws: ``ClientFailure``; `notFound` if there is no goal, and what ``RoundUpRules`` says.
    func order(account: String?, goal: String?) async throws(ClientFailure) -> PaymentOrder {
        let preview = try await preview(account: account)
        if let goal { return PaymentOrder(from: preview.account, to: goal, amount: preview.amount) }
        guard let first = try await bank.goalIDs(caller, account: preview.account).first else {
            throw ClientFailure(.notFound, "found no savings goal, expected one to move \(preview.amount) to", mayHaveLeft: false)
        }
        return PaymentOrder(from: preview.account, to: first, amount: preview.amount)
    }
}
