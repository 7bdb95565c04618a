package import BankModel

/// Events: what happens at the bank without a request of a client.
extension SessionState {
    /// Makes an event happen, completely or not at all.
    ///
    /// - Returns: what it has made, ended, closed or revoked.
    package mutating func happen(_ event: BankEvent, at now: Instant) throws(EventError) -> EventResult {
        settle(at: now)
        let mark = log.begin()
        defer { log.end() }
        do {
            let result = try result(of: event, at: now)
            announceChanges(since: mark, at: now)
            return result
        } catch {
            rollBack(to: mark)
            throw error
        }
    }

    private mutating func result(of event: BankEvent, at now: Instant) throws(EventError) -> EventResult {
        try check(event)
        var number: Int
        switch event.kind.effect {
        case .closes: return .closed(try closeAccount(event.account ?? "", at: now))
        case .revokes: return .consent(try revokeConsent(event.consent, at: now))
        case .moves(let isDebit): number = try move(event, isDebit: isDebit, at: now)
        case .authorises:
            number = try payment(event) { $0.state == .pendingAuthorisation }
            try authorise(number, at: now)
        case .ends(let state):
            // Only what is authorised can settle.
            number = try payment(event) { state.isReversed ? $0.state.isPending : $0.state == .accepted }
            if let captured = try captured(event, of: number) {
                number = try replace(number, by: captured, event, settles: true, at: now)
            } else {
                try end(number, as: state, by: event, at: now)
            }
        case .grows:
            number = try payment(event) { $0.state == .accepted }
            number = try replace(number, by: try grown(event, of: number), event, settles: false, at: now)
        case .returns:
            // One that is named and has nothing left is rejected with that reason.
            let sums = event.payment == nil ? returnedSums : [:]
            number = try payment(event) { $0.state == .settled && $0.returns == nil && sums[$0.id] != $0.amount.minorUnits }
            number = try giveBack(event, number, at: now)
        }
        return .movement(ledger.movements[number])
    }

    /// Checks the members of an event, as far as they do not depend on the time at which it happens.
    package func check(_ event: BankEvent) throws(EventError) {
        let members = BankEvent.texts.map { (name: $0.field.key, value: event[keyPath: $0.path]) }
        let known: Set<String> =
            switch event.kind.effect {
            case .moves: ["account", "amount", "name", "reference"]
            // A merchant may take less than it has reserved.
            case .ends(let state):
                event.kind == .cardCaptured
                    ? ["payment", "amount"] : state == .rejected && !event.kind.isOfCards ? ["payment", "reason"] : ["payment"]
            case .authorises: ["payment"]
            case .grows: ["payment", "amount", "reference"]
            case .closes: ["account"]
            // A bank returns a payment as a whole; a merchant may refund a part.
            case .returns: event.kind.isOfCards ? ["payment", "amount"] : ["payment", "reason"]
            case .revokes: ["consent"]
            }
        if let needless = members.first(where: { $0.value != nil && !known.contains($0.name) }) {
            throw .needless(needless.name, event.kind)
        }
        if let long = members.first(where: { $0.value.map { $0.count > BankEvent.longestText } ?? false }) {
            throw .tooLong(long.name, long.value?.count ?? 0)
        }
        if case .moves = event.kind.effect { _ = try newMoney(event) }
        if event.kind == .accountClosed {
            guard let name = event.account else { throw .missing("account", event.kind) }
            let side = try account(name)
            guard side.table.table.closed != nil else { throw .neverClosed(table: side.account.table) }
        }
    }

    // MARK: new money

    /// The account and the amount of new money, and the format in which lists show it.
    private func newMoney(_ event: BankEvent) throws(EventError) -> (side: PayingSide, amount: Money, unit: AmountUnit) {
        guard let policy = bank.events else { throw .unknownToBank(event.kind, bank: bank.name) }
        guard let name = event.account else { throw .missing("account", event.kind) }
        guard let text = event.amount else { throw .missing("amount", event.kind) }
        let side = try account(name)
        guard let currency = side.currency else { throw .unknownAccount(name, known: holders) }
        guard !isClosed(side) else { throw .wrongState(payment: name, found: "closed", expected: "open") }
        return (side, try amount(text, currency), policy.unit)
    }

    /// - Parameter settles: whether it is booked at once, even if it could be reserved first.
    mutating func move(_ event: BankEvent, isDebit: Bool, settles: Bool = false, at now: Instant) throws(EventError) -> Int {
        let (side, amount, unit) = try newMoney(event)
        let outside = Movement.Account(table: Movement.Account.outside, id: event.name ?? event.kind.usualName)
        let ending = settles ? nil : event.kind.lapses.map { Movement.Ending(at: now + $0, state: .rejected) }
        let owner = owner(of: side)
        let movement = Movement(
            id: nextMovementID, operation: event.kind.rawValue, key: nil, customer: owner?.login,
            state: ending == nil ? .settled : .accepted, from: isDebit ? side.account : outside, to: isDebit ? outside : side.account,
            amount: amount, at: now, ending: ending, event: event.kind.rawValue)
        try book(movement, pays: isDebit ? side : nil, openings: isDebit ? (side.opening ?? 0, 0) : (0, side.opening ?? 0))
        var scope = Scope(request: BankRequest("GET", "/"), customer: owner, now: now)
        (scope.movement, scope.unit, scope.event) = (movement, unit, event)
        let shown = MoveSide(account: side.account, other: outside, isDebit: isDebit, otherFields: fields(of: outside))
        try changeRows { state throws(RequestRejection) in try state.list(shown, state.bank.events?.lists ?? [], &scope) }
        return ledger.movements.count - 1
    }

    private var nextMovementID: String { "movement-\(ledger.movements.count + 1)" }

    /// Books a movement, unless the account that pays has too little or a sum does not fit.
    private mutating func book(_ movement: Movement, pays: PayingSide?, openings: (from: Int64, to: Int64)) throws(EventError) {
        if let pays, let units = balance(pays) {
            let (left, overflow) = units.subtractingReportingOverflow(movement.amount.minorUnits)
            if overflow || isTooLow(left, in: pays) { throw .tooLittle(movement.amount, account: pays.account.id) }
        }
        guard ledger.accepts(movement, openings: openings) else { throw .impossible("the sum does not fit 64 bits of minor units") }
        make(.moved(movement))
    }

    func amount(_ text: String, _ currency: Currency) throws(EventError) -> Money {
        guard let amount = try? Money(major: text, currency: currency), amount.minorUnits > 0 else { throw .wrongAmount(text, currency) }
        return amount
    }

    /// The account with that name: a key alone, or with its table.
    func account(_ name: String) throws(EventError) -> PayingSide {
        for table in prepared.tables.values.filter({ $0.table.holds != nil }).sorted(by: { $0.table.name < $1.table.name }) {
            let key = name.hasPrefix("\(table.table.name)/") ? String(name.dropFirst(table.table.name.count + 1)) : name
            guard let row = row(table, key: key) else { continue }
            return side(Movement.Account(table: table.table.name, id: key), table, row.fields)
        }
        throw .unknownAccount(name, known: holders)
    }

    /// The first accounts that hold money.
    private var holders: [String] { balances(limit: 8).map(\.account.id) }

    private func owner(of side: PayingSide) -> Customer? {
        guard let row = row(side.table, key: side.account.id) else { return nil }
        return bank.customers.first { isVisible(row, of: side.table, to: $0) }
    }

    /// Adds and changes rows.
    mutating func changeRows(_ body: (inout SessionState) throws(RequestRejection) -> Void) throws(EventError) {
        do { try body(&self) } catch { throw .impossible(error.detail ?? error.name.rawValue) }
    }

    // MARK: payments

    /// The index of the payment that an event names, or of the newest in the right state.
    private func payment(_ event: BankEvent, _ isReady: (Movement) -> Bool) throws(EventError) -> Int {
        let isOfCards = event.kind.isOfCards
        func fits(_ movement: Movement) -> Bool { !isOfCards || movement.event == BankEvent.Kind.cardAuthorised.rawValue }
        guard let name = event.payment else {
            guard
                let newest = ledger.movements.lastIndex(where: { fits($0) && isReady($0) && $0.event != BankEvent.Kind.paymentIn.rawValue })
            else { throw .unknownPayment(nil, event.kind) }
            return newest
        }
        let shown = Set(
            rows.added.values.flatMap { added in
                added.numbers(ofKey: name).compactMap { added.rows[Int($0)].origin.map { Int($0.movement) } }
            })
        let found = ledger.movements.indices.last { number in
            let movement = ledger.movements[number]
            return movement.id == name || shown.contains(number) || movement.key == name
        }
        guard let found, fits(ledger.movements[found]) else { throw .unknownPayment(name, event.kind) }
        let movement = ledger.movements[found]
        guard isReady(movement) else {
            let expected: Movement.State =
                switch event.kind.effect {
                case .authorises: .pendingAuthorisation
                case .ends: .accepted
                default: .settled
                }
            throw .wrongState(
                payment: name, found: movement.returns == nil ? movement.state.rawValue : "a return of \(movement.returns ?? "")",
                expected: expected.rawValue)
        }
        return found
    }

    /// Ends a pending payment now: its rows are those of its end.
    ///
    /// - Parameter event: the event that ends it, of which the row of a rejected payment can show the reason; nil if there is none.
    mutating func end(_ number: Int, as state: Movement.State, by event: BankEvent? = nil, at now: Instant) throws(EventError) {
        guard let ending = ledger.movements[number].ending else { return }
        make(.reended(number, Movement.Ending(at: now, state: state), before: ending))
        try replaceRows(showing: number, at: now) { session, shown, planned, stages, scope throws(RequestRejection) in
            var first = shown.row.fields
            if state == .rejected { scope.event = event }
            // Values that only the request had are in the planned row.
            if ending.state == state, let planned { first = planned.row.fields }
            guard let fields = try session.overlaid(first, stages.last(state), &scope) else { return }
            session.show(fields, in: shown.table, as: shown.origin, position: shown.position, at: now)
        }
    }

    /// Gives the money of a settled payment back, or a part of it.
    ///
    /// - Returns: the index of the new movement.
    private mutating func giveBack(_ event: BankEvent, _ number: Int, at now: Instant) throws(EventError) -> Int {
        let original = ledger.movements[number]
        let currency = original.amount.currency
        // A state file may have returns of any number.
        let units = ledger.movements.lazy.filter { $0.returns == original.id }
            .reduce(original.amount.minorUnits) { max(0, $0 &- $1.amount.minorUnits) }
        let left = Money(minorUnits: units, currency: currency)
        let amount = try event.amount.map { text throws(EventError) in try self.amount(text, currency) } ?? left
        guard left.minorUnits > 0, amount.minorUnits <= left.minorUnits else {
            let expected = left.minorUnits > 0 ? "with \(amount)" : "with money that has not been returned"
            throw .wrongState(payment: event.payment ?? original.id, found: "with \(left) to give back", expected: expected)
        }
        let movement = Movement(
            id: nextMovementID, operation: event.kind.rawValue, key: nil, customer: original.customer, state: .settled, from: original.to,
            to: original.from, amount: amount, at: now, event: event.kind.rawValue, returns: original.id)
        let (from, to) = (party(original.to), party(original.from))
        // An account may have been removed since, once it was empty.
        for (account, side) in [(original.to, from), (original.from, to)] where side == nil {
            guard prepared.tables[account.table]?.table.holds == nil else { throw .unknownAccount(account.id, known: holders) }
        }
        try book(movement, pays: from, openings: (from?.opening ?? 0, to?.opening ?? 0))
        for shown in shown(by: number) where shown.row.isThere(at: now) {
            guard let stages = stages(of: shown.origin, ledger: number) else { continue }
            guard let returned = stages.returned else {
                if shown.origin.list == nil { continue }
                throw .unlisted(event.kind, operation: original.operation)
            }
            try changeRows { session throws(RequestRejection) in
                try session.show(returned, of: shown, movement, event, at: now)
            }
        }
        return ledger.movements.count - 1
    }

    /// How much of each movement was given back, in minor units, by its id.
    private var returnedSums: [String: Int64] {
        ledger.movements.reduce(into: [:]) { sums, movement in
            if let original = movement.returns { sums[original, default: 0] &+= movement.amount.minorUnits }
        }
    }

    /// Shows a return: in the operation's own row, and as a separate row in a list.
    private mutating func show(
        _ returned: Template, of shown: ShownRow, _ movement: Movement, _ event: BankEvent, at now: Instant
    ) throws(RequestRejection) {
        let number = ledger.movements.count - 1
        let origin = TableRow.Origin(movement: Int32(number), list: shown.origin.list, isDebit: !shown.origin.isDebit)
        var scope = scope(showing: number, origin, at: now)
        scope.event = event
        guard let changes = try fields(returned, &scope) else { return }
        let fields = shown.row.fields.overlaid(with: changes)
        if shown.origin.list == nil {
            make(.ended(table: shown.table.table.name, row: shown.number, at: now, before: shown.row.until))
            show(fields, in: shown.table, as: shown.origin, position: shown.position, at: now)
        } else {
            // The new row has nothing that `returned` sets to null, such as the id of a row that the other replaced.
            let left = fields.members.filter { $0.value != .null || changes[$0.key] == nil }
            let row = TableRow(JSONObject(unique: left), shown.table.table, since: now, origin: origin)
            guard self.row(shown.table, key: row.key) == nil else {
                throw .badRequest(
                    "the row of the return has the key \(row.key), which another row has; expected `\(shown.table.table.key)` in `returned`"
                )
            }
            make(.added(table: shown.table.table.name, row: row))
        }
    }

    mutating func show(
        _ fields: JSONObject, in table: PreparedTable, as origin: TableRow.Origin, position: TableRow.Position, at now: Instant,
        until end: Instant = Instant(nanoseconds: .max)
    ) {
        make(
            .added(table: table.table.name, row: TableRow(fields, table.table, since: now, until: end, position: position, origin: origin)))
    }
}
