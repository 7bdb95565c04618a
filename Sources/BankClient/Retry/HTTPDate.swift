package import BankModel

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
