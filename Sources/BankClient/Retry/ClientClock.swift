public import BankModel
import Foundation
import Synchronization

/// The client's time: what it reads and how it waits. Injected, so that tests wait for nothing.
public protocol ClientClock: Sendable {
    /// The time of day, as the device has it.
    func now() -> Instant
    /// Time that only goes forward, from any start.
    func uptime() -> Duration
    /// Waits; throws if the task is cancelled meanwhile.
    func sleep(for duration: Duration) async throws
}

/// The machine's clocks.
public struct SystemClock: ClientClock {
    private let began = ContinuousClock.now

    public init() {}

    public func now() -> Instant { Instant(nanoseconds: Int64(Date().timeIntervalSince1970 * 1_000_000) * 1000) }
    public func uptime() -> Duration { began.duration(to: .now) }
    public func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}

/// Random numbers for jitter and keys, from any generator, for any task.
public final class RandomSource: Sendable {
    private let generator: Mutex<any RandomNumberGenerator & Sendable>

    public init(_ generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()) {
        self.generator = Mutex(generator)
    }

    /// Evenly spread from 0 up to, not including, 1.
    public func fraction() -> Double {
        generator.withLock { generator in Double(generator.next() >> 11) * 0x1p-53 }
    }

    /// A random UUID (RFC 9562 §5.4) in lower case.
    public func uuid() -> String {
        let (high, low) = generator.withLock { generator in (generator.next(), generator.next()) }
        let versioned = high & ~0xF000 | 0x4000
        let variant = low & ~(0xC000 << 48) | (0x8000 << 48)
        let digits = RandomSource.hex(versioned) + RandomSource.hex(variant)
        let cuts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        return cuts.map { String(digits[$0]) }.joined(separator: "-")
    }

    private static func hex(_ value: UInt64) -> [Character] {
        let digits = Array(String(value, radix: 16))
        return Array(repeating: "0", count: 16 - digits.count) + digits
    }
}
