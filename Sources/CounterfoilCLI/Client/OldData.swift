import BankClient
import BankModel

/// The remark above cached data that the bank could not confirm.
struct OldData {
    private let asOf: Instant?
    private let now: Instant

    /// - Parameters:
    ///   - asOf: when the bank reported it, by the device's clock; nil: now.
    ///   - now: by the device's clock.
    init(_ asOf: Instant?, now: Instant = SystemClock().now()) {
        self.asOf = asOf
        self.now = now
    }

    /// A line that stands above old data, and nothing for the bank's current data.
    var remark: String { asOf.map { "Cached data from \(age($0)): the bank did not answer.\n" } ?? "" }

    /// In the largest unit that is not nought, rounded down; the instant itself where the clock was put back since.
    private func age(_ asOf: Instant) -> String {
        let seconds = (now - asOf).components.seconds
        guard now >= asOf else { return asOf.rfc3339(.seconds) }
        let units: [(length: Int64, name: String)] = [(86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")]
        guard let unit = units.first(where: { seconds >= $0.length }) else { return "a moment ago" }
        let count = seconds / unit.length
        return "\(count) \(unit.name)\(count == 1 ? "" : "s") ago"
    }
}
