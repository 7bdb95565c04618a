import BankModel

extension SessionState {
    /// What does not agree in the session's books, a sentence each; empty if all does.
    ///
    /// Sums: the ledger is balanced in every currency, and no account is below its limit. Keys: every movement made under a key is
    /// known to that key as long as its window lasts, and every key that remembers a movement made has exactly one.
    package var audit: [String] { sumFaults + accountFaults + keyFaults }

    private var sumFaults: [String] {
        var faults: [String] = []
        if !ledger.isBalanced { faults.append("the balances are not the sums of the postings") }
        var sums: [Currency: Int64] = [:]
        for movement in ledger.movements where movement.amount.minorUnits <= 0 {
            faults.append("\(movement.id) moves \(movement.amount), expected more than nothing")
        }
        for (account, change) in ledger.changes {
            guard let currency = ledger.movements.first(where: { $0.from == account || $0.to == account })?.amount.currency else {
                faults.append("\(account) has changed by \(change) minor units, and no movement names it")
                continue
            }
            sums[currency, default: 0] &+= change
        }
        for (currency, sum) in sums where sum != 0 { faults.append("the postings in \(currency) add up to \(sum) minor units, expected 0") }
        return faults
    }

    private var accountFaults: [String] {
        var faults: [String] = []
        for account in ledger.changes.keys.sorted(by: { $0.description < $1.description }) {
            guard let table = prepared.tables[account.table]?.table else {
                faults.append("\(account) is of no table of the bank \(bank.name)")
                continue
            }
            guard let lowest = table.holds?.lowest, let balance = spendable(account)?.minorUnits, balance < lowest else { continue }
            faults.append("\(account) has \(balance) minor units, expected at least \(lowest)")
        }
        return faults
    }

    private var keyFaults: [String] {
        var faults: [String] = []
        let policy = bank.dialect.idempotency
        var made: [IdempotencyBook.ID: Int] = [:]
        for movement in ledger.movements {
            guard let key = movement.key else { continue }
            let id = IdempotencyBook.ID(
                customer: movement.customer, operation: policy?.scope == .customer ? nil : movement.operation, key: key)
            // A key may be used again once its window is over: only the last movement under it is still its own.
            let isOver = policy?.window.map { movement.at + $0 <= present } ?? false
            guard !isOver else { continue }
            made[id, default: 0] += 1
            if keys.records[id]?.stored == nil { faults.append("\(movement.id) was made under the key \"\(key)\", which nobody remembers") }
        }
        for (id, count) in made where count > 1 { faults.append("the key \"\(id.key)\" has made \(count) movements, expected 1") }
        let moving = Set(bank.operations.filter { $0.move != nil }.map(\.name))
        for (id, record) in keys.records where record.stored?.reply.committed == true && made[id] == nil {
            let isOver = policy?.window.map { record.since + $0 <= present } ?? false
            guard !isOver, id.operation.map(moving.contains) ?? false else { continue }
            faults.append("the key \"\(id.key)\" remembers a success, and there is no movement under it")
        }
        return faults.sorted()
    }
}
