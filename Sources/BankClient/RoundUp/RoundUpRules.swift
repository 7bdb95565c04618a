package import BankModel
package import Foundation

/// The rules of a round-up. Pure: rows and time are passed in.
///
/// - Counts rows from the start of the day seven days ago, in the device's time zone, until now, both included.
/// - Counts settled purchases only, and no transfers between the customer's own accounts.
/// - Rounds each to the next whole major unit of its currency, in minor units: `4.35` gives 65, `4.00` and any yen give 0.
package struct RoundUpRules: Sendable {
    /// The device's time zone.
    package var timeZone: TimeZone
    /// The number of days between the first day and today.
    package var days = 7
    /// Returns the minor units between a purchase and the amount it is rounded to: by default the next whole major unit. An
    /// app can round to multiples of five with another function.
    package var missing: @Sendable (Money) -> Int64 = { $0.minorUnitsToWhole }

    /// The period whose purchases count.
    package func period(until now: Instant) -> Period {
        let first = CivilDate(daysSinceEpoch: now.day(in: timeZone).daysSinceEpoch - days)
        return Period(from: Instant(startOf: first, in: timeZone), to: now)
    }

    /// The purchases that count, each with its difference to the next whole unit.
    package func purchases(among rows: [RoundUpRow], in period: Period) -> [RoundUpPurchase] {
        counted(rows, period).map { row in
            RoundUpPurchase(
                day: row.at.day(in: timeZone), description: row.description, amount: row.amount,
                roundedUpBy: Money(minorUnits: missing(row.amount), currency: row.amount.currency))
        }
    }

    private func counted(_ rows: [RoundUpRow], _ period: Period) -> [RoundUpRow] {
        rows.filter { $0.isOutgoing && $0.isSettled && !$0.isInternal && period.contains($0.at) }
    }

    /// The sum of the differences to whole units.
    ///
    /// - Throws: ``ClientFailure`` `nothingToDo` if it is 0; `rejected` if purchases are in several currencies or their sum
    ///   overflows.
    package func amount(of rows: [RoundUpRow], in period: Period) throws(ClientFailure) -> Money {
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
            throw ClientFailure(.nothingToDo, "found only whole amounts: nothing to round up", mayHaveLeft: false)
        }
        return sum
    }
}

extension Money {
    /// The minor units to the next whole major unit; 0 for a whole amount.
    var minorUnitsToWhole: Int64 {
        let over = minorUnits % currency.minorPerMajor
        return over == 0 ? 0 : over < 0 ? -over : currency.minorPerMajor - over
    }
}
