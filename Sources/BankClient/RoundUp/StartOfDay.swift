package import BankModel
package import Foundation

extension Instant {
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
        // The clocks skip midnight: finds the first second that has the later offset.
        var (low, high) = (wall - 86_400, wall + 86_400)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if zone.offset(at: middle) == before { low = middle } else { high = middle }
        }
        self.init(seconds: high)
    }
}

extension TimeZone {
    /// Seconds east of UTC.
    fileprivate func offset(at second: Int64) -> Int64 {
        Int64(secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(second))))
    }
}
