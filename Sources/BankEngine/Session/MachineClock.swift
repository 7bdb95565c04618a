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

/// A wall clock that runs by the monotonic one from its beginning, and notes how far the machine's own is set meanwhile.
final class SteadyClock: Sendable {
    private let machine: MachineClock
    private let began: Reading
    private let offset: Locked<Offset>

    init(_ machine: MachineClock) {
        // All that follows is as exact as the first reading.
        let began = (0..<5).map { _ in Reading(machine) }.min { $0.uncertainty < $1.uncertainty } ?? Reading(machine)
        self.machine = machine
        self.began = began
        offset = Locked(Offset(began))
    }

    func now() -> Instant {
        let reading = Reading(machine)
        offset.withLock { $0.add(reading) }
        return began.wall + .nanoseconds(reading.before - began.before)
    }

    /// How far the machine's wall clock was set, at least: one that was set and set back counts if it was read in between.
    func wasSet() -> Duration {
        let reading = Reading(machine)
        let change = offset.withLock { offset in
            offset.add(reading)
            return offset.change
        }
        return .nanoseconds(change)
    }

    /// A reading of both clocks. The process may stand still between them, so the wall clock is read between two readings of the other.
    private struct Reading {
        let before: Int64
        let wall: Instant
        let after: Int64

        init(_ machine: MachineClock) {
            before = machine.monotonic()
            wall = machine.now()
            after = machine.monotonic()
        }

        /// How long the reading took, in nanoseconds.
        var uncertainty: Int64 { after - before }

        /// The least and the most by which the wall clock was ahead of the monotonic one.
        var bounds: (least: Int64, most: Int64) { (wall.nanoseconds - after, wall.nanoseconds - before) }
    }

    /// By how much the wall clock was ahead of the monotonic one in all readings.
    private struct Offset {
        /// The highest of the lower bounds.
        private var highest: Int64
        /// The lowest of the upper bounds.
        private var lowest: Int64

        init(_ reading: Reading) {
            highest = reading.bounds.least
            lowest = reading.bounds.most
        }

        mutating func add(_ reading: Reading) {
            let (least, most) = reading.bounds
            highest = max(highest, least)
            lowest = min(lowest, most)
        }

        /// The least change that explains all readings, in nanoseconds.
        var change: Int64 { max(0, highest - lowest) }
    }
}
