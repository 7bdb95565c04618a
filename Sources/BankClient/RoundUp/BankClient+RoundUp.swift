import BankModel

/// Rounding purchases up into a savings goal: at once, or seen first and moved then.
extension BankClient {
    /// Moves to a savings goal what is missing from each purchase of the last seven days to the next whole unit of money.
    /// Once for the intent: asked again, it goes on with the amount worked out the first time. See ``RoundUpRules``.
    ///
    /// - Parameters:
    ///   - account: whose purchases, and who pays; nil means the first.
    ///   - goal: its id; nil means the first.
    /// - Throws: ``ClientFailure``; `nothingToDo` if all purchases were of whole units, `notFound` without a goal, `rejected`
    ///   if the purchases are in several currencies: no money moves then. Otherwise as ``pay(_:_:)``.
    public func roundUp(_ intent: String, account: String? = nil, goal: String? = nil) async throws(ClientFailure) -> RoundUp {
        let plan = try plan()
        return try await moved(intent) { () async throws(ClientFailure) in try await plan.order(account: account, goal: goal) }
    }

    /// What a round-up would move now. Nothing is moved.
    ///
    /// - Parameter account: its id; nil means the first.
    /// - Throws: ``ClientFailure``; `nothingToDo` if all purchases were of whole units, `rejected` if they are in several
    ///   currencies.
    public func previewRoundUp(account: String? = nil) async throws(ClientFailure) -> RoundUpPreview {
        try await plan().preview(account: account)
    }

    /// The goals that a round-up can be moved to, in the bank's order.
    ///
    /// - Throws: ``ClientFailure``; `notFound` if there is none.
    public func roundUpGoals(of account: String) async throws(ClientFailure) -> [Goal] {
        try await plan().goals(of: account)
    }

    /// Moves what was previewed, and no other amount: purchases made since are of the next round-up. Once for the intent:
    /// asked again, it goes on with the amount of the first time.
    ///
    /// - Parameter goal: its id.
    /// - Throws: ``ClientFailure``, as ``pay(_:_:)``.
    public func roundUp(_ intent: String, _ preview: RoundUpPreview, to goal: String) async throws(ClientFailure) -> RoundUp {
        let order = PaymentOrder(from: preview.account, to: goal, amount: preview.amount)
        return try await moved(intent) { () throws(ClientFailure) in order }
    }

    /// Finishes a round-up begun before, in this run or an earlier one, with the amount of that time.
    ///
    /// - Throws: ``ClientFailure``, as ``resume(_:)``: `nothingToDo` if none of that intent was begun.
    public func resumeRoundUp(_ intent: String) async throws(ClientFailure) -> RoundUp {
        try await moved(intent) { () throws(ClientFailure) in
            throw ClientFailure(.nothingToDo, "no round-up of the intent \(intent) was begun", mayHaveLeft: false)
        }
    }

    private func moved(
        _ intent: String, _ order: @escaping @Sendable () async throws(ClientFailure) -> PaymentOrder
    ) async throws(ClientFailure) -> RoundUp {
        guard let sender, parts.roundUps != nil else { throw notOffered(.roundUp) }
        let paid = try await sender.pay(intent, workedOut: order)
        return RoundUp(amount: paid.order.amount, payment: paid.receipt.id)
    }

    private func plan() throws(ClientFailure) -> RoundUpPlan {
        guard sender != nil, let bank = parts.roundUps else { throw notOffered(.roundUp) }
        return RoundUpPlan(bank: bank, caller: parts.caller, rules: parts.roundUpRules)
    }
}
