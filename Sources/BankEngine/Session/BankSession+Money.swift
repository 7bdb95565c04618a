package import BankCore
package import BankModel

extension BankSession {
    /// A copy of the whole state, with everything done that is due by now.
    package var settledState: SessionState {
        inner.withLock { inner in
            _ = inner.settle(clock)
            return inner.state
        }
    }

    /// What the accounts of that name can spend now: at most one in each table that holds money.
    ///
    /// - Parameter name: an account's id, or table and id as `accounts/ava-gbp`.
    package func balances(of name: String) -> [(account: Movement.Account, money: Money)] {
        let state = settledState
        return state.bank.tables.keys.sorted().compactMap { table in
            let id = name.hasPrefix("\(table)/") ? String(name.dropFirst(table.count + 1)) : name
            let account = Movement.Account(table: table, id: id)
            return state.spendable(account).map { (account, $0) }
        }
    }
}
