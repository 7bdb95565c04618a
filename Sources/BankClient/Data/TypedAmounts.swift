package import BankModel

/// Reads amounts of money that a user has typed.
package protocol TypedAmountReading: Sendable {
    /// The amount of a text such as `1.234,56`; nil if it cannot be read without a guess.
    func money(typed text: String, _ currency: Currency) -> Money?
}

/// Reads typed amounts by a locale's separators, with digits of any script.
///
/// It has its own table because a formatter's result follows the locale data on the machine, and a program may carry only some
/// of it. Rejects every text that has two readings: `1,500` in English is fifteen hundred, in German it is rejected as an amount of
/// euros, whose fraction has two digits.
package struct TypedAmounts: TypedAmountReading {
    private let decimals: Set<Unicode.Scalar>
    private let groupings: Set<Unicode.Scalar>

    /// - Parameter locale: a language, or a language and a country, such as `de_DE`.
    package init(locale: String = "en") {
        let comma = TypedAmounts.hasDecimalComma(locale)
        decimals = [comma ? "," : ".", "\u{66B}"]
        groupings = [comma ? "." : ",", "\u{66C}", " ", "'", "\u{2019}"]
    }

    package func money(typed text: String, _ currency: Currency) -> Money? {
        // No-break and narrow spaces group digits as plain ones do; at the ends they mean nothing.
        let trimmed = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        var groups = [""]
        var fraction: String?
        for scalar in trimmed.unicodeScalars where !TypedAmounts.directions.contains(scalar) {
            if let digit = scalar.decimalDigit {
                if fraction == nil { groups[groups.count - 1] += digit } else { fraction? += digit }
            } else if fraction == nil, decimals.contains(scalar) {
                fraction = ""
            } else if fraction == nil, groupings.contains(scalar) {
                groups.append("")
            } else {
                return nil
            }
        }
        guard TypedAmounts.isGrouped(groups), fraction.map({ !$0.isEmpty && $0.count <= currency.digits }) ?? true else { return nil }
        return try? Money(major: groups.joined() + (fraction.map { ".\($0)" } ?? ""), currency: currency)
    }

    /// Three digits at the end, and before them groups of three or, as in India, of two.
    private static func isGrouped(_ groups: [String]) -> Bool {
        guard groups.count > 1, let first = groups.first, let last = groups.last else { return groups != [""] }
        return (1...3).contains(first.count) && last.count == 3 && groups.dropFirst().dropLast().allSatisfy { (2...3).contains($0.count) }
    }

    /// Marks of writing direction, which keyboards and copied texts bring along.
    private static let directions: Set<Unicode.Scalar> = ["\u{200E}", "\u{200F}", "\u{61C}"]
}

/// Separators by language and country (CLDR 44, `symbols/decimal`).
extension TypedAmounts {
    private static func hasDecimalComma(_ locale: String) -> Bool {
        let parts = locale.split(whereSeparator: { $0 == "_" || $0 == "-" }).map(String.init)
        if commaLocales.contains(parts.joined(separator: "_")) { return true }
        return commaLanguages.contains(parts.first ?? "") && !pointCountries.contains(parts.last ?? "")
    }

    private static let commaLanguages: Set<String> = [
        "az", "be", "bg", "bs", "ca", "cs", "da", "de", "el", "es", "et", "eu", "fi", "fr", "gl", "hr", "hu", "id", "is", "it", "ka", "kk",
        "lt", "lv", "mk", "nb", "nl", "nn", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sq", "sr", "sv", "tr", "uk", "uz", "vi",
    ]

    /// Countries that write a point though their languages elsewhere write a comma.
    private static let pointCountries: Set<String> = ["CH", "LI", "MX", "US", "PR", "GT", "HN", "NI", "SV", "PA", "DO", "PE"]

    /// Locales that write a comma though their languages elsewhere write a point.
    private static let commaLocales: Set<String> = ["ar_DZ", "ar_LB", "ar_LY", "ar_MA", "ar_MR", "ar_TN", "en_ZA"]
}

extension BankClient {
    /// The part that reads what a user types into the field for the amount.
    package var typedAmounts: any TypedAmountReading { parts.typedAmounts }
}

extension Unicode.Scalar {
    /// The digit as one of `0` to `9`, whatever its script; nil for any other character.
    fileprivate var decimalDigit: String? {
        guard properties.numericType == .decimal, let value = properties.numericValue else { return nil }
        return String(Int(value))
    }
}
