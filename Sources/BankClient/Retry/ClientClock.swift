package import BankModel
import Platform

/// The client's time. Injected, so that tests need not wait.
package protocol ClientClock: Sendable {
    /// The time of day by the device's clock.
    func now() -> Instant
    /// A monotonic time, from any start.
    func uptime() -> Duration
    /// Waits; throws if the task is cancelled.
    func sleep(for duration: Duration) async throws
}

/// The machine's clocks.
package struct SystemClock: ClientClock {
    private let began = ContinuousClock.now

    package init() {}

    package func now() -> Instant { Instant(nanoseconds: MachineTime.wall() / 1000 * 1000) }
    package func uptime() -> Duration { began.duration(to: .now) }
    package func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}

/// Random numbers for jitter and keys, from any generator, for any task.
package final class RandomSource: Sendable {
    private let generator: Locked<any RandomNumberGenerator & Sendable>

    package init(_ generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()) {
        self.generator = Locked(generator)
    }

    /// A uniform random number, at least 0 and less than 1.
    package func fraction() -> Double {
        generator.withLock { generator in Double(generator.next() >> 11) * 0x1p-53 }
    }

    /// A random UUID (RFC 9562 §5.4) in lower case.
    package func uuid() -> String { generator.withLock { generator in generator.uuid() } }

    /// 256 random bits in base64url: 43 characters, as a code verifier needs at least (RFC 7636 §4.1).
    package func secret() -> String {
        let words = generator.withLock { generator in (0..<4).map { _ in generator.next() } }
        return Base64.url(words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) } })
    }
}

/// The three forms of a date in a header (RFC 9110 §5.6.7): all must be read, only the first is written.
package enum HTTPDate {
    /// The instant of `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`.
    ///
    /// - Parameter now: decides a year of two digits: a year more than 50 calendar years ahead is of the century before.
    /// - Returns: nil for any other text, for days that do not exist and for a weekday that does not match the day.
    package static func instant(_ text: String, now: Instant) -> Instant? {
        Instant(httpDate: text) ?? asctime(text) ?? rfc850(text, now: now)
    }

    private static func asctime(_ text: String) -> Instant? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        // A day below ten is preceded by a second space.
        let fields = parts.count == 6 && parts[2].isEmpty ? Array(parts[..<2]) + ["0" + parts[3]] + Array(parts[4...]) : parts
        guard text.utf8.count == 24, fields.count == 5 else { return nil }
        return Instant(httpDate: "\(fields[0]), \(fields[2]) \(fields[1]) \(fields[4]) \(fields[3]) GMT")
    }

    private static func rfc850(_ text: String, now: Instant) -> Instant? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        let date = parts.count == 4 ? parts[1].split(separator: "-", omittingEmptySubsequences: false) : []
        guard date.count == 3, date[2].utf8.count == 2, let year = Int(date[2]), year >= 0,
            weekdays.contains(String(parts[0]))
        else { return nil }
        let here = now.date.year
        let inThisCentury = here - here % 100 + year
        let full = inThisCentury > here + 50 ? inThisCentury - 100 : inThisCentury
        return Instant(httpDate: "\(parts[0].prefix(3)), \(date[0]) \(date[1]) \(full) \(parts[2]) \(parts[3])")
    }

    private static let weekdays = ["Monday,", "Tuesday,", "Wednesday,", "Thursday,", "Friday,", "Saturday,", "Sunday,"]
}
