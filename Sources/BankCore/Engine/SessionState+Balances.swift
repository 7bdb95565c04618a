package import BankModel

extension SessionState {
    /// The spendable balances of the first accounts, table by table, in the order of their rows.
    ///
    /// - Parameter limit: the largest number of balances.
    package func balances(limit: Int) -> [(account: Movement.Account, money: Money)] {
        var found: [(account: Movement.Account, money: Money)] = []
        for name in prepared.tables.keys.sorted() {
            guard let table = prepared.tables[name], table.table.holds != nil else { continue }
            let keys = (0..<min(table.count, limit)).map { table.row($0).key } + (inserted[name]?.rows.prefix(limit).map(\.key) ?? [])
            var known: Set<String> = []
            for key in keys where found.count < limit && known.insert(key).inserted {
                let account = Movement.Account(table: name, id: key)
                if let money = spendable(account) { found.append((account, money)) }
            }
        }
        return found
    }
}
