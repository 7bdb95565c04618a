package import BankModel
package import Foundation

extension Instant {
    /// The calendar day of this instant in that zone. Correct also where a day begins at 01:00, as no midnight is computed.
    package func day(in zone: TimeZone) -> CivilDate {
        let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(seconds)))
        return (self + .seconds(offset)).date
    }

    /// The first instant of the day in the zone.
    ///
    /// That is its midnight; the first of two where clocks go back across it; the instant of the change where clocks skip
    /// midnight (Santiago, Beirut) or the whole day (Samoa 2011-12-30).
    package init(startOf day: CivilDate, in zone: TimeZone) {
        let wall = Int64(day.daysSinceEpoch) * 86_400
        // No zone is more than 15 hours from UTC, and none changes twice within these two days.
        let (before, after) = (zone.offset(at: wall - 86_400), zone.offset(at: wall + 86_400))
        let midnights = [before, after].map { wall - $0 }.filter { $0 + zone.offset(at: $0) == wall }
        if let first = midnights.min() {
            self.init(seconds: first)
            return
        }
        // The clocks skip midnight: the first second that has the later offset.
        let around = Int(wall) - 86_400..<Int(wall) + 86_400
        self.init(seconds: Int64(around.partitioningIndex { zone.offset(at: Int64($0)) != before }))
    }
}

extension CivilDate {
    /// Parses the day of `4/11/2015` or `04/11/2015`: a day with or without a leading zero, a month of two digits, a year of
    /// four.
    ///
    /// Rejects a year of two digits, which would mean the year 15.
    package init?(dayMonthYear text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2, parts[2].utf8.count == 4,
            parts.allSatisfy(\.isDigits),
            let day = Int(parts[0]), let month = Int(parts[1]), let year = Int(parts[2])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }
}

/// A range of days, both ends included; nil is open.
struct Days {
    var from: CivilDate?
    var to: CivilDate?

    /// The days that the period touches in that zone.
    init(_ period: Period, in zone: TimeZone) {
        from = period.from?.day(in: zone)
        to = period.to?.day(in: zone)
    }

    func contains(_ day: CivilDate) -> Bool { (from.map { $0 <= day } ?? true) && (to.map { day <= $0 } ?? true) }
}

extension TimeZone {
    /// Seconds east of UTC.
    fileprivate func offset(at second: Int64) -> Int64 {
        Int64(secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(second))))
    }
}
