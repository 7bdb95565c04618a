/// How a text is written, as far as a client's reader may depend on it.
package enum TextForm: String, Sendable, Hashable, CaseIterable {
    case empty = "an empty text"
    /// An ISO 4217 code.
    case currency = "a currency code"
    case digits = "a text of digits"
    /// Digits with a decimal point.
    case amount = "an amount as text"
    /// `2026-01-12`.
    case day = "a day"
    /// RFC 3339; many readers of dates take either fractions of a second or none, and either `Z` or an offset.
    case instant = "an instant (Z)"
    case instantWithFraction = "an instant with a fraction (Z)"
    case instantWithOffset = "an instant with an offset"
    case instantWithFractionAndOffset = "an instant with a fraction and an offset"
    case uuid = "a UUID"
    case address = "an http address"
    case any = "a text"

    package init(_ text: String) {
        self =
            if text.isEmpty {
                .empty
            } else if text.utf8.count == 3, Currency(text) != nil {
                .currency
            } else if let number = TextForm.number(text) {
                number
            } else if let date = TextForm.date(text) {
                date
            } else if isUUID(text) {
                .uuid
            } else if text.hasPrefix("https://") || text.hasPrefix("http://") {
                .address
            } else {
                .any
            }
    }

    /// `-12.50`, `1200`; not `1e2`, `+1` or `.5`, which no bank writes.
    private static func number(_ text: String) -> TextForm? {
        let parts = text.drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count(where: { $0 == UInt8(ascii: "-") }) <= 1, (1...2).contains(parts.count),
            parts.allSatisfy(\.isDigits)
        else { return nil }
        return parts.count == 2 || text.hasPrefix("-") ? .amount : .digits
    }

    private static func date(_ text: String) -> TextForm? {
        if text.utf8.count == 10 { return CivilDate(text) == nil ? nil : .day }
        guard Instant(rfc3339: text) != nil else { return nil }
        return switch (text.contains("."), text.hasSuffix("Z") || text.hasSuffix("z")) {
        case (false, true): .instant
        case (true, true): .instantWithFraction
        case (false, false): .instantWithOffset
        case (true, false): .instantWithFractionAndOffset
        }
    }
}
