import BankEngine
import BankModel
import Platform
import StubServer
import Testing
import TestServer

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

    @Test(arguments: [3600, -3600]) func `how far the machine's clock was set is known, though it is set back`(seconds: Int64) {
        let machine = SettableMachine()
        let steady = machine.clock.steady
        machine.advance(5)
        let before = steady.wasSet()

        machine.set(by: seconds)
        machine.advance(5)
        _ = steady.now()
        machine.set(by: -seconds)

        #expect(before == .zero)
        #expect(steady.wasSet() == .seconds(3600))
        #expect(machine.clock.steady.wasSet() == .zero)
        #expect(machine.clock.wasSet() == .zero, "a clock that follows the machine's")
    }

    @Test func `a process that stands still between its readings of the clocks takes none for set`() {
        let machine = SettableMachine()
        let steady = machine.clock.steady

        machine.pause(3)
        _ = steady.now()
        machine.pause(0)

        #expect(steady.wasSet() == .zero)
    }

    @Test func `a session of a test run begins by the machine's clock, and does not follow it`() async throws {
        let machine = SettableMachine()
        try await withStub(configure: {
            $0.clock = machine.clock
            $0.clock.isSteadyInSessions = true
        }) { stub in
            let first = try await stub.server.openSession(bank: "till")
            let began = first.now
            machine.set(by: 3600)
            let second = try await stub.server.openSession(bank: "till")

            #expect(first.now == began)
            #expect(first.clock.wasSet() == .seconds(3600))
            #expect(second.now == began + .seconds(3600))
            #expect(second.clock.wasSet() == .zero)
        }
    }
}

/// A machine whose clocks stand until a test moves them.
private final class SettableMachine: Sendable {
    private let wall = Locked<Int64>(1_768_208_400_000_000_000)
    private let passed = Locked<Int64>(1_000_000_000_000)
    /// How long the process stands still before each reading of the wall clock, in seconds.
    private let stall = Locked<Int64>(0)

    var clock: MachineClock {
        MachineClock(
            now: {
                self.advance(self.stall.withLock { $0 })
                return Instant(nanoseconds: self.wall.withLock { $0 })
            }, monotonic: { self.passed.withLock { $0 } })
    }

    func set(by seconds: Int64) { wall.withLock { $0 += seconds * 1_000_000_000 } }

    func pause(_ seconds: Int64) { stall.withLock { $0 = seconds } }

    func advance(_ seconds: Int64) {
        set(by: seconds)
        passed.withLock { $0 += seconds * 1_000_000_000 }
    }
}
