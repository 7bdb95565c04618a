package import BankModel
import Platform

/// The machine's two clocks, injected so that a test can freeze them.
package struct MachineClock: Sendable {
    /// The wall clock.
    package var now: @Sendable () -> Instant
    /// Nanoseconds of the monotonic clock.
    package var monotonic: @Sendable () -> Int64
    /// Whether each session has a ``steady`` clock, which begins with it.
    package var isSteadyInSessions = false
    /// How far the machine's wall clock was set, at least, since a ``steady`` clock began, by its readings up to this one. Zero for a clock
    /// that follows it.
    package private(set) var wasSet: @Sendable () -> Duration = { .zero }

    package init(now: @escaping @Sendable () -> Instant, monotonic: @escaping @Sendable () -> Int64) {
        self.now = now
        self.monotonic = monotonic
    }

    /// The real clocks.
    package static let system = MachineClock(now: { Instant(nanoseconds: MachineTime.wall()) }, monotonic: MachineTime.monotonic)

    /// The clock of a new session, and of its certificates.
    package var forSession: MachineClock { isSteadyInSessions ? steady : self }

    /// These clocks with a wall clock that is read once, and runs on by the monotonic one: a machine whose clock is set during a test run
    /// expires no token.
    package var steady: MachineClock {
        let steady = SteadyClock(self)
        var clock = MachineClock(now: { steady.now() }, monotonic: monotonic)
        clock.wasSet = { steady.wasSet() }
        return clock
    }
}
