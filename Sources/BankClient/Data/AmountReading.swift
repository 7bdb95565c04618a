package import BankModel

/// Reads amounts of money out of JSON.
package protocol AmountReading: Sendable {
    /// The amount of a number in major units, such as `12.30`; nil if it is none of that currency.
    func money(major: JSONNumber, _ currency: Currency) -> Money?
    /// The amount of a number in minor units, such as `1230`; nil if it is not whole or too large.
    func money(minor: JSONNumber, _ currency: Currency) -> Money?
}

/// Reads amounts exactly: never through floating point, never rounded, never cut.
package struct ExactAmounts: AmountReading {
    package init() {}

    package func money(major: JSONNumber, _ currency: Currency) -> Money? { try? Money(major: major, currency: currency) }

    package func money(minor: JSONNumber, _ currency: Currency) -> Money? {
        minor.int64.map { Money(minorUnits: $0, currency: currency) }
    }
}

extension AmountReading {
    /// `12.30`, without the currency; nil if that is not known.
    func moneyOfNumber(_ json: JSON?, _ currency: Currency?) -> Money? {
        guard let number = json?.number, let currency else { return nil }
        return money(major: number, currency)
    }

    /// `{"amount":"12.30","currency":"GBP"}`
    func moneyOfText(_ json: JSON?) -> Money? {
        guard let number = json?["amount"]?.string.flatMap(JSONNumber.init), let currency = json?["currency"]?.string.flatMap(Currency.init)
        else { return nil }
        return money(major: number, currency)
    }

    /// `{"currency":"GBP","minorUnits":1230}`
    func moneyOfMinorUnits(_ json: JSON?) -> Money? {
        guard let number = json?["minorUnits"]?.number, let currency = json?["currency"]?.string.flatMap(Currency.init) else { return nil }
        return money(minor: number, currency)
    }
}

extension Money {
    /// The amount with its sign turned; nil for the one number that has no opposite.
    var negated: Money? {
        let (units, overflow) = Int64(0).subtractingReportingOverflow(minorUnits)
        return overflow ? nil : Money(minorUnits: units, currency: currency)
    }
}
