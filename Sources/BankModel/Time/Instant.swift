/// A point in time, in nanoseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
public struct Instant: Sendable, Hashable, Comparable {
    public let nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// A number of seconds after the epoch; the first or last representable instant for one beyond (1677, 2262).
    public init(seconds: Int64) { self = Instant(nanoseconds: 0) + .seconds(seconds) }

    /// Midnight in UTC of that day plus nanoseconds; the first or last representable instant for one beyond (1677, 2262).
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
        Instant(nanoseconds: (Duration.nanoseconds(instant.nanoseconds) + duration).nanoseconds)
    }

    /// The duration from `b` to `a`: exact, even where its nanoseconds need more than 64 bits.
    public static func - (a: Instant, b: Instant) -> Duration {
        Duration.nanoseconds(a.nanoseconds) - Duration.nanoseconds(b.nanoseconds)
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
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isAlsoTooLong) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isTooLong || isAlsoTooLong ? (seconds < 0 ? .min : .max) : sum
    }
}

extension Instant {
    /// The number of digits of a second that a text shows.
    public enum Precision: Sendable, Hashable {
        case seconds, milliseconds, nanoseconds
    }

    /// The instant in UTC as RFC 3339 text, such as `2026-01-12T09:15:00Z` or `…:00.000Z`.
    public func rfc3339(_ precision: Precision = .seconds) -> String {
        let fraction =
            switch precision {
            case .seconds: ""
            case .milliseconds: "." + padded(nanosecondOfSecond / 1_000_000, 3)
            case .nanoseconds: "." + padded(nanosecondOfSecond, 9)
            }
        return "\(date)T\(timeOfDay)\(fraction)Z"
    }

    /// The time of day in UTC to the second, such as `09:15:00`.
    private var timeOfDay: String {
        let second = nanosecondsOfDay / 1_000_000_000
        return "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
    }

    /// Parses an RFC 3339 text: date, `T`, time with seconds, any fraction, `Z` or an offset.
    ///
    /// Strict: no impossible day rolls over, second 60 is rejected (measured on Linux: two of Foundation's five parsers roll it
    /// into the next minute), a missing zone is rejected. Digits beyond nanoseconds are truncated.
    public init?(rfc3339 text: String) {
        var scanner = DateScanner(text)
        guard let date = scanner.date(), scanner.consume("T") || scanner.consume("t"), let time = scanner.time(),
            let offset = scanner.offset(), scanner.atEnd
        else { return nil }
        let utc = Duration.seconds(date.daysSinceEpoch * 86_400 - Int(offset)) + .nanoseconds(time)
        guard Duration.nanoseconds(Int64.min) <= utc, utc <= Duration.nanoseconds(Int64.max) else { return nil }
        self.init(nanoseconds: utc.nanoseconds)
    }

    /// The instant as an HTTP date in UTC, such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
    public var httpDate: String {
        let day = date
        return
            "\(Instant.weekdays[day.weekday]), \(padded(day.day, 2)) \(Instant.months[day.month - 1]) \(padded(day.year, 4)) \(timeOfDay) GMT"
    }

    /// Parses an HTTP date (IMF-fixdate, RFC 9110 §5.6.7); nil for any other, and beyond the representable years (1677 to 2262).
    public init?(httpDate text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[5] == "GMT", parts[4].utf8.count == 8,
            let month = Instant.months.firstIndex(of: String(parts[2]))
        else { return nil }
        // The same moment in RFC 3339: one scanner validates digits, impossible days and overflow.
        self.init(rfc3339: "\(parts[3])-\(padded(month + 1, 2))-\(parts[1])T\(parts[4])Z")
        guard parts[0] == Instant.weekdays[date.weekday] + "," else { return nil }
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}

extension CivilDate {
    /// The day of a text `2026-01-12`; nil for any other text and for days that do not exist.
    public init?(_ text: String) {
        var scanner = DateScanner(text)
        guard let date = scanner.date(), scanner.atEnd else { return nil }
        self = date
    }
}

/// Reads the parts of dates and times from ASCII text.
struct DateScanner {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var atEnd: Bool { index == bytes.count }

    mutating func consume(_ scalar: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: scalar) else { return false }
        index += 1
        return true
    }

    /// Exactly `width` digits.
    mutating func number(_ width: Int) -> Int? {
        guard bytes.count - index >= width else { return nil }
        var number = 0
        for digit in bytes[index..<index + width] {
            guard digit.isDigit else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        index += width
        return number
    }

    /// `yyyy-mm-dd`
    mutating func date() -> CivilDate? {
        guard let year = number(4), consume("-"), let month = number(2), consume("-"), let day = number(2) else { return nil }
        return CivilDate(year: year, month: month, day: day)
    }

    /// `hh:mm:ss` and any fraction, in nanoseconds of the day.
    mutating func time() -> Int64? {
        guard let hour = number(2), consume(":"), let minute = number(2), consume(":"), let second = number(2),
            hour < 24, minute < 60, second < 60
        else { return nil }
        var nanoseconds: Int64 = 0
        if consume(".") {
            var scale: Int64 = 100_000_000
            guard let first = number(1) else { return nil }
            nanoseconds = Int64(first) * scale
            while let digit = number(1) {
                scale /= 10
                nanoseconds += Int64(digit) * scale
            }
        }
        return Int64(hour * 3600 + minute * 60 + second) * 1_000_000_000 + nanoseconds
    }

    /// `Z`, `+hh:mm` or `+hhmm`, in seconds east of UTC.
    mutating func offset() -> Int? {
        if consume("Z") || consume("z") { return 0 }
        let sign = consume("+") ? 1 : consume("-") ? -1 : 0
        guard sign != 0, let hours = number(2) else { return nil }
        _ = consume(":")
        guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}
