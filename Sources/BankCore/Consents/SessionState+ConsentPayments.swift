import BankModel

/// Payments that are made when their customer authorises them: until then they are consents.
extension SessionState {
    /// Rejects a consent at that instant, unless its customer has decided by then.
    mutating func reject(_ id: RowID, unlessDecidedBy end: Instant) {
        guard let found = consent(id), let table = prepared.tables[id.table],
            let number = rows.added[id.table]?.numbers(ofKey: id.key).last
        else { return }
        make(.ended(table: id.table, row: Int(number), at: end, before: found.row.until))
        var object = found.row.fields
        show(.rejected, found.policy, in: &object, at: end)
        let rejected = TableRow(
            object, table.table, since: end, until: found.row.until, position: .added(number), origin: found.row.origin)
        make(.added(table: id.table, row: rejected))
    }

    /// The consent whose customer had time to decide elsewhere until that instant, and has not; nil if there is none.
    func undecided(_ key: String, at instant: Instant) -> RowID? {
        challenges.all.first { $0.consent?.key == key && $0.stage == .pending && $0.expiresAt == instant }?.consent
    }

    /// Makes the move of the operation that has added the consent; nil if it makes none.
    mutating func pay(
        _ found: FoundConsent, _ customer: Customer, _ accounts: [String], at now: Instant
    ) throws(RequestRejection) -> TableRow.Origin? {
        guard let operation = prepared.router.mover(into: found.id.table), let move = operation.move else { return nil }
        var scope = Scope(request: BankRequest("GET", "/"), customer: customer, now: now)
        (scope.json, scope.consentAccount) = (found.body, accounts.first)
        try perform(move, named: operation.name, key: nil, &scope)
        return TableRow.Origin(movement: Int32(ledger.movements.count - 1), list: nil, isDebit: true)
    }

    /// A payment that its customer has not authorised, as deliveries show it: without what its order leaves open.
    mutating func payment(_ move: Operation.Move, of found: FoundConsent, as state: Movement.State, at now: Instant) -> JSONObject {
        var scope = Scope(request: BankRequest("GET", "/"), now: now)
        (scope.json, scope.consentAccount) = (found.body, payingAccount(of: found))
        let currency = text(move.currency, scope).flatMap { Currency($0) }
        let amount = currency.flatMap { self.amount(move, $0, scope) }
        let from = move.from.first.flatMap { text($0.key, scope) }
        let to = move.to.first.flatMap { text($0.key, scope) }
        return JSONObject(known: [
            "id": .string(found.id.key), "state": .string(state.rawValue), "amount": (amount?.major).map(JSON.string),
            "currency": (amount?.currency.code).map(JSON.string), "from": from.map(JSON.string), "to": to.map(JSON.string),
        ])
    }

    /// The account from which a payment is to be made that its customer has not authorised; nil if its order names none.
    private func payingAccount(of found: FoundConsent) -> String? {
        found.named.isEmpty ? nil : bank.customers.lazy.compactMap { covered(by: found, of: $0).first }.first
    }
}
