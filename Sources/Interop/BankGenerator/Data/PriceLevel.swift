import BankModel

/// How dear things are in a currency: prices are drawn in pence and turned into its minor units.
struct PriceLevel: Sendable, Hashable {
    let currency: Currency
    /// The equivalent of ten pounds in minor units; rough rates, fixed forever.
    let tenPounds: Int

    private static let levels: [(code: String, tenPounds: Int)] = [
        ("GBP", 1000), ("EUR", 1170), ("USD", 1300), ("SEK", 13_200), ("CHF", 1100), ("JPY", 1900), ("BHD", 4900), ("KWD", 4000),
        ("CLP", 12_400), ("CLF", 3300), ("AUD", 2000),
    ]

    /// The levels of all currencies that generated banks know, by code.
    static let all: [String: PriceLevel] = Dictionary(
        levels.compactMap { code, tenPounds in
            Currency(code).map { (code, PriceLevel(currency: $0, tenPounds: tenPounds)) }
        }
    ) { first, _ in first }

    /// An amount of pence in minor units of the currency, at least 1.
    func minorUnits(pence: Int) -> Int64 { Int64(max(1, pence * tenPounds / 1000)) }

    /// Written in major units with all the currency's digits.
    func major(_ minorUnits: Int64) -> String { Money(minorUnits: minorUnits, currency: currency).major }
}
