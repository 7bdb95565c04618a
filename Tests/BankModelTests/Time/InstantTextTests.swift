import BankModel
import Testing

@Suite struct InstantTextTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:01Z", 1), ("1969-12-31T23:59:59Z", -1), ("2026-01-12T09:15:00Z", 1_768_209_300),
            ("2026-01-12t09:15:00z", 1_768_209_300), ("2026-01-12T10:15:00+01:00", 1_768_209_300),
            ("2026-01-12T03:45:00-05:30", 1_768_209_300), ("2026-01-12T10:15:00+0100", 1_768_209_300),
            ("2026-01-12T09:15:00+00:00", 1_768_209_300), ("2026-01-12T09:15:00-00:00", 1_768_209_300),
            ("2026-01-13T09:14:00+23:59", 1_768_209_300), ("2024-02-29T12:00:00Z", 1_709_208_000), ("2000-02-29T00:00:00Z", 951_782_400),
            ("1900-03-01T00:00:00Z", -2_203_891_200), ("2038-01-19T03:14:08Z", 2_147_483_648), ("1677-09-22T00:00:00Z", -9_223_286_400),
            ("2262-04-11T23:47:16Z", 9_223_372_036),
        ] as [(String, Int64)])
    func `RFC 3339 gives the instant`(_ text: String, _ seconds: Int64) {
        #expect(Instant(rfc3339: text) == Instant(seconds: seconds))
    }

    @Test(
        arguments: [
            ("00.1", 100_000_000), ("00.123", 123_000_000), ("00.123456789", 123_456_789), ("00.000000001", 1),
            ("00.1234567899999", 123_456_789),
            ("00.0", 0), ("59.999999999", 59_999_999_999),
        ] as [(String, Int64)])
    func `a fraction counts to the nanosecond and is cut beyond`(_ second: String, _ nanoseconds: Int64) {
        #expect(Instant(rfc3339: "1970-01-01T00:00:\(second)Z")?.nanoseconds == nanoseconds)
    }

    @Test(arguments: [
        "", "2026-01-12", "09:15:00Z", "2026-01-12T09:15:00", "2026-01-12 09:15:00Z", "2026-01-12T09:15Z", "2026-01-12T9:15:00Z",
        "26-01-12T09:15:00Z", "2026-1-12T09:15:00Z", "2026-01-12T09:15:00.Z", "2026-01-12T09:15:00,5Z", "2026-01-12T09:15:00UTC",
        "2026-01-12T09:15:00+1", "2026-01-12T09:15:00+01", "2026-01-12T09:15:00+01:", "2026-01-12T09:15:00+24:00",
        "2026-01-12T09:15:00+01:60", "2026-01-12T09:15:00 +01:00", "2026-01-12T09:15:00−01:00", " 2026-01-12T09:15:00Z",
        "2026-01-12T09:15:00Z ", "2026-01-12T09:15:00ZZ", "2026-01-12T24:00:00Z", "2026-01-12T23:60:00Z", "2026-12-31T23:59:60Z",
        "2026-02-30T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-00-01T00:00:00Z",
        "2026-13-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z", "20260112T091500Z", "2026-W03-1T00:00:00Z",
        "+2026-01-12T09:15:00Z", "-2026-01-12T09:15:00Z", "٢٠٢٦-01-12T09:15:00Z", "2026-01-12T09:15:00Z\u{301}",
    ])
    func `RFC 3339 that is not strict is rejected`(_ text: String) {
        #expect(Instant(rfc3339: text) == nil)
    }

    @Test(arguments: [
        "0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "1677-09-21T00:12:43Z", "2262-04-11T23:47:17Z", "9999-12-31T23:59:59Z",
        "9999-12-31T23:59:59-23:59", "2262-04-11T23:47:16.854775808Z",
    ])
    func `an instant beyond 64 bits of nanoseconds is rejected`(_ text: String) {
        #expect(Instant(rfc3339: text) == nil)
    }

    @Test(arguments: [0, 1, -1, 999_999_999, -999_999_999, 1_768_209_300_123_456_789, -86_400_000_000_001, .min, .max] as [Int64])
    func `every instant is written so that it reads back`(_ nanoseconds: Int64) {
        let instant = Instant(nanoseconds: nanoseconds)

        #expect(Instant(rfc3339: instant.rfc3339(.nanoseconds)) == instant)
    }

    @Test func `is written to the second, millisecond or nanosecond`() {
        let instant = Instant(nanoseconds: 1_768_209_300_007_008_009)

        #expect(instant.rfc3339() == "2026-01-12T09:15:00Z")
        #expect(instant.rfc3339(.milliseconds) == "2026-01-12T09:15:00.007Z")
        #expect(instant.rfc3339(.nanoseconds) == "2026-01-12T09:15:00.007008009Z")
        #expect(Instant(nanoseconds: -1).rfc3339(.milliseconds) == "1969-12-31T23:59:59.999Z")
    }

    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Mon, 12 Jan 2026 09:15:00 GMT", 1_768_209_300),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
        ] as [(String, Int64)])
    func `an HTTP date is written and read`(_ text: String, _ seconds: Int64) {
        #expect(Instant(seconds: seconds).httpDate == text)
        #expect(Instant(httpDate: text) == Instant(seconds: seconds))
    }

    @Test(arguments: [
        "", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000",
        "Mon, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT", "sun, 06 Nov 1994 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:60 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49:37.5 GMT", "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 30 Feb 2026 08:49:37 GMT", " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ",
        "Mon, 01 Jan 0001 00:00:00 GMT",
        "Fri, 31 Dec 9999 23:59:59 GMT",
    ])
    func `another form of date, a false weekday or a year out of range is rejected`(_ text: String) {
        #expect(Instant(httpDate: text) == nil)
    }
}
