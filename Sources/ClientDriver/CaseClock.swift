import BankClient
package import BankModel
import Platform

/// The time of day that the harness sends with a case and its steps; it runs on from there. The machine's until then. Waits
/// and durations are always real.
package final class CaseClock: ClientClock {
    private let machine = SystemClock()
    private let base: Locked<(now: Instant, at: Duration)?>

    /// - Parameter now: nil until the harness sends one.
    package init(_ now: Instant? = nil) {
        let at = machine.uptime()
        base = Locked(now.map { ($0, at) })
    }

    /// Sets the time, even to an earlier one; nil changes nothing.
    package func set(_ now: Instant?) {
        guard let now else { return }
        base.withLock { $0 = (now, machine.uptime()) }
    }

    package func now() -> Instant { base.withLock { $0 }.map { $0.now + (machine.uptime() - $0.at) } ?? machine.now() }
    package func uptime() -> Duration { machine.uptime() }
    package func sleep(for duration: Duration) async throws { try await machine.sleep(for: duration) }
}
