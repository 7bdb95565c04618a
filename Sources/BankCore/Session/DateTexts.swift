import BankModel

/// The last instant formatted in each style: each of the thousands of payments in one second formats it some five times.
struct DateTexts: Sendable {
    private var last: [(style: DateStyle, second: Int64, text: String)] = []

    /// The instant in that style, in UTC.
    mutating func text(_ instant: Instant, _ style: DateStyle) -> String {
        guard style != .milliseconds else { return style.text(instant) }
        let second = instant.seconds
        let place = last.indices.first { last[$0].style == style }
        if let place, last[place].second == second { return last[place].text }
        let text = style.text(instant)
        if let place { last[place] = (style, second, text) } else { last.append((style, second, text)) }
        return text
    }
}
