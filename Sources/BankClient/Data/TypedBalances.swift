import BankModel

extension Balance {
    /// Chooses from the balances of an account: the booked one if the bank states one, else the one that can be spent, else the first. Of
    /// several of a type the first counts.
    ///
    /// - Parameters:
    ///   - booked: the bank's types of booked balances, the preferred one first.
    ///   - available: the bank's types of what can be spent.
    static func chosen(
        from all: [(type: String, money: Money)], booked: [String], available: [String]
    ) throws(ClientFailure) -> Balance {
        func first(_ types: [String]) -> Money? { types.lazy.compactMap { type in all.first { $0.type == type }?.money }.first }
        let (settled, spendable) = (first(booked), first(available))
        let balance = try needed(settled ?? spendable ?? all.first?.money, "balance")
        return Balance(balance: balance, available: settled == nil ? nil : spendable)
    }
}
