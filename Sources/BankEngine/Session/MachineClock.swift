package import BankModel
import Platform

/// The machine's two clocks, injected so that a test can hold them still.
package struct MachineClock: Sendable {
    /// The wall clock.
    package var now: @Sendable () -> Instant
    /// Nanoseconds that only go forward.
    package var monotonic: @Sendable () -> Int64

    package init(now: @escaping @Sendable () -> Instant, monotonic: @escaping @Sendable () -> Int64) {
        (self.now, self.monotonic) = (now, monotonic)
    }

    /// The machine's own.
    package static let system = MachineClock(now: { Instant(nanoseconds: MachineTime.wall()) }, monotonic: MachineTime.monotonic)
}
