package import BankCore
package import BankModel
import Platform

/// Events: what happens at the bank without a request of a client.
extension BankSession {
    /// Makes an event happen, completely or not at all. It is in the ledger and in lists; the journal has requests alone.
    ///
    /// - Returns: what it has made, ended, closed or revoked.
    package func happen(_ event: BankEvent) throws(EventError) -> EventResult {
        try change(event.kind.rawValue) { inner, now throws(EventError) in
            guard !inner.state.isFull(inner.limit) else { throw .sessionFull(inner.limit) }
            return try inner.state.happen(event, at: now)
        }
    }

    /// Changes the session as one command: after everything that is due by now, and before it is delivered.
    func change<Result: Sendable, Failure: Error>(
        _ command: String, _ body: (inout LockedState, Instant) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let result = try inner.withLock { inner throws(Failure) in
            let now = inner.processDueEvents(clock)
            let result = try body(&inner, now)
            _ = inner.commit(command, at: now)
            return result
        }
        deliver()
        return result
    }

    /// What happens later, and what could not happen.
    package var schedule: Schedule { settledState.schedule }

    /// Schedules an event.
    ///
    /// - Returns: the event with its instant.
    package func schedule(_ event: LifeEvent) throws(EventError) -> ScheduledEvent {
        try change("schedule") { inner, now throws(EventError) in try inner.state.schedule(event, at: now) }
    }

    /// Removes all scheduled and missed events.
    package func clearSchedule() { change("schedule") { inner, _ in inner.state.clearSchedule() } }
}
