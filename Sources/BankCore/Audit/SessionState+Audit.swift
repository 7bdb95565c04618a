package import BankModel

extension SessionState {
    /// The inconsistencies of the session's sums, a sentence each; empty if there are none: the balances are the sums of the
    /// postings, and add up to 0.
    package var sumFaults: [String] {
        var faults: [String] = []
        if !ledger.isBalanced { faults.append("the balances are not the sums of the postings") }
        let sum = ledger.changes.values.reduce(0, &+)
        if sum != 0 { faults.append("the changes of all accounts add up to \(sum) minor units, expected 0") }
        return faults + (saved?.state.sumFaults ?? []).map { "the snapshot: \($0)" }
    }

    /// The inconsistencies of a whole state whose commands are no longer known, a sentence each.
    ///
    /// Accounts: each belongs to a table, and none is below its limit. Keys: every movement made under a key is known to that
    /// key for as long as its window lasts, and every key that remembers a payment has exactly one movement.
    ///
    /// - Parameter now: the session's now; keys whose window is over by then, or by the latest now of a snapshot, may be forgotten.
    package func audit(at now: Instant) -> [String] {
        var state = self
        state.settle(at: now)
        // A reset takes the clock back. A snapshot of before has forgotten keys by its own, later now; so has a state that was restored
        // from it.
        let snapshotNow = max(now, saved?.state.latest ?? now)
        let latestNow = max(snapshotNow, ledger.movements.map(\.at).max() ?? now)
        let faults = state.accountFaults + state.recordFaults(at: latestNow)
        return faults + (saved?.state.audit(at: snapshotNow) ?? []).map { "the snapshot: \($0)" }
    }

    private var accountFaults: [String] {
        var faults: [String] = []
        var accounts: Set<Movement.Account> = []
        for (number, movement) in ledger.movements.enumerated() {
            if let fault = numberFault(movement, number + 1) { faults.append(fault) }
            accounts.formUnion([movement.from, movement.to])
        }
        for account in accounts.sorted(by: { $0.description < $1.description }) {
            if let fault = tableFault(account) ?? limitFault(account) { faults.append(fault) }
        }
        return faults
    }

    private func recordFaults(at now: Instant) -> [String] {
        var faults: [String] = []
        var made: [IdempotencyBook.ID: [Movement]] = [:]
        for movement in ledger.movements {
            guard let id = keyID(of: movement) else { continue }
            made[id, default: []].append(movement)
            let isOver = bank.dialect.idempotency?.window.map { movement.at + $0 <= now } ?? false
            if keys.records[id] == nil, !isOver, remembersSuccess(movement.operation) { faults.append(forgotten(movement, id)) }
        }
        for (id, record) in keys.records {
            // An earlier movement under the key belongs to an earlier use, whose window is over.
            let count = made[id]?.count { $0.at >= record.since } ?? 0
            if let fault = countFault(id, record, count) { faults.append(fault) }
        }
        return faults.sorted()
    }

    func numberFault(_ movement: Movement, _ number: Int) -> String? {
        movement.id == "movement-\(number)" ? nil : "found \(movement.id) where movement-\(number) was expected"
    }

    func tableFault(_ account: Movement.Account) -> String? {
        prepared.tables[account.table] == nil && account.table != Movement.Account.outside
            ? "\(account) does not belong to a table of the bank \(bank.name)" : nil
    }

    /// An account whose fixture begins below its limit may stay there, but nothing more may be debited.
    func limitFault(_ account: Movement.Account) -> String? {
        guard let lowest = prepared.tables[account.table]?.table.holds?.lowest, let balance = spendable(account)?.minorUnits,
            balance < lowest,
            ledger.spendableChange(of: account) < 0
        else { return nil }
        return "\(account) has \(balance) minor units, expected at least \(lowest)"
    }

    /// The key of a movement; nil without one, or if keys are not remembered.
    func keyID(of movement: Movement) -> IdempotencyBook.ID? {
        guard let key = movement.key, let policy = bank.dialect.idempotency else { return nil }
        return IdempotencyBook.ID(customer: movement.customer, operation: policy.scope == .customer ? nil : movement.operation, key: key)
    }

    /// Whether a key remembers that an operation succeeded.
    func remembersSuccess(_ operation: String) -> Bool {
        guard let policy = bank.dialect.idempotency, let status = bank.operations.first(where: { $0.name == operation })?.status else {
            return false
        }
        var response = BankResponse(status: status)
        response.committed = true
        return policy.remembers(response)
    }

    func forgotten(_ movement: Movement, _ id: IdempotencyBook.ID) -> String {
        "\(movement.id) was made under the key \"\(id.key)\", which is not in the record of keys"
    }

    /// Reports a key whose record does not match the `count` of movements made under it.
    func countFault(_ id: IdempotencyBook.ID, _ record: IdempotencyBook.Record, _ count: Int) -> String? {
        guard let response = record.stored?.response else { return nil }
        let made = count == 1 ? "1 movement" : "\(count) movements"
        if count > 1 { return "the key \"\(id.key)\" has made \(made), expected at most 1" }
        if count == 1, !response.committed { return "the key \"\(id.key)\" stores an error response, but has made \(made)" }
        // A key of all operations does not show which one used it.
        let operation = bank.operations.first { $0.name == id.operation }
        guard count == 0, response.committed, operation?.move != nil else { return nil }
        return "the key \"\(id.key)\" stores a success, but has made no movement"
    }
}

// MARK: single faults, of a whole state and of a command
