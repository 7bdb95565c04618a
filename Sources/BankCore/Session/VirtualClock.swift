package import BankModel

/// A session's clock: it runs from the real now, or is frozen at an instant. It is never set back;
/// ``SessionState/advanceClock(machine:)`` prevents that it follows the machine's clock back.
package struct VirtualClock: Sendable, Hashable {
    package enum Mode: String, Sendable, CaseIterable {
        case running, frozen
    }

    package private(set) var mode: Mode = .running
    /// Running: the difference to the machine's clock. Frozen: the instant.
    private(set) var ahead: Duration = .zero
    private(set) var standsAt = Instant(seconds: 0)
    /// The error of the `Date` header; nothing else shows it.
    package var skew: Duration = .zero

    /// The beginning of a session's clock, at first and after every reset.
    package struct Beginning: Sendable, Hashable {
        package var now: Instant
        package var mode: Mode
        /// The error of the `Date` header.
        package var skew: Duration

        package init(now: Instant, mode: Mode, skew: Duration = .zero) {
            self.now = now
            self.mode = mode
            self.skew = skew
        }
    }

    /// The time it shows when the machine's clock shows that instant.
    package func now(machine: Instant) -> Instant { mode == .running ? machine + ahead : standsAt }

    package mutating func advance(by duration: Duration, machine: Instant) throws(ClockError) {
        guard duration >= .zero else { throw .backwards }
        try set(to: now(machine: machine) + duration, machine: machine)
    }

    /// Sets it forward, never back.
    package mutating func set(to instant: Instant, machine: Instant) throws(ClockError) {
        guard instant >= now(machine: machine) else { throw .backwards }
        (ahead, standsAt) = (instant - machine, instant)
    }

    /// Freezes it or lets it run, from its present time.
    package mutating func setMode(_ mode: Mode, machine: Instant) {
        let now = now(machine: machine)
        (ahead, standsAt, self.mode) = (now - machine, now, mode)
    }
}

extension VirtualClock {
    /// A clock that begins at a given instant, before the real now or after it.
    init(_ beginning: Beginning, machine: Instant) {
        self.init(mode: beginning.mode, ahead: beginning.now - machine, standsAt: beginning.now, skew: beginning.skew)
    }
}

/// The reason why a clock cannot be set.
package enum ClockError: Error, Sendable, CustomStringConvertible {
    case backwards

    package var description: String {
        "found an instant before the session's now, expected a later one: only a reset of the session moves its clock back"
    }
}
