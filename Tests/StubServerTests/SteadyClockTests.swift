import BankEngine
import BankModel
import Synchronization
import Testing

/// The clock of the banks of a test run.
struct SteadyClockTests {
    @Test(arguments: [3600, -3600]) func `a machine's clock that is set during a test run does not reach its banks`(seconds: Int64) {
        let machine = SettableMachine()
        let began = machine.clock.now()
        let steady = machine.clock.steady

        machine.set(by: seconds)
        machine.advance(2)

        #expect(machine.clock.now() == began + .seconds(seconds + 2))
        #expect(steady.now() == began + .seconds(2))
        #expect(steady.monotonic() == machine.clock.monotonic())
    }
}

/// A machine whose clocks stand until a test moves them.
private final class SettableMachine: Sendable {
    private let wall = Atomic<Int64>(1_768_208_400_000_000_000)
    private let passed = Atomic<Int64>(1_000_000_000_000)

    var clock: MachineClock {
        MachineClock(
            now: { Instant(nanoseconds: self.wall.load(ordering: .relaxed)) }, monotonic: { self.passed.load(ordering: .relaxed) })
    }

    func set(by seconds: Int64) { wall.wrappingAdd(seconds * 1_000_000_000, ordering: .relaxed) }

    func advance(_ seconds: Int64) {
        set(by: seconds)
        passed.wrappingAdd(seconds * 1_000_000_000, ordering: .relaxed)
    }
}
