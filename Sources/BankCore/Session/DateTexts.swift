import BankModel

/// The last instants formatted in each style: each of the thousands of payments in one second formats it some five times, and the instant
/// at which it will have settled.
struct DateTexts: Sendable {
    private var last: [Formatted] = []

    private struct Formatted: Sendable {
        let style: DateStyle
        let second: Int64
        let text: String
    }

    /// The instant in that style, in UTC.
    mutating func text(_ instant: Instant, _ style: DateStyle) -> String {
        guard style != .milliseconds else { return style.text(instant) }
        let second = instant.seconds
        if let known = last.first(where: { $0.second == second && $0.style == style }) { return known.text }
        let text = style.text(instant)
        if last.count == DateTexts.most { last.removeFirst() }
        last.append(Formatted(style: style, second: second, text: text))
        return text
    }

    /// Two instants in each of a bank's few styles.
    private static let most = 8
}
