import BankModel
import Testing

@Suite struct CivilDateTests {
    @Test(arguments: [
        ("1970-01-01", 0, 4), ("1970-01-02", 1, 5), ("1969-12-31", -1, 3), ("2000-02-29", 11_016, 2), ("2026-01-12", 20_465, 1),
        ("0001-01-01", -719_162, 1), ("0000-01-01", -719_528, 6), ("9999-12-31", 2_932_896, 5), ("1900-03-01", -25_508, 4),
    ])
    func `a day has its distance from the epoch and its weekday`(_ text: String, _ days: Int, _ weekday: Int) throws {
        let date = try #require(CivilDate(text))

        #expect(date.daysSinceEpoch == days)
        #expect(CivilDate(daysSinceEpoch: days) == date)
        #expect(date.weekday == weekday)
        #expect(date.description == text)
    }

    @Test func `every day of an era of 400 years follows the one before`() throws {
        let first = try #require(CivilDate("1800-01-01"))
        var (last, years, leapDays) = (first, 0, 0)

        for days in first.daysSinceEpoch + 1...first.daysSinceEpoch + 146_097 {
            let next = CivilDate(daysSinceEpoch: days)
            try #require(next > last, "day \(days) after the epoch")
            try #require(next.daysSinceEpoch == days, "day \(days) after the epoch")
            try #require(next.day == last.day + 1 || next.day == 1, "day \(days) after the epoch")
            if next.month == 2, next.day == 29 { leapDays += 1 }
            if next.year > last.year { years += 1 }
            last = next
        }

        #expect(last.description == "2200-01-01")
        #expect(years == 400)
        #expect(leapDays == 97)
    }

    @Test(arguments: [
        "", "2026-1-12", "2026-01-1", "26-01-12", "2026/01/12", "20260112", "2026-02-29", "2026-02-30", "2100-02-29", "2026-06-31",
        "2026-00-10", "2026-13-10", "2026-01-00", "2026-01-32", "2026-01-12T", "2026-01-12 ", " 2026-01-12", "-026-01-12", "10000-01-01",
        "٢٠٢٦-٠١-١٢",
    ])
    func `a text or a day that is none is rejected`(_ text: String) {
        #expect(CivilDate(text) == nil)
    }

    @Test func `a day out of range is rejected, never rolled over`() {
        #expect(CivilDate(year: 2024, month: 2, day: 29) != nil)
        #expect(CivilDate(year: 2023, month: 2, day: 29) == nil)
        #expect(CivilDate(year: -1, month: 1, day: 1) == nil)
        #expect(CivilDate(year: 10_000, month: 1, day: 1) == nil)
        #expect(CivilDate(year: 2024, month: .max, day: .max) == nil)
        #expect(CivilDate(year: 2024, month: .min, day: .min) == nil)
    }
}
