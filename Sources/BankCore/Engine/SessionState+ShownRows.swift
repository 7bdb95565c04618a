import BankModel

/// The rows that show a movement, and what their templates can refer to when its request is over.
extension SessionState {
    /// A row that shows a movement, now or later.
    struct ShownRow {
        let table: PreparedTable
        let number: Int
        let row: TableRow
        let origin: TableRow.Origin

        var position: TableRow.Position { row.position ?? .added(Int32(number)) }
    }

    func shown(by movement: Int) -> [ShownRow] {
        rows.added.keys.sorted().flatMap { name -> [ShownRow] in
            guard let table = prepared.tables[name], let added = rows.added[name] else { return [] }
            return added.rows.enumerated().compactMap { number, row in
                guard let origin = row.origin, Int(origin.movement) == movement, row.since < row.until else { return nil }
                return ShownRow(table: table, number: number, row: row, origin: origin)
            }
        }
    }

    /// Ends the rows that show a pending payment, also those planned for later, and adds others in place of those that are there.
    ///
    /// - Parameter add: adds what replaces a row. It gets the row, the one planned after it, if there is one, their stages, and a scope
    ///   whose pending fields are the row's.
    mutating func replaceRows(
        showing number: Int, at now: Instant,
        _ add: (inout SessionState, ShownRow, ShownRow?, RowStages, inout Scope) throws(RequestRejection) -> Void
    ) throws(EventError) {
        let rows = shown(by: number)
        let planned = rows.filter { $0.row.since > now }
        // Also one whose pending row the customer has removed.
        for row in planned { make(.ended(table: row.table.table.name, row: row.number, at: row.row.since, before: row.row.until)) }
        for shown in rows where shown.row.isThere(at: now) {
            try changeRows { session throws(RequestRejection) in
                var scope = session.scope(showing: number, shown.origin, at: now)
                scope.pending = shown.row.fields
                session.make(.ended(table: shown.table.table.name, row: shown.number, at: now, before: shown.row.until))
                guard let stages = session.stages(of: shown.origin, ledger: number) else { return }
                try add(&session, shown, planned.first { $0.origin == shown.origin }, stages, &scope)
            }
        }
    }

    /// The stages of the row that an operation, or the bank's events, added for a movement.
    func stages(of origin: TableRow.Origin, ledger number: Int) -> RowStages? {
        let movement = ledger.movements[number]
        let operation = prepared.router.operation(movement.operation)
        guard let list = origin.list.map({ Int($0) }) else { return operation?.insert?.stages }
        let lists = (movement.isOfEvent ? bank.events?.lists : operation?.move?.lists) ?? []
        return lists.indices.contains(list) ? lists[list].stages : nil
    }

    /// What templates can refer to when they show a movement without its request.
    func scope(showing number: Int, _ origin: TableRow.Origin, at now: Instant) -> Scope {
        let movement = ledger.movements[number]
        var scope = Scope(request: BankRequest("GET", "/"), customer: movement.customer.flatMap(customer), now: now)
        let original = movement.returns.flatMap { id in ledger.movements.last { $0.id == id } } ?? movement
        let unit = prepared.router.operation(original.operation)?.move?.unit
        (scope.movement, scope.unit) = (movement, !original.isOfEvent ? unit : bank.events?.unit)
        guard origin.list != nil else { return scope }
        let (own, other) = origin.isDebit ? (movement.from, movement.to) : (movement.to, movement.from)
        scope.side = MoveSide(account: own, other: other, isDebit: origin.isDebit, otherFields: fields(of: other))
        return scope
    }

    /// The fields of an account's row; the name alone for a party outside the bank.
    func fields(of account: Movement.Account) -> JSONObject {
        if account.table == Movement.Account.outside {
            return JSONObject([("id", .string(account.id)), ("name", .string(account.id))])
        }
        return row(account.table, key: account.id)?.fields ?? JSONObject()
    }

    /// An account of the bank; nil for a party outside the bank.
    func party(_ account: Movement.Account) -> PayingSide? {
        guard let table = prepared.tables[account.table], let row = row(table, key: account.id) else { return nil }
        return side(account, table, row.fields)
    }
}
