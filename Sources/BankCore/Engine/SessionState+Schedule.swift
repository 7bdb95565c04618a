package import BankModel

/// Events that happen later by the session's clock.
extension SessionState {
    /// Schedules an event.
    ///
    /// - Returns: the event with its instant.
    package mutating func schedule(_ wanted: LifeEvent, at now: Instant) throws(EventError) -> ScheduledEvent {
        guard !schedule.isFull else {
            throw .impossible("found \(Schedule.most) scheduled events, expected fewer: clear the schedule first")
        }
        try check(wanted.event)
        let event = ScheduledEvent(wanted.event, at: now + wanted.after, every: wanted.every)
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
            for event in before.events { changed.miss(Schedule.Missed(event.event, at: event.at, reason: limit.rejection)) }
            make(.scheduled(changed, before: before))
            return first
        }
        make(.scheduled(changed, before: before))
        do { _ = try happen(first.event, at: first.at) } catch {
            let happened = schedule
            changed.miss(Schedule.Missed(first.event, at: first.at, reason: "\(error)"))
            make(.scheduled(changed, before: happened))
        }
        return first
    }

    /// The schedule of a session that begins at that instant.
    static func schedule(of bank: Bank, from start: Instant) -> Schedule {
        bank.life.reduce(into: Schedule()) { $0.add(ScheduledEvent($1.event, at: start + $1.after, every: $1.every)) }
    }
}
