package import BankModel

/// Scheduled events: they happen by the session's clock.
extension SessionState {
    /// Schedules an event.
    ///
    /// - Returns: the event with its instant.
    package mutating func schedule(_ wanted: LifeEvent, at now: Instant) throws(EventError) -> ScheduledEvent {
        guard !schedule.isFull else {
            throw .impossible("found \(Schedule.most) scheduled events, expected fewer: clear the schedule first")
        }
        try check(wanted.event)
        let event = ScheduledEvent(wanted, from: now)
        var changed = schedule
        changed.add(event)
        make(.scheduled(changed, before: schedule))
        return event
    }

    /// Removes all scheduled and missed events; customers' orders remain.
    package mutating func clearSchedule() {
        if schedule.withoutEvents != schedule { make(.scheduled(schedule.withoutEvents, before: schedule)) }
    }

    /// Performs what is due first, at its instant: a scheduled event, the payment of an order, or an approval.
    ///
    /// - Parameter limit: that of the session; a full one misses every event, and none of them again.
    /// - Returns: what was done, and when; nil if nothing is due by then.
    package mutating func performFirstDue(by now: Instant, _ limit: SessionSize) -> (name: String, at: Instant)? {
        let (approval, event) = (challenges.nextToApprove?.approvesAt, schedule.next)
        guard let first = approval.map({ min($0, event ?? $0) }) ?? event, first <= now else { return nil }
        if !webhooks.webhooks.isEmpty {
            // What has ended by then is announced first: its events draw ids before the rows of what is due, as in two steps of the clock.
            settle(at: first)
            announceEnded()
        }
        if let approval, event.map({ approval < $0 }) ?? true {
            return approveFirst(by: now, limit).map { ($0.challenge.id, $0.at) }
        }
        guard let due = schedule.next, due <= now else { return nil }
        if schedule.isOrderFirst {
            payFirstOrder(limit)
            return ("scheduled \(Movement.ofOrder)", due)
        }
        return happenFirstEvent(limit).map { ("scheduled \($0.event.kind.rawValue)", $0.at) }
    }

    private mutating func happenFirstEvent(_ limit: SessionSize) -> ScheduledEvent? {
        var changed = schedule
        guard let first = changed.takeFirst() else { return nil }
        let before = schedule
        if isFull(limit) {
            changed = before.withoutEvents
            for event in before.events { changed.miss(Schedule.Missed(event: event.event, at: event.at, reason: limit.rejection)) }
            make(.scheduled(changed, before: before))
            return first
        }
        make(.scheduled(changed, before: before))
        do { _ = try happen(first.event, at: first.at) } catch {
            let happened = schedule
            changed.miss(Schedule.Missed(event: first.event, at: first.at, reason: "\(error)"))
            make(.scheduled(changed, before: happened))
        }
        return first
    }

    /// The schedule of a session that begins at that instant.
    static func schedule(of bank: Bank, from start: Instant) -> Schedule {
        bank.life.reduce(into: Schedule()) { $0.add(ScheduledEvent($1, from: start)) }
    }
}

/// Standing orders and scheduled payments.
extension SessionState {
    /// Begins the order of a request, which the row that it has inserted shows.
    mutating func begin(_ repeats: Operation.Repeats, _ scope: Scope) throws(RequestRejection) {
        guard let row = scope.inserted, let customer = scope.customer else { return }
        // An order whose row was removed stays in the schedule until its next day, and must not count.
        var changed = schedule
        changed.orders.removeAll { self.row($0.table, key: $0.key) == nil }
        guard changed.orders.count < StandingOrder.most else {
            throw .badRequest("found \(StandingOrder.most) orders, expected fewer: remove one first")
        }
        let started = text(repeats.starts, scope)
        guard let day = started.flatMap(CivilDate.init) else {
            throw .badRequest("found \(started?.echoed ?? "nothing") as the first day, expected one such as 2026-01-31")
        }
        let first = Instant(day, nanosecondsOfDay: repeats.timeOfDay)
        guard first > scope.now else {
            throw .badRequest("found the first day \(day), expected one in the future: the payment is due at \(first.rfc3339())")
        }
        let word = repeats.every.flatMap { text($0, scope) }
        let every: ScheduledEvent.Repetition?
        switch word {
        case nil: every = nil
        case "week": every = .after(.seconds(7 * 86_400))
        case "month": every = .month
        case let other?:
            throw .badRequest("found `\(other.echoed)` as the repetition, expected week or month, or nothing for one payment")
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
        changed.orders.removeFirst()
        let isThere = row(order.table, key: order.key) != nil
        if isThere, let next = order.next { changed.add(next) }
        guard isThere else { return make(.scheduled(changed, before: schedule)) }
        let mark = log.begin()
        defer { log.end() }
        do throws(RequestRejection) {
            if isFull(limit) { throw .badRequest(limit.rejection) }
            try pay(order, at: now)
        } catch {
            rollBack(to: mark)
            changed.miss(Schedule.Missed(order: order.key, at: now, reason: error.detail ?? error.name.rawValue))
        }
        make(.scheduled(changed, before: schedule))
        if order.next == nil, let table = prepared.tables[order.table] { replace(order.key, of: table, at: now) { _ in nil } }
        announceChanges(since: mark, at: now)
    }

    private mutating func pay(_ order: StandingOrder, at now: Instant) throws(RequestRejection) {
        guard let operation = prepared.router.operation(order.pays), let move = operation.move else {
            throw .badRequest("the bank has no operation \(order.pays) any more")
        }
        var scope = Scope(request: BankRequest("POST", "/", body: order.body.bytes), customer: customer(order.customer), now: now)
        scope.json = order.body
        try perform(move, named: order.pays, key: nil, event: Movement.ofOrder, &scope)
        if let insert = operation.insert { try perform(insert, &scope) }
    }
}
