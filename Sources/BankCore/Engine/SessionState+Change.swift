import BankModel

/// Operations that change or remove a row.
extension SessionState {
    /// Changes a row, in all its stages.
    mutating func perform(_ update: PreparedUpdate, _ scope: inout Scope) throws(RequestRejection) {
        let row = try self.row(update.row, scope)
        guard let changes = try fields(update.changes, &scope) else { return }
        replace(row.key, of: update.row.table, at: scope.now) { $0.overlaid(with: changes) }
    }

    /// Removes a row.
    mutating func perform(_ delete: PreparedParent, _ scope: Scope) throws(RequestRejection) {
        let row = try self.row(delete, scope)
        let account = Movement.Account(table: delete.table.table.name, id: row.key)
        let side = side(account, delete.table, row.fields)
        let isPending = ledger.change(of: account) != ledger.settledChange(of: account)
        if let currency = side.currency, let units = balance(side), units != 0 || isPending {
            let money = isPending ? "pending payments" : "\(Money(minorUnits: units, currency: currency))"
            throw RequestRejection(.badRequest, "found \(money) in \(row.key), expected an empty one: it cannot be removed with money")
        }
        replace(row.key, of: delete.table, at: scope.now) { _ in nil }
        removeWebhook(of: Webhook.Row(table: account.table, key: row.key))
    }

    /// Ends the pending payment that a row shows: its money returns. A payment that is cancelled already stays so.
    mutating func cancelPayment(_ payment: PreparedParent, _ scope: Scope) throws(RequestRejection) {
        let row = try self.row(payment, scope)
        let movement = row.origin.map { ledger.movements[Int($0.movement)] }
        guard let number = row.origin.map({ Int($0.movement) }), movement?.state.isPending ?? false else {
            if movement?.state == .cancelled { return }
            throw RequestRejection(.badRequest, "the payment is no longer pending: it cannot be cancelled", situation: .notPending)
        }
        do throws(EventError) { try end(number, as: .cancelled, at: scope.now) } catch { throw RequestRejection(.badRequest, "\(error)") }
    }

    /// Uses the quote that a payment names, if it names one: the row is removed, so that no other payment can use it.
    mutating func use(_ quote: PreparedQuote, _ scope: inout Scope) throws(RequestRejection) {
        guard let named = value(quote.row.key, scope), named != .null else { return }
        let (key, table) = (named.plainText, quote.row.table)
        guard let row = row(table, key: key), isVisible(row, of: table, to: scope.customer) else {
            throw RequestRejection(.badRequest, "the quote does not exist, or was used", situation: .quoteEnded)
        }
        let expires = field(quote.definition.expires, of: row)?.string.flatMap(Instant.init(rfc3339:))
        guard let expires, scope.now < expires else {
            throw RequestRejection(.badRequest, "the quote has expired; ask for another", situation: .quoteEnded)
        }
        for fixed in quote.definition.fixes where row.fields.at(fixed.field)?.plainText != text(fixed.value, scope) {
            throw RequestRejection(.badRequest, "the quote is for another `\(fixed.field)`", situation: .quoteEnded)
        }
        replace(key, of: table, at: scope.now) { _ in nil }
    }

    /// Requires that the client knows the latest representation, if it must know it or claims to.
    mutating func require(_ condition: Operation.IfMatch, _ scope: inout Scope) throws(RequestRejection) {
        guard let known = scope.request.headers.precondition else {
            guard condition.isRequired else { return }
            throw RequestRejection(
                .badRequest, "the header If-Match is missing; expected the ETag of the latest response", situation: .preconditionRequired)
        }
        guard let read = prepared.router.operation(condition.read) else { return }
        var present = self
        var reading = Scope(
            request: scope.request, parameters: scope.parameters, customer: scope.customer, token: scope.token, now: scope.now)
        let tag = EntityTag(of: try present.response(read.definition, &reading).body)
        guard !tag.isMatched(by: known) else { return }
        throw RequestRejection(
            .badRequest, "If-Match does not name the current ETag; get the latest response and try again", situation: .preconditionFailed)
    }

    private mutating func row(_ parent: PreparedParent, _ scope: Scope) throws(RequestRejection) -> TableRow {
        let (key, name) = (text(parent.key, scope), parent.table.table.name)
        guard let key, let row = row(parent.table, key: key), isVisible(row, of: parent.table, to: scope.customer) else {
            throw RequestRejection(.notFound, "no row of \(name) with \(parent.table.table.key) = \(key ?? "nothing")")
        }
        return row
    }

    /// Replaces the rows with a key, those that exist and those that will; they are removed where the change gives nil.
    mutating func replace(_ key: String, of table: PreparedTable, at now: Instant, _ changed: (JSONObject) -> JSONObject?) {
        let name = table.table.name
        let added = inserted[name]?.numbers(ofKey: key) ?? []
        if inserted[name]?.row(key: key, at: now) == nil, !isHidden(key, of: name) {
            make(.hidden(table: name, key: key, since: now))
            for position in table.positions(ofKey: key) {
                guard let fields = changed(table.row(position).fields) else { continue }
                let fixed = TableRow.Position.fixture(Int32(position))
                make(
                    .added(
                        table: name,
                        row: TableRow(fields, table.table, since: now, until: Instant(nanoseconds: .max), position: fixed, origin: nil)))
            }
        }
        for number in added {
            guard let old = inserted[name]?.rows[Int(number)], old.until > now, old.since < old.until else { continue }
            let since = max(now, old.since)
            make(.ended(table: name, row: Int(number), at: since, before: old.until))
            guard let fields = changed(old.fields) else { continue }
            let position = old.position ?? .added(number)
            make(
                .added(
                    table: name,
                    row: TableRow(fields, table.table, since: since, until: old.until, position: position, origin: old.origin)))
        }
    }
}

/// Card payments of another amount than was reserved, and accounts that are closed.
extension SessionState {
    /// The part of a reserved card payment that is captured; nil for all of it.
    func captured(_ event: BankEvent, of number: Int) throws(EventError) -> Money? {
        let reserved = ledger.movements[number]
        guard let text = event.amount else { return nil }
        let captured = try amount(text, reserved.amount.currency)
        guard captured.minorUnits <= reserved.amount.minorUnits else {
            throw .wrongState(payment: event.payment ?? reserved.id, found: "with \(reserved.amount)", expected: "with \(captured)")
        }
        return captured == reserved.amount ? nil : captured
    }

    /// The amount of a reserved card payment that grows.
    func grown(_ event: BankEvent, of number: Int) throws(EventError) -> Money {
        let reserved = ledger.movements[number].amount
        guard let text = event.amount else { throw .missing("amount", event.kind) }
        let (sum, overflow) = reserved.minorUnits.addingReportingOverflow(try amount(text, reserved.currency).minorUnits)
        guard !overflow else { throw .impossible("the sum does not fit 64 bits of minor units") }
        return Money(minorUnits: sum, currency: reserved.currency)
    }

    /// Replaces a reserved card payment by one of another amount.
    ///
    /// - Returns: the index of the new movement.
    mutating func replace(_ number: Int, by amount: Money, _ event: BankEvent, settles: Bool, at now: Instant) throws(EventError) -> Int {
        let reserved = ledger.movements[number]
        try end(number, as: .cancelled, at: now)
        var new = BankEvent(.cardAuthorised)
        new.account = reserved.from.description
        (new.amount, new.name, new.reference) = (amount.major, reserved.to.id, event.reference)
        return try move(new, isDebit: true, settles: settles, at: now)
    }

    /// Shows an account as closed.
    mutating func closeAccount(_ name: String, at now: Instant) throws(EventError) -> Movement.Account {
        let side = try account(name)
        guard let closed = side.table.table.closed else { throw .neverClosed(table: side.account.table) }
        guard !isClosed(side) else { throw .wrongState(payment: name, found: "closed", expected: "open") }
        replace(side.account.id, of: side.table, at: now) { $0.overlaid(with: closed) }
        return side.account
    }
}

/// Standing orders and scheduled payments.
extension SessionState {
    /// Begins the order of a request, which the row that it has inserted shows.
    mutating func begin(_ repeats: Operation.Repeats, _ scope: Scope) throws(RequestRejection) {
        guard let row = scope.inserted, let customer = scope.customer else { return }
        // An order whose row was removed stays in the schedule until its next day, and must not count.
        var changed = schedule
        changed.keepOrders { self.row($0.table, key: $0.key) != nil }
        guard changed.orders.count < StandingOrder.most else {
            throw RequestRejection(.badRequest, "found \(StandingOrder.most) orders, expected fewer: remove one first")
        }
        let started = text(repeats.starts, scope)
        guard let day = started.flatMap(CivilDate.init) else {
            throw RequestRejection(.badRequest, "found \(started ?? "nothing") as the first day, expected one such as 2026-01-31")
        }
        let first = Instant(day, nanosecondsOfDay: repeats.timeOfDay)
        guard first > scope.now else {
            throw RequestRejection(
                .badRequest, "found the first day \(day), expected one in the future: the payment is due at \(first.rfc3339())")
        }
        let word = repeats.every.flatMap { text($0, scope) }
        let every: ScheduledEvent.Repetition?
        switch word {
        case nil: every = nil
        case "week": every = .after(.seconds(7 * 86_400))
        case "month": every = .month
        case let other?:
            throw RequestRejection(.badRequest, "found `\(other)` as the repetition, expected week or month, or nothing for one payment")
        }
        let order = StandingOrder(
            table: row.table, key: String(row.row.key), pays: repeats.pays, body: scope.json ?? [:], customer: customer.login,
            due: ScheduledDate(at: first, every: every), avoidsWeekends: repeats.avoidsWeekends)
        // A request that no payment could have is rejected now; too little money matters only when it is due.
        var trial = self
        do throws(RequestRejection) { try trial.pay(order, at: scope.now) } catch {
            if error.name != .insufficientFunds { throw error }
        }
        changed.add(order)
        make(.scheduled(changed, before: schedule))
    }

    /// Makes the payment of the first order, at its instant, completely or not at all. An order whose row is gone ends without one.
    mutating func payFirstOrder(_ limit: SessionSize) {
        guard let order = schedule.orders.first else { return }
        let now = order.at
        settle(at: now)
        var changed = schedule
        changed.removeFirstOrder()
        let isThere = row(order.table, key: order.key) != nil
        if isThere, let next = order.next { changed.add(next) }
        guard isThere else { return make(.scheduled(changed, before: schedule)) }
        let mark = changes.count
        isExecuting = true
        defer {
            isExecuting = false
            if !isLogged { changes.removeAll(keepingCapacity: true) }
        }
        do throws(RequestRejection) {
            if isFull(limit) { throw RequestRejection(.badRequest, limit.rejection) }
            try pay(order, at: now)
        } catch {
            undo(Array(changes[mark...]))
            changes.removeSubrange(mark...)
            changed.miss(Schedule.Missed(order: order.key, at: now, reason: error.detail ?? error.name.rawValue))
        }
        make(.scheduled(changed, before: schedule))
        if order.next == nil, let table = prepared.tables[order.table] { replace(order.key, of: table, at: now) { _ in nil } }
        if !webhooks.webhooks.isEmpty { announce(changes[mark...], at: now) }
    }

    private mutating func pay(_ order: StandingOrder, at now: Instant) throws(RequestRejection) {
        guard let operation = prepared.router.operation(order.pays), let move = operation.move else {
            throw RequestRejection(.badRequest, "the bank has no operation \(order.pays) any more")
        }
        var scope = Scope(request: BankRequest("POST", "/", body: order.body.bytes), customer: customer(order.customer), now: now)
        scope.json = order.body
        try perform(move, named: order.pays, key: nil, event: Movement.ofOrder, &scope)
        if let insert = operation.insert { try perform(insert, &scope) }
    }
}
