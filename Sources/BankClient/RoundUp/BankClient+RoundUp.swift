import BankModel
import DriverProtocol

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
        try await moved(intent) { () async throws(ClientFailure) -> PaymentOrder in
            let preview = try await previewRoundUp(account: account)
            if let goal { return PaymentOrder(from: preview.account, to: goal, amount: preview.amount) }
            guard let first = try await roundUpBank().goalIDs(parts.caller, account: preview.account).first else {
                throw ClientFailure(.notFound, "found no savings goal, expected one to move \(preview.amount) to", mayHaveLeft: false)
            }
            return PaymentOrder(from: preview.account, to: first, amount: preview.amount)
        }
    }

    /// Computes a round-up without paying it.
    ///
    /// - Parameter account: its id; nil means the first account.
    /// - Throws: ``ClientFailure``; `nothingToDo` if all purchases were of whole units, `rejected` if they are in several
    ///   currencies.
    package func previewRoundUp(account: String? = nil) async throws(ClientFailure) -> RoundUpPreview {
        let (bank, rules, caller) = (try roundUpBank(), parts.roundUpRules, parts.caller)
        let account = try await accountID(account) { () async throws(ClientFailure) in try await bank.accounts(caller) }
        let period = rules.period(until: caller.clock.now())
        let rows = try await bank.roundUpRows(caller, account: account, period)
        return RoundUpPreview(
            account: account, purchases: rules.purchases(among: rows, in: period), amount: try rules.amount(of: rows, in: period))
    }

    /// The goals that a round-up can be paid into, in the bank's order.
    ///
    /// - Throws: ``ClientFailure``; `notFound` if there is none.
    package func roundUpGoals(of account: String) async throws(ClientFailure) -> [Goal] {
        let bank = try roundUpBank()
        let ids = try await bank.goalIDs(parts.caller, account: account)
        let all = try await (bank as? any GoalListing)?.goals(parts.caller, account: account).rows ?? []
        let goals = ids.compactMap { id in all.first { $0.id == id } }
        guard !goals.isEmpty else {
            throw ClientFailure(.notFound, "found no savings goal, expected one to move money to", mayHaveLeft: false)
        }
        return goals
    }

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

    private func roundUpBank() throws(ClientFailure) -> any RoundUpBank {
        guard sender != nil, let bank = parts.roundUps else { throw notOffered(.roundUp) }
        return bank
    }
}
