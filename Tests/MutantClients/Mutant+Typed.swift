import BankClient
import BankModel
import DriverProtocol
import Foundation

/// Mistakes in parsing an amount that the user typed.
extension Mutant {
    static var typed: [Mutant] {
        [
            typing(
                "commas-dropped", "drops commas as thousands separators: 19,99 is read as 1999",
                killedBy: [
                    "invariant.pays-what-was-wished in locale.comma-is-the-decimal-sign",
                    "invariant.pays-what-was-wished in locale.doubtful-amount-is-not-multiplied",
                ]
            ) { text, currency, _ in
                plain(text.replacing(",", with: ""), currency)
            },
            typing(
                "reads-up-to-a-strange-sign", "ends the number at the first character that is not a digit or a point: 1,50 is read as 1",
                killedBy: [
                    "invariant.pays-what-was-wished in locale.comma-is-the-decimal-sign",
                    "invariant.pays-what-was-wished in locale.spaces-group-digits",
                ]
            ) { text, currency, _ in
                plain(String(text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }), currency)
            },
            typing(
                "last-sign-is-the-point", "treats the last separator of an amount as the decimal sign: 1,500 is read as 1.50",
                killedBy: [
                    "invariant.pays-what-was-wished in locale.thousands-are-not-decimals",
                    "invariant.pays-what-was-wished in locale.comma-is-the-decimal-sign",
                ]
            ) { text, currency, _ in
                let parts = text.split(whereSeparator: { $0 == "," || $0 == "." })
                guard parts.count > 1, let last = parts.last else { return plain(text, currency) }
                return plain(parts.dropLast().joined() + "." + last, currency)
            },
            typing(
                "three-digits-are-thousands", "reads three digits after a comma as thousands in every currency",
                killedBy: ["invariant.pays-what-was-wished in locale.comma-in-each-currency"]
            ) { text, currency, right in
                text.suffix(4).first == "," ? plain(text.replacing(",", with: ""), currency) : right.money(typed: text, currency)
            },
            typing(
                "digits-of-ascii-alone", "rejects amounts in other digits than 0 to 9",
                killedBy: ["locale.arabic-digits", "locale.persian-digits", "locale.indian-groups"]
            ) { text, currency, right in
                text.contains { $0.isNumber && !$0.isASCII } ? nil : right.money(typed: text, currency)
            },
            typing(
                "arabic-digits-alone", "has a table of the Arabic digits, and none of the Persian ones", killedBy: ["locale.persian-digits"]
            ) { text, currency, right in
                text.unicodeScalars.contains { ("\u{6F0}"..."\u{6F9}").contains($0) } ? nil : right.money(typed: text, currency)
            },
            typing(
                "groups-of-three-alone", "rejects groups of two digits", killedBy: ["locale.indian-groups"]
            ) { text, currency, right in
                text.split(separator: ",").dropFirst().dropLast().contains { $0.count == 2 } ? nil : right.money(typed: text, currency)
            },
            typing(
                "plain-space-alone", "knows only the plain space between groups", killedBy: ["locale.spaces-group-digits"]
            ) { text, currency, right in
                text.contains { $0.isWhitespace && $0 != " " } ? nil : right.money(typed: text, currency)
            },
        ]
    }

    private static func typing(
        _ name: String, _ mistake: String, killedBy: [String],
        read: @escaping @Sendable (String, Currency, any TypedAmountReading) -> Money?
    ) -> Mutant {
        Mutant(name, mistake, killedBy: killedBy, control: paying) { parts, _ in
            parts.typedAmounts = OtherTyping(right: parts.typedAmounts, read: read)
        }
    }

    /// The amount of a text with a point and nothing else between its digits.
    private static func plain(_ text: String, _ currency: Currency) -> Money? { try? Money(major: text, currency: currency) }
}

/// Another way to read typed amounts, which may ask the right one.
private struct OtherTyping: TypedAmountReading {
    let right: any TypedAmountReading
    let read: @Sendable (String, Currency, any TypedAmountReading) -> Money?

    func money(typed text: String, _ currency: Currency) -> Money? { read(text, currency, right) }
}
