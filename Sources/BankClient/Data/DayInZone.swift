public import BankModel
public import Foundation

extension Instant {
    /// The day it is at this instant in that zone. Never nil: also where a day begins at 01:00, as no midnight is sought.
    public func day(in zone: TimeZone) -> CivilDate {
        let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(seconds)))
        return (self + .seconds(offset)).date
    }
}

extension CivilDate {
    /// The day of a text `4/11/2015` or `04/11/2015`: the day with or without its zero, month of two digits, year of four.
    ///
    /// A year of two digits is refused: read leniently it is the year 15.
    public init?(dayMonthYear text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2, parts[2].utf8.count == 4,
            parts.allSatisfy({ $0.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) }),
            let day = Int(parts[0]), let month = Int(parts[1]), let year = Int(parts[2])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }
}

/// Text as banks send it.
enum Markup {
    /// Plain text: `<br/>`, in any spelling, is a line's end.
    static func plain(_ text: String) -> String {
        ["<br/>", "<br />", "<br>", "<BR/>", "<BR>"].reduce(text) { $0.replacingOccurrences(of: $1, with: "\n") }
    }
}
