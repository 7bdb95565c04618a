/// A point in time, in nanoseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
public struct Instant: Sendable, Hashable, Comparable {
    public let nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// A number of seconds after the epoch; the first or last representable instant for one beyond (1677, 2262).
    public init(seconds: Int64) { self = Instant(nanoseconds: 0) + .seconds(seconds) }

    /// Midnight in UTC of that day plus a number of nanoseconds; the first or last representable instant for one beyond (the
    /// years 1677 and 2262).
    public init(_ date: CivilDate, nanosecondsOfDay: Int64 = 0) {
        self = Instant(nanoseconds: 0) + (.seconds(86_400 * date.daysSinceEpoch) + .nanoseconds(nanosecondsOfDay))
    }

    /// Whole seconds since the epoch, rounded down.
    public var seconds: Int64 { floor(nanoseconds, 1_000_000_000) }

    /// 0 to 999,999,999.
    public var nanosecondOfSecond: Int64 { modulo(nanoseconds, 1_000_000_000) }

    /// The day in UTC.
    public var date: CivilDate { CivilDate(daysSinceEpoch: Int(floor(nanoseconds, Instant.nanosecondsPerDay))) }

    /// Nanoseconds since midnight UTC.
    public var nanosecondsOfDay: Int64 { modulo(nanoseconds, Instant.nanosecondsPerDay) }

    public static let nanosecondsPerDay: Int64 = 86_400_000_000_000

    public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }

    /// The instant later by the duration; the first or last representable one for one beyond (1677, 2262).
    public static func + (instant: Instant, duration: Duration) -> Instant {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.nanoseconds)
        return Instant(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    /// The duration from `b` to `a`.
    public static func - (a: Instant, b: Instant) -> Duration {
        let (difference, overflow) = a.nanoseconds.subtractingReportingOverflow(b.nanoseconds)
        return .nanoseconds(overflow ? (a < b ? .min : .max) : difference)
    }

    private func floor(_ value: Int64, _ divisor: Int64) -> Int64 { value / divisor - (value % divisor < 0 ? 1 : 0) }

    private func modulo(_ value: Int64, _ divisor: Int64) -> Int64 {
        let remainder = value % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}

extension Duration {
    /// The duration in whole nanoseconds, clamped to 64 bits.
    public var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, carried) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return carried ? (seconds < 0 ? .min : .max) : sum
    }
}
