/// An amount of one currency in whole minor units; never in floating point.
public struct Money: Sendable, Hashable {
    /// The amount in minor units (pence, fils); negative is owed or outgoing.
    public let minorUnits: Int64
    /// The currency of the amount.
    public let currency: Currency

    /// That many minor units of the currency.
    public init(minorUnits: Int64, currency: Currency) {
        self.minorUnits = minorUnits
        self.currency = currency
    }

    /// Parses an amount in major units, such as `12.30`: a plain decimal with at most the currency's digits that fits 64 bits.
    public init(major text: String, currency: Currency) throws(MoneyError) {
        guard let number = JSONNumber(text), !text.utf8.contains(where: { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }) else {
            throw .notDecimal(text)
        }
        try self.init(major: number, currency: currency)
    }

    /// The amount of a JSON number in major units, with at most the currency's digits, that fits 64 bits.
    public init(major number: JSONNumber, currency: Currency) throws(MoneyError) {
        guard let (_, exponent) = number.decimal else { throw .tooLarge(number.digits) }
        guard exponent + currency.digits >= 0 else { throw .tooManyDigits(number.digits, currency) }
        guard let minorUnits = number.int64(shifted: currency.digits) else { throw .tooLarge(number.digits) }
        self.init(minorUnits: minorUnits, currency: currency)
    }

    /// The amount in major units with all the currency's digits: `12.30`, `-0.05`, `1200` (JPY).
    public var major: String {
        let digits = currency.digits
        guard digits > 0 else { return String(minorUnits) }
        let text = padded(minorUnits.magnitude, digits + 1)
        return "\(minorUnits < 0 ? "-" : "")\(text.dropLast(digits)).\(text.suffix(digits))"
    }

    /// The sum; nil if the currencies differ or it does not fit 64 bits.
    public func adding(_ other: Money) -> Money? {
        guard currency == other.currency else { return nil }
        let (sum, overflow) = minorUnits.addingReportingOverflow(other.minorUnits)
        return overflow ? nil : Money(minorUnits: sum, currency: currency)
    }
}

extension Money: CustomStringConvertible {
    public var description: String { "\(major) \(currency.code)" }
}

/// The reason why a text is not an amount of money.
public enum MoneyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Not a plain decimal number.
    case notDecimal(String)
    /// More digits after the point than the currency has.
    case tooManyDigits(String, Currency)
    /// Beyond 64 bits of minor units.
    case tooLarge(String)

    public var description: String {
        switch self {
        case .notDecimal(let text): "found \"\(text)\", expected a decimal such as 12.30"
        case .tooManyDigits(let text, let currency):
            "found \(text), expected at most \(currency.digits) digits after the point, as \(currency.code) has"
        case .tooLarge(let text): "found \(text), expected an amount below 2^63 minor units"
        }
    }
}
