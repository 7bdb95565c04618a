package import BankModel
import Platform

/// The machine's two clocks, injected so that a test can freeze them.
package struct MachineClock: Sendable {
    /// The wall clock.
    package var now: @Sendable () -> Instant
    /// Nanoseconds of the monotonic clock.
    package var monotonic: @Sendable () -> Int64

    package init(now: @escaping @Sendable () -> Instant, monotonic: @escaping @Sendable () -> Int64) {
        self.now = now
        self.monotonic = monotonic
    }

    /// The real clocks.
    package static let system = MachineClock(now: { Instant(nanoseconds: MachineTime.wall()) }, monotonic: MachineTime.monotonic)

    /// These clocks with a wall clock that is read once, and runs on by the monotonic one: a machine whose clock is set during a test run
    /// expires no token.
    package var steady: MachineClock {
        let (began, since, monotonic) = (now(), monotonic(), monotonic)
        return MachineClock(now: { began + .nanoseconds(monotonic() - since) }, monotonic: monotonic)
    }
}
