import BankClient
import BankModel
import Foundation
import Testing

struct StartOfDayTests {
    @Test(
        arguments: [
            ("2026-01-12", "UTC", "2026-01-12T00:00:00Z"), ("2026-07-12", "Europe/London", "2026-07-11T23:00:00Z"),
            ("2026-01-12", "America/New_York", "2026-01-12T05:00:00Z"), ("2026-01-12", "Pacific/Auckland", "2026-01-11T11:00:00Z"),
            ("2026-03-29", "Europe/London", "2026-03-29T00:00:00Z"), ("2026-03-30", "Europe/London", "2026-03-29T23:00:00Z"),
            // No midnight: clocks go from 00:00 to 01:00.
            ("2019-09-08", "America/Santiago", "2019-09-08T04:00:00Z"), ("2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00:00Z"),
            ("2026-03-29", "Asia/Beirut", "2026-03-28T22:00:00Z"),
            // Two midnights: at 00:01 clocks went back to 23:01.
            ("2010-11-07", "America/St_Johns", "2010-11-07T02:30:00Z"),
            // No such day at all.
            ("2011-12-30", "Pacific/Apia", "2011-12-30T10:00:00Z"), ("2011-12-31", "Pacific/Apia", "2011-12-30T10:00:00Z"),
        ])
    func `a day begins at midnight, or where there is none in the first instant there is; at the first of two`(
        _ day: String, _ zone: String, _ expected: String
    ) throws {
        let day = try #require(CivilDate(day))
        let zone = try #require(TimeZone(identifier: zone))

        #expect(Instant(startOf: day, in: zone) == Instant(rfc3339: expected))
    }
}
