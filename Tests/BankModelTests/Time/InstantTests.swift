import BankModel
import Testing

@Suite struct InstantTests {
    @Test(
        arguments: [
            (0, 0, 0, "1970-01-01"), (1, 0, 1, "1970-01-01"), (-1, -1, 999_999_999, "1969-12-31"), (-1_000_000_000, -1, 0, "1969-12-31"),
            (-86_400_000_000_000, -86_400, 0, "1969-12-31"), (-86_400_000_000_001, -86_401, 999_999_999, "1969-12-30"),
            (.min, -9_223_372_037, 145_224_192, "1677-09-21"), (.max, 9_223_372_036, 854_775_807, "2262-04-11"),
        ] as [(Int64, Int64, Int64, String)])
    func `seconds and days are rounded down, before 1970 too`(_ nanoseconds: Int64, _ seconds: Int64, _ rest: Int64, _ date: String) {
        let instant = Instant(nanoseconds: nanoseconds)

        #expect(instant.seconds == seconds)
        #expect(instant.nanosecondOfSecond == rest)
        #expect(instant.date.description == date)
        #expect((0..<Instant.nanosecondsPerDay).contains(instant.nanosecondsOfDay))
    }

    @Test func `adding a duration goes both ways`() {
        let instant = Instant(seconds: 100)

        #expect(instant + .seconds(20) == Instant(seconds: 120))
        #expect(instant + .seconds(-120) == Instant(seconds: -20))
        #expect(instant + .nanoseconds(1) > instant)
        #expect((instant + .seconds(20)) - instant == .seconds(20))
        #expect(instant - (instant + .seconds(20)) == .seconds(-20))
    }

    @Test func `what lies beyond the range is its end, never a crash`() throws {
        let (first, last) = (Instant(nanoseconds: .min), Instant(nanoseconds: .max))
        let (antiquity, farFuture) = (try #require(CivilDate("0001-01-01")), try #require(CivilDate("9999-12-31")))

        #expect(last + .nanoseconds(1) == last)
        #expect(first + .nanoseconds(-1) == first)
        #expect(Instant(seconds: 0) + .seconds(Int64.max) == last)
        #expect(Instant(seconds: 0) + .seconds(Int64.min) == first)
        #expect(Instant(seconds: .max) == last)
        #expect(Instant(seconds: .min) == first)
        #expect(Instant(antiquity) == first)
        #expect(Instant(farFuture, nanosecondsOfDay: Instant.nanosecondsPerDay - 1) == last)
    }

    @Test func `the duration between two instants is exact, however far apart they are`() {
        let (first, last) = (Instant(nanoseconds: .min), Instant(nanoseconds: .max))

        #expect(last - first == .nanoseconds(UInt64.max))
        #expect(first + (last - first) == last)
        #expect(last + (first - last) == first)
    }

    @Test func `a day and a time of day make an instant`() throws {
        let date = try #require(CivilDate("2026-01-12"))

        #expect(Instant(date).rfc3339() == "2026-01-12T00:00:00Z")
        #expect(Instant(date, nanosecondsOfDay: 33_300_000_000_000).rfc3339() == "2026-01-12T09:15:00Z")
    }
}

@Suite struct DurationTests {
    @Test(
        arguments: [
            ("0s", .zero), ("250ms", .milliseconds(250)), ("30s", .seconds(30)), ("5m", .seconds(300)), ("2h", .seconds(7200)),
            ("1d", .seconds(86_400)), ("007s", .seconds(7)), ("36525d", .seconds(36_525 * 86_400)),
        ] as [(String, Duration)])
    func `a number and a unit make a duration`(_ text: String, _ duration: Duration) {
        #expect(Duration(text: text) == duration)
    }

    @Test(arguments: [
        "", "5", "s", "ms", "-5s", "+5s", "5 s", " 5s", "5s ", "1.5s", "1h30m", "5S", "5min", "5us", "5w", "٥s", "½h", "5s\u{301}",
        "106752d",
        "9223372036854775807s", "99999999999999999999s", "1e3s", "0x5s",
    ])
    func `any other text makes none`(_ text: String) {
        #expect(Duration(text: text) == nil)
    }

    @Test(arguments: ["0ms", "1ms", "999ms", "1500ms", "1s", "90s", "5m", "61m", "2h", "25h", "1d", "365d"])
    func `the short text reads back`(_ text: String) throws {
        let duration = try #require(Duration(text: text))

        #expect(duration.shortText == text)
    }

    @Test func `the short text takes the largest unit that fits and cuts below a millisecond`() {
        #expect(Duration.seconds(120).shortText == "2m")
        #expect(Duration.seconds(86_400).shortText == "1d")
        #expect(Duration.microseconds(1999).shortText == "1ms")
        #expect(Duration.zero.shortText == "0ms")
    }

    @Test func `nanoseconds are clamped to 64 bits`() {
        #expect(Duration.milliseconds(-1).nanoseconds == -1_000_000)
        #expect(Duration.seconds(Int64.max).nanoseconds == .max)
        #expect(Duration.seconds(Int64.min).nanoseconds == .min)
        #expect((Duration.nanoseconds(Int64.max) + .nanoseconds(1)).nanoseconds == .max)
        #expect((Duration.nanoseconds(Int64.min) - .nanoseconds(1)).nanoseconds == .min)
    }
}
