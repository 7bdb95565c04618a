package import BankModel

/// A fixture's date relative to the session's start: `@-3d09:15` is 09:15 UTC three days before the day it started.
package struct RelativeDate: Sendable, Hashable {
    /// Whole days from the day of the start; negative is before.
    package let days: Int
    /// Nanoseconds after that day's midnight, UTC.
    package let timeOfDay: Int64

    /// Parses `@-3d`, `@-3d09:15`, `@0d`, `@-3d09:15:30`; nil for any other text.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard bytes.first == UInt8(ascii: "@"), let mark = bytes.firstIndex(of: UInt8(ascii: "d")) else { return nil }
        guard let days = Int(text[bytes.index(after: bytes.startIndex)..<mark]), days.magnitude < 100_000 else { return nil }
        self.days = days
        let time = bytes[bytes.index(after: mark)...]
        if time.isEmpty {
            timeOfDay = 0
            return
        }
        let parts = time.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            .map { $0.count == 2 ? Int(Substring($0)) : nil }
        guard (2...3).contains(parts.count), let hour = parts[0], let minute = parts[1], (0..<24).contains(hour), (0..<60).contains(minute)
        else { return nil }
        let second = parts.count == 3 ? parts[2] : 0
        guard let second, (0..<60).contains(second) else { return nil }
        timeOfDay = Int64(hour * 3600 + minute * 60 + second) * 1_000_000_000
    }

    /// The nanoseconds from the midnight of the start's day: the sort key of such dates.
    package var offset: Int64 { Int64(days) * Instant.nanosecondsPerDay + timeOfDay }

    /// The instant for a session that started then; never later than the start.
    package func instant(start: Instant) -> Instant { RelativeDate.instant(offset: offset, start: start) }

    /// The instant of a date with that offset: the greater the offset, the later or equal; the first representable one (1677)
    /// for an earlier date.
    static func instant(offset: Int64, start: Instant) -> Instant {
        let (sum, overflow) = start.nanoseconds.addingReportingOverflow(offset - start.nanosecondsOfDay)
        guard !overflow else { return offset < 0 ? Instant(nanoseconds: .min) : start }
        return min(start, Instant(nanoseconds: sum))
    }
}
