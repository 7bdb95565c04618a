import BankModel

/// Rounds purchases up into a savings goal: at once, or after a preview.
extension BankClient {
    /// Moves the difference between each purchase of the last seven days and the next whole unit of money to a savings goal.
    /// Once per intent: a second call continues with the amount computed the first time. See ``RoundUpRules``.
    ///
    /// - Parameters:
    ///   - account: the account of the purchases, which is debited; nil means the first account.
    ///   - goal: its id; nil means the first goal.
    /// - Throws: ``ClientFailure``; `nothingToDo` if all purchases were of whole units, `notFound` without a goal, `rejected`
    ///   if the purchases are in several currencies: nothing is paid then. Otherwise as ``pay(_:_:)``.
    package func roundUp(_ intent: String, account: String? = nil, goal: String? = nil) async throws(ClientFailure) -> RoundUp {
        let plan = try plan()
        return try await moved(intent) { () async throws(ClientFailure) in try await plan.order(account: account, goal: goal) }
    }

    /// Computes a round-up without paying it.
    ///
    /// - Parameter account: its id; nil means the first account.
    /// - Throws: ``ClientFailure``; `nothingToDo` if all purchases were of whole units, `rejected` if they are in several
    ///   currencies.
    package func previewRoundUp(account: String? = nil) async throws(ClientFailure) -> RoundUpPreview {
        try await plan().preview(account: account)
    }

    /// The goals that a round-up can be paid into, in the bank's order.
    ///
    /// - Throws: ``ClientFailure``; `notFound` if there is none.
    package func roundUpGoals(of account: String) async throws(ClientFailure) -> [Goal] { try await plan().goals(of: account) }

    /// Pays the previewed amount, and no other: later purchases belong to the next round-up. Once per intent: a second call
    /// continues with the amount of the first.
    ///
    /// - Parameter goal: its id.
    /// - Throws: ``ClientFailure``, as ``pay(_:_:)``.
    package func roundUp(_ intent: String, _ preview: RoundUpPreview, to goal: String) async throws(ClientFailure) -> RoundUp {
        let order = PaymentOrder(from: preview.account, to: goal, amount: preview.amount)
        return try await moved(intent) { () throws(ClientFailure) in order }
    }

    /// Finishes a round-up begun earlier, in this run or a previous one, with its original amount.
    ///
    /// - Throws: ``ClientFailure``, as ``resume(_:)``: `nothingToDo` if none of that intent was begun.
    package func resumeRoundUp(_ intent: String) async throws(ClientFailure) -> RoundUp {
        try await moved(intent) { () throws(ClientFailure) in
            throw ClientFailure(.nothingToDo, "no round-up with the intent \(intent) was started", mayHaveLeft: false)
        }
    }

    private func moved(
        _ intent: String, _ order: @escaping @Sendable () async throws(ClientFailure) -> PaymentOrder
    ) async throws(ClientFailure) -> RoundUp {
        guard let sender, parts.roundUps != nil else { throw notOffered(.roundUp) }
        let paid = try await noting(intent) { () async throws(ClientFailure) in try await sender.pay(intent, workedOut: order) }
        return RoundUp(amount: paid.order.amount, payment: paid.receipt.id)
    }

    private func plan() throws(ClientFailure) -> RoundUpPlan {
        guard sender != nil, let bank = parts.roundUps else { throw notOffered(.roundUp) }
        return RoundUpPlan(bank: bank, caller: parts.caller, rules: parts.roundUpRules)
    }
}
