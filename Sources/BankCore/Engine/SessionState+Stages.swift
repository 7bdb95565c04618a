import BankModel

/// One side of a movement, for the list that shows it.
struct MoveSide {
    let account: Movement.Account
    let other: Movement.Account
    let isDebit: Bool
    /// The row of the other account; empty if there is none.
    let otherFields: JSONObject
}

extension SessionState {
    /// Adds an operation's row; it has one stage while the movement is pending, and another once that has ended. A movement that waits
    /// for an authorisation has a stage more, which ``authorise(_:at:)`` adds.
    ///
    /// - Parameter list: the index of the list to which it is added; nil for the operation's own row.
    /// - Returns: the row's present stage; nil if it has none.
    @discardableResult
    mutating func add(_ insert: RowInsertion, list: Int? = nil, _ scope: inout Scope) throws(RequestRejection) -> TableRow? {
        let (table, stages) = (insert.table.table, insert.stages)
        guard var first = try fields(insert.row, &scope) else { return nil }
        if scope.movement?.ending?.authorised == nil { first = try authorised(first, stages, &scope) }
        let origin = scope.movement.map { _ in
            TableRow.Origin(movement: Int32(ledger.movements.count - 1), list: list.map { Int32($0) }, isDebit: scope.side?.isDebit ?? true)
        }
        guard let ending = scope.movement?.ending else {
            let fields = try overlaid(first, stages.settled, &scope) ?? first
            return try add(TableRow(fields, table, since: scope.now, origin: origin), insert)
        }
        let row = try add(TableRow(first, table, since: scope.now, until: ending.at, origin: origin), insert)
        let now = scope.now
        (scope.pending, scope.now) = (first, ending.at)
        defer { (scope.pending, scope.now) = (nil, now) }
        if let fields = try overlaid(first, stages.last(ending.state), &scope) {
            try add(TableRow(fields, table, since: ending.at, origin: origin), insert)
        }
        return row
    }

    @discardableResult
    mutating func add(_ row: TableRow, _ insert: RowInsertion) throws(RequestRejection) -> TableRow {
        // A later stage of one row may have the same key: the two never exist at the same time.
        if !insert.isKeyNew, row.since <= present, self.row(insert.table, key: row.key) != nil {
            throw .badRequest("a row with the key \(row.key) already exists")
        }
        make(.added(table: insert.table.table.name, row: row))
        return row
    }

    /// The fields overlaid with those of a later stage; nil if that stage removes the row.
    mutating func overlaid(_ fields: JSONObject, _ stage: RowStages.Stage, _ scope: inout Scope) throws(RequestRejection) -> JSONObject? {
        switch stage {
        case .gone: return nil
        case .same: return fields
        case .with(let row):
            return try self.fields(row, &scope).map { fields.overlaid(with: $0) } ?? fields
        }
    }

    /// The members that a row's template gives; nil if the result is not an object.
    mutating func fields(_ row: Template, _ scope: inout Scope) throws(RequestRejection) -> JSONObject? {
        try render(row, &scope)?.object
    }

    /// Adds a movement to the lists of its two sides.
    mutating func list(from: PayingSide, to: PayingSide, _ lists: [Operation.Move.Listing], _ scope: inout Scope) throws(RequestRejection) {
        defer { scope.side = nil }
        try list(MoveSide(account: from.account, other: to.account, isDebit: true, otherFields: to.fields), lists, &scope)
        try list(MoveSide(account: to.account, other: from.account, isDebit: false, otherFields: from.fields), lists, &scope)
    }

    mutating func list(_ side: MoveSide, _ lists: [Operation.Move.Listing], _ scope: inout Scope) throws(RequestRejection) {
        scope.side = side
        for (number, list) in lists.enumerated() where list.side == side.account.table {
            guard let table = prepared.tables[list.table] else { continue }
            try add(RowInsertion(table, list.row, list.stages), list: number, &scope)
        }
    }

    /// A property of the side that a list's row shows.
    func sideValue(_ field: ValueSource.SideField, _ scope: Scope) -> JSON? {
        guard let side = scope.side else { return nil }
        switch field {
        case .account: return .string(side.account.id)
        case .direction(let debit, let credit): return side.isDebit ? debit : credit
        case .other(let path): return side.otherFields.at(path)
        case .payer(let path): return side.isDebit ? nil : side.otherFields.at(path)
        case .payee(let path): return side.isDebit ? side.otherFields.at(path) : nil
        case .otherTable(let values): return values[side.other.table]
        }
    }

    /// A property of the movement that the operation has just made.
    func movementValue(_ field: ValueSource.MovementField, _ scope: Scope) -> JSON? {
        guard let movement = scope.movement else { return nil }
        switch field {
        case .id: return .string(movement.id)
        case .amount: return scope.unit.map { $0.json(movement.amount) }
        case .signed:
            let sign: Int64 = scope.side?.isDebit == true ? -1 : 1
            return scope.unit.map { $0.json(Money(minorUnits: sign * movement.amount.minorUnits, currency: movement.amount.currency)) }
        case .currency: return .string(movement.amount.currency.code)
        }
    }
}

/// Payments that end later, and those that wait for a second person's authorisation before.
extension SessionState {
    /// The instant and the result with which the movement ends; nil if it ends at once. A magic rejection takes as long as a
    /// settlement, or a minute. A movement that needs an authorisation is rejected if it gets none.
    func ending(of move: Operation.Move, to account: Movement.Account, _ magic: MagicOutcome?, at now: Instant) -> Movement.Ending? {
        let settles = move.settles[account.table]
        let next: Movement.Ending.Next? =
            magic == .rejected
            ? Movement.Ending.Next(after: settles ?? .seconds(60), state: .rejected)
            : settles.map { Movement.Ending.Next(after: $0, state: .settled) }
        guard let time = move.authorisation[account.table] else { return next.map { Movement.Ending(at: now + $0.after, state: $0.state) } }
        return Movement.Ending(at: now + time, state: .rejected, authorised: next ?? Movement.Ending.Next(after: .zero, state: .settled))
    }

    /// Authorises a payment that waits: it goes on as its operation says, and its rows with it.
    mutating func authorise(_ number: Int, at now: Instant) throws(EventError) {
        guard let waiting = ledger.movements[number].ending, let next = waiting.authorised else { return }
        let ending = Movement.Ending(at: now + next.after, state: next.state)
        make(.reended(number, ending, before: waiting))
        try replaceRows(showing: number, at: now) { session, shown, _, stages, scope throws(RequestRejection) in
            let fields = try session.authorised(shown.row.fields, stages, &scope)
            if ending.at > now {
                session.show(fields, in: shown.table, as: shown.origin, position: shown.position, at: now, until: ending.at)
            }
            (scope.pending, scope.now) = (fields, ending.at)
            guard let last = try session.overlaid(fields, stages.last(ending.state), &scope) else { return }
            session.show(last, in: shown.table, as: shown.origin, position: shown.position, at: ending.at)
        }
    }

    /// The fields of a row that shows a payment which waits for nobody, or no longer.
    mutating func authorised(_ fields: JSONObject, _ stages: RowStages, _ scope: inout Scope) throws(RequestRejection) -> JSONObject {
        guard let row = stages.authorised, let changes = try self.fields(row, &scope) else { return fields }
        return fields.overlaid(with: changes)
    }
}
