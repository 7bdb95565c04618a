extension Duration {
    /// The duration of a text such as `250ms`, `30s`, `5m`, `2h`, `1d`; nil for any other text.
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
        guard !overflow else { return nil }
        self = .nanoseconds(nanoseconds)
    }

    /// The duration as the shortest text that ``init(text:)`` reads back: `90s`, `2h`, `250ms`; below a millisecond cut.
    public var shortText: String {
        let milliseconds = nanoseconds / 1_000_000
        let units: [(Int64, String)] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s")]
        for (size, name) in units where milliseconds != 0 && milliseconds.isMultiple(of: size) {
            return "\(milliseconds / size)\(name)"
        }
        return "\(milliseconds)ms"
    }
}
