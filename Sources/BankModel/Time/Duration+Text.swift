extension Duration {
    /// The longest duration that is parsed: 100 years of 365.25 days. Two of them and any instant of this century still make
    /// an instant (the last is in 2262), so that sums of parsed durations need no check.
    public static let longestText = Duration.seconds(36_525 * 86_400)

    /// The expectation in messages about a text that ``init(text:)`` rejects.
    public static let expectedText = "a duration such as 250ms, 30s, 5m, 2h or 1d, at most 36525d (100 years)"

    /// The duration of a text such as `250ms`, `30s`, `5m`, `2h`, `1d`; nil for any other text, and beyond ``longestText``.
    public init?(text: String) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int64(digits) else { return nil }
        let unit: Int64? =
            switch text.dropFirst(digits.count) {
            case "ms": 1_000_000
            case "s": 1_000_000_000
            case "m": 60_000_000_000
            case "h": 3_600_000_000_000
            case "d": 86_400_000_000_000
            default: nil
            }
        guard let unit else { return nil }
        let (nanoseconds, overflow) = count.multipliedReportingOverflow(by: unit)
        guard !overflow, nanoseconds <= Duration.longestText.nanoseconds else { return nil }
        self = .nanoseconds(nanoseconds)
    }

    /// The duration as the shortest text that ``init(text:)`` parses back: `90s`, `2h`, `250ms`; truncated below a millisecond.
    public var shortText: String {
        let milliseconds = nanoseconds / 1_000_000
        let units: [(Int64, String)] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s")]
        for (size, name) in units where milliseconds != 0 && milliseconds.isMultiple(of: size) {
            return "\(milliseconds / size)\(name)"
        }
        return "\(milliseconds)ms"
    }
}
