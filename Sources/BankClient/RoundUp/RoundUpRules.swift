public import BankModel
public import Foundation

/// What is rounded up, and to what. Pure: rows and time are handed in.
///
/// - From the first instant of the day seven days ago, in the device's zone, until now, both included.
/// - Settled purchases only, and no moves between the customer's own accounts.
/// - Each to the next whole major unit of its currency, in minor units: `4.35` gives 65, `4.00` nothing, no yen anything.
public struct RoundUpRules: Sendable {
    /// The device's.
    public var timeZone: TimeZone
    /// How many days before today the first day is.
    public var days: Int
    /// How many minor units a purchase lacks to what it is rounded to: by default its next whole major unit. An app may
    /// round to whole fives with another.
    public var missing: @Sendable (Money) -> Int64 = { $0.minorUnitsToWhole }

    public init(timeZone: TimeZone, days: Int = 7) {
        self.timeZone = timeZone
        self.days = days
    }

    /// The time whose purchases count.
    public func period(until now: Instant) -> Period {
        let first = CivilDate(daysSinceEpoch: now.day(in: timeZone).daysSinceEpoch - days)
        return Period(from: Instant(startOf: first, in: timeZone), to: now)
    }

    /// The purchases that count, each with what is missing to the next whole unit.
    public func purchases(among rows: [RoundUpRow], in period: Period) -> [RoundUpPurchase] {
        counted(rows, period).map { row in
            RoundUpPurchase(
                day: row.at.day(in: timeZone), description: row.description, amount: row.amount,
                roundedUpBy: Money(minorUnits: missing(row.amount), currency: row.amount.currency))
        }
    }

    private func counted(_ rows: [RoundUpRow], _ period: Period) -> [RoundUpRow] {
        rows.filter { $0.isOutgoing && $0.isSettled && !$0.isInternal && period.contains($0.at) }
    }

    /// The sum of what is missing to whole units.
    ///
    /// - Throws: ``ClientFailure`` `nothingToDo` if that is nothing; `rejected` if purchases are in several currencies or
    ///   come to more than an amount can be.
    public func amount(of rows: [RoundUpRow], in period: Period) throws(ClientFailure) -> Money {
        let counted = counted(rows, period)
        guard let currency = counted.first?.amount.currency else {
            throw ClientFailure(.nothingToDo, "found no purchase in the last \(days) days", mayHaveLeft: false)
        }
        var sum = Money(minorUnits: 0, currency: currency)
        for row in counted {
            guard row.amount.currency == currency else {
                throw ClientFailure(
                    .rejected, "found purchases in \(currency) and \(row.amount.currency), expected one currency", mayHaveLeft: false)
            }
            guard let next = sum.adding(Money(minorUnits: missing(row.amount), currency: currency)) else {
                throw ClientFailure(.rejected, "found a sum too large for an amount", mayHaveLeft: false)
            }
            sum = next
        }
        guard sum.minorUnits > 0 else {
            throw ClientFailure(.nothingToDo, "found whole amounts only: nothing to round up", mayHaveLeft: false)
        }
        return sum
    }
}

extension Money {
    /// What is missing to the next whole major unit, from 0 to one minor unit less than that.
    var minorUnitsToWhole: Int64 {
        let over = minorUnits % currency.minorPerMajor
        return over == 0 ? 0 : over < 0 ? -over : currency.minorPerMajor - over
    }
}
