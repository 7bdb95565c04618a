package import BankCore
package import BankModel

/// Events: what happens at the bank without a request of a client.
extension BankSession {
    /// Makes an event happen, completely or not at all. It is in the ledger and in lists; the journal has requests alone.
    ///
    /// - Returns: what it has made, ended, closed or revoked.
    package func happen(_ event: BankEvent) throws(EventError) -> EventResult {
        let result = try inner.withLock { inner throws(EventError) in
            let now = inner.processDueEvents(clock)
            guard !inner.state.isFull(inner.limit) else { throw .sessionFull(inner.limit) }
            let result = try inner.state.happen(event, at: now)
            _ = inner.commit(event.kind.rawValue, at: now)
            return result
        }
        deliver()
        return result
    }

    /// What happens later, and what could not happen.
    package var schedule: Schedule {
        inner.withLock { inner in
            _ = inner.processDueEvents(clock)
            return inner.state.schedule
        }
    }

    /// Schedules an event.
    ///
    /// - Returns: the event with its instant.
    package func schedule(_ event: LifeEvent) throws(EventError) -> ScheduledEvent {
        let scheduled = try inner.withLock { inner throws(EventError) in
            let now = inner.processDueEvents(clock)
            let scheduled = try inner.state.schedule(event, at: now)
            _ = inner.commit("schedule", at: now)
            return scheduled
        }
        deliver()
        return scheduled
    }

    /// Removes all scheduled and missed events.
    package func clearSchedule() {
        inner.withLock { inner in
            let now = inner.processDueEvents(clock)
            inner.state.clearSchedule()
            _ = inner.commit("schedule", at: now)
        }
    }
}
