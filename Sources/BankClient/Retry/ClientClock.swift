package import BankModel
import Platform
import Synchronization

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
    private let generator: Mutex<any RandomNumberGenerator & Sendable>

    package init(_ generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()) {
        self.generator = Mutex(generator)
    }

    /// A uniform random number, at least 0 and less than 1.
    package func fraction() -> Double {
        generator.withLock { generator in Double(generator.next() >> 11) * 0x1p-53 }
    }

    /// A random UUID (RFC 9562 §5.4) in lower case.
    package func uuid() -> String {
        let (high, low) = generator.withLock { generator in (generator.next(), generator.next()) }
        let versioned = high & ~0xF000 | 0x4000
        let variant = low & ~(0xC000 << 48) | (0x8000 << 48)
        let digits = RandomSource.hex(versioned) + RandomSource.hex(variant)
        let cuts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        return cuts.map { String(digits[$0]) }.joined(separator: "-")
    }

    /// 256 random bits in base64url: 43 characters, as a code verifier needs at least (RFC 7636 §4.1).
    package func secret() -> String {
        let words = generator.withLock { generator in (0..<4).map { _ in generator.next() } }
        return Base64.url(words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) } })
    }

    private static func hex(_ value: UInt64) -> [Character] {
        let digits = Array(String(value, radix: 16))
        return Array(repeating: "0", count: 16 - digits.count) + digits
    }
}
