import BankModel

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
