import BankModel
import Testing

@Suite struct DurationTextTests {
    @Test(
        arguments: [
            ("0s", 0), ("250ms", 250_000_000), ("30s", 30_000_000_000), ("5m", 300_000_000_000), ("2h", 7_200_000_000_000),
            ("36525d", 3_155_760_000_000_000_000), ("3155760000000ms", 3_155_760_000_000_000_000),
            ("3155760000s", 3_155_760_000_000_000_000),
        ] as [(String, Int64)])
    func `a duration is read, up to a hundred years`(_ text: String, _ nanoseconds: Int64) {
        #expect(Duration(text: text) == .nanoseconds(nanoseconds))
    }

    @Test(arguments: [
        "", "s", "5", "5y", "5 s", "-5s", "+5s", "1.5s", "٣s", "36526d", "3155760000001ms", "3155760001s", "52596001m", "876601h",
        "9223372036s", "9223372036854ms", "106751d", "9223372036854775807ms", "9223372036854775807d", "9223372036854775808s",
        "99999999999999999999999s",
    ])
    func `any other text, and more than that, is no duration`(_ text: String) {
        #expect(Duration(text: text) == nil)
    }

    @Test func `twice the longest and any instant of this century make an instant`() throws {
        let last = try #require(Instant(rfc3339: "2061-12-31T23:59:59Z"))

        #expect(last + Duration.longestText + Duration.longestText < Instant(nanoseconds: .max))
        #expect(Duration(text: Duration.longestText.shortText) == Duration.longestText)
    }
}
