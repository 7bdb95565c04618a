/// A kind of shop, and how people spend there.
struct Trade: Sendable {
    let shops: [String]
    /// The price range of a purchase in pence; low prices are drawn more often.
    let pence: ClosedRange<Int>
    /// Hours of the day (UTC) in which it sells.
    let hours: ClosedRange<Int>
    /// How often people go there from Monday to Friday, beside the other trades.
    let workday: Int
    /// How often on Saturdays and Sundays.
    let weekend: Int
    /// Behind some descriptions.
    var emoji: [String] = []
    /// Whether a landmark may stand behind the shop's name.
    var hasLandmarks = true
}
