import BankModel
public import Foundation

/// Amounts and days as views have them, exactly and in no locale.
public enum Shown {
    /// An amount of minor units in major units: 1230 of `GBP` is `12.30`, of `JPY` `1230`.
    ///
    /// - Returns: nil if the currency is not three capital letters.
    public static func amount(minorUnits: Int64, currency: String) -> String? {
        Currency(currency).map { Money(minorUnits: minorUnits, currency: $0).major }
    }

    /// An amount in major units, with all digits of its currency: 12.3 of `GBP` is `12.30`.
    ///
    /// - Returns: nil if the currency is not three capital letters, or the amount has more digits than the currency.
    public static func amount(_ amount: Decimal, currency: String) -> String? {
        guard let currency = Currency(currency) else { return nil }
        return try? Money(major: "\(amount)", currency: currency).major
    }

    /// The minor units of an amount: `12.30` of `GBP` is 1230.
    ///
    /// - Returns: nil if it is not an amount of that currency.
    public static func minorUnits(_ amount: String, currency: String) -> Int64? {
        guard let currency = Currency(currency) else { return nil }
        return try? Money(major: amount, currency: currency).minorUnits
    }

    /// The day of an instant in a time zone, of the calendar of ISO 8601 whatever the user's: `2026-01-12`.
    public static func day(_ date: Date, in timeZone: TimeZone) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        return [(parts.year ?? 0, 4), (parts.month ?? 0, 2), (parts.day ?? 0, 2)].map { padded($0.0, $0.1) }.joined(separator: "-")
    }
}
