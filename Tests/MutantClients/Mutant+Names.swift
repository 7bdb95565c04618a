import BankClient
import BankModel
import DriverProtocol
import Foundation

extension Mutant {
    /// Mistakes with ids, the forms of numbers, and the characters of names.
    static var names: [Mutant] {
        [
            Mutant(
                "ids-in-floating-point", "reads ids that are numbers as binary floating point", killedBy: ["data.ids-beyond-53-bits"]
            ) { parts, _ in
                parts.readRows { row throws(ClientFailure) in
                    row.with("id") { id in
                        guard let number = id.number, let rounded = UInt64(exactly: number.double.rounded()) else { return id }
                        return .string("\(rounded)")
                    }
                }
            },
            Mutant(
                "amount-cut-at-the-point", "reads the digits after the point as the number of cents, so 12.5 is 12.05",
                killedBy: ["data.forms-of-numbers"], control: paying
            ) { parts, start in parts.readAmounts(CutAtThePoint(), start) },
            Mutant(
                "no-exponents", "leaves out rows whose number has an exponent", killedBy: ["data.forms-of-numbers"],
                control: paying
            ) { parts, start in parts.readAmounts(WithoutExponents(), start) },
            Mutant(
                "text-is-no-amount", "shows nothing for an amount that came as a string",
                killedBy: ["data.amount-as-text-or-number"]
            ) { parts, start in
                // The banks whose amounts are numbers.
                guard ["bins", "snapshot"].contains(start.bank) else { return }
                parts.readRows { row throws(ClientFailure) in row.with("amount") { $0.string == nil ? $0 : .int(0) } }
            },
            Mutant(
                "rows-by-their-letters", "distinguishes rows by id and the bytes of the name",
                killedBy: ["data.name-in-two-normalisations"], control: paying
            ) { parts, _ in
                parts.readRows { row throws(ClientFailure) in
                    let bytes = row["description"]?.string.map { hexadecimal(Array($0.utf8)) } ?? ""
                    return row.with("id") { id in .string("\(id.string ?? id.int.map(String.init) ?? "")#\(bytes)") }
                }
                parts.showRows { rows in
                    rows.map { row in
                        var row = row
                        row.id = String(row.id.prefix { $0 != "#" })
                        return row
                    }
                }
            },
            Mutant(
                "names-of-255-characters", "cuts names off after 255 characters", killedBy: ["data.names-are-whole"]
            ) { parts, _ in parts.showDescriptions { String($0.prefix(255)) } },
            Mutant(
                // The usual control shows such characters too.
                "basic-plane-only", "replaces characters of four bytes", killedBy: ["data.names-are-whole"],
                control: Mutant.controlWithoutToken
            ) { parts, _ in
                parts.showDescriptions { text in
                    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value > 0xFFFF ? "\u{FFFD}" : $0 }))
                }
            },
            Mutant(
                "strips-tags", "removes what looks like a tag from a name", killedBy: ["data.names-are-whole"]
            ) { parts, _ in
                parts.showDescriptions { $0.replacingOccurrences(of: "<[^>]*>", with: "", options: .regularExpression) }
            },
        ]
    }
}

extension ClientParts {
    /// Reads amounts in another way.
    fileprivate mutating func readAmounts(_ amounts: any AmountReading, _ start: CaseStart) {
        let reading = Reading(amounts: amounts, timeZone: TimeZone(identifier: start.timeZone) ?? .gmt)
        adapter = KnownBanks.adapter(start.bank, reading, clock: caller.clock) ?? adapter
    }

    /// Shows the descriptions of rows in another way.
    fileprivate mutating func showDescriptions(_ change: @escaping @Sendable (String) -> String) {
        showRows { rows in
            rows.map { row in
                var row = row
                row.description = change(row.description)
                return row
            }
        }
    }
}

/// `12.5` as 12 and 5 hundredths.
private struct CutAtThePoint: AmountReading {
    func money(major: JSONNumber, _ currency: Currency) -> Money? {
        let parts = major.digits.split(separator: ".", maxSplits: 1)
        guard let whole = parts.first.flatMap({ Int64($0) }), let rest = Int64(parts.count > 1 ? parts[1].prefix(4) : "0") else {
            return nil
        }
        let units = whole.magnitude.multipliedReportingOverflow(by: UInt64(currency.minorPerMajor))
        guard !units.overflow, let sum = Int64(exactly: units.partialValue), sum < .max - rest else { return nil }
        return Money(minorUnits: major.digits.hasPrefix("-") ? -sum - rest : sum + rest, currency: currency)
    }

    func money(minor: JSONNumber, _ currency: Currency) -> Money? { ExactAmounts().money(minor: minor, currency) }
}

private struct WithoutExponents: AmountReading {
    func money(major: JSONNumber, _ currency: Currency) -> Money? {
        major.digits.lowercased().contains("e") ? nil : ExactAmounts().money(major: major, currency)
    }

    func money(minor: JSONNumber, _ currency: Currency) -> Money? { ExactAmounts().money(minor: minor, currency) }
}
