import BankClient
import BankModel
import ClientDriver
import DriverProtocol
import Foundation

extension Mutant {
    /// Mistakes with dates.
    static var days: [Mutant] {
        [
            Mutant(
                "three-digits-of-fraction", "reads instants with three digits of fraction only",
                killedBy: ["data.fraction-and-no-fraction"], control: paying
            ) { parts, _ in
                parts.readDates { $0.contains("T") && $0.dropLast().suffix(4).first != "." ? nil : $0 }
            },
            Mutant("ignores-offsets", "ignores the offset of an instant", killedBy: ["data.offset-dates"], control: paying) { parts, _ in
                parts.readDates { $0.contains("T") ? String($0.prefix(19)) + "Z" : $0 }
            },
            Mutant(
                "day-in-utc", "shows the date in UTC", killedBy: ["data.day-in-device-zone", "data.offset-dates"]
            ) { parts, start in
                parts.adapter = KnownBanks.adapter(start.bank, Reading(timeZone: .gmt), clock: parts.caller.clock) ?? parts.adapter
            },
            Mutant("rolls-days-over", "rolls nonexistent days over into the next month", killedBy: ["data.impossible-dates-dropped"]) {
                parts, _ in
                parts.readDates(rolledOver)
            },
            Mutant("rolls-seconds-over", "rolls the second 60 over into the next minute", killedBy: ["data.second-60"], control: paying) {
                parts, _ in
                parts.readDates { text in
                    guard let at = text.range(of: ":60"),
                        at.upperBound == text.index(text.startIndex, offsetBy: 19, limitedBy: text.endIndex),
                        let instant = Instant(rfc3339: text.replacingCharacters(in: at, with: ":59"))
                    else { return text }
                    return (instant + .seconds(1)).rfc3339(.milliseconds)
                }
            },
            Mutant("years-of-two-digits", "reads a year of two digits as one of this century", killedBy: ["data.two-digit-year"]) {
                parts, _ in
                parts.readDates { text in
                    let parts = text.split(separator: "/")
                    return parts.count == 3 && parts[2].count == 2 ? "\(parts[0])/\(parts[1])/20\(parts[2])" : text
                }
            },
            Mutant(
                "demands-the-zero", "skips dates without leading zeros", killedBy: ["data.day-without-zero"],
                control: paying
            ) {
                parts, _ in
                parts.readDates { $0.contains("/") && $0.prefix(2).last == "/" ? nil : $0 }
            },
            Mutant(
                "day-is-its-midnight", "makes a day the instant of its midnight, and drops days without one",
                killedBy: ["data.midnight-gap-zones"]
            ) { parts, start in
                let zone = TimeZone(identifier: start.timeZone) ?? .gmt
                parts.showRows { rows in rows.filter { $0.date.hasMidnight(in: zone) } }
            },
            Mutant(
                "loses-the-seconds", "reads instants to the minute: of rows with one id the newest may lose",
                killedBy: ["data.newest-of-duplicates"], control: paying
            ) { parts, _ in
                parts.readDates { text in text.contains("T") ? String(text.prefix(17)) + "00Z" : text }
            },
            amounts(
                "double-amounts", "computes amounts in binary floating point of 64 bits",
                killedBy: ["data.exact-sum", "data.large-amounts", "data.big-minor-units"], DoubleAmounts()),
            amounts(
                "always-a-hundred", "divides by a hundred whatever the currency", killedBy: ["data.currency-digits"],
                AlwaysAHundred()),
        ]
    }

    private static func amounts(_ name: String, _ mistake: String, killedBy: [String], _ amounts: any AmountReading) -> Mutant {
        Mutant(name, mistake, killedBy: killedBy, control: paying) { parts, start in
            let reading = Reading(amounts: amounts, timeZone: TimeZone(identifier: start.timeZone) ?? .gmt)
            parts.adapter = KnownBanks.adapter(start.bank, reading, clock: parts.caller.clock) ?? parts.adapter
        }
    }

    /// `2026-02-30` as `2026-03-02`, and so with all that follows it; `30/02/2026` likewise.
    private static func rolledOver(_ text: String) -> String? {
        if text.contains("/") {
            let fields = text.split(separator: "/").compactMap { Int($0) }
            guard fields.count == 3, let day = rolled(fields[2], fields[1], fields[0]) else { return text }
            return [day.day, day.month].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "/") + "/\(day.year)"
        }
        let fields = text.prefix(10).split(separator: "-").compactMap { Int($0) }
        guard fields.count == 3, let day = rolled(fields[0], fields[1], fields[2]) else { return text }
        return day.description + text.dropFirst(10)
    }

    private static func rolled(_ year: Int, _ month: Int, _ day: Int) -> CivilDate? {
        let first = CivilDate(year: year + (month - 1) / 12, month: (month - 1) % 12 + 1, day: 1)
        return first.map { CivilDate(daysSinceEpoch: $0.daysSinceEpoch + day - 1) }
    }
}

extension ClientParts {
    /// Changes the texts of dates as they are read; nil leaves the row out.
    fileprivate mutating func readDates(_ change: @escaping @Sendable (String) -> String?) {
        readRows { row throws(ClientFailure) in
            row.changingTexts(["booked_at", "transactionTime", "date", "effectiveDate"], change)
        }
    }
}

extension CivilDate {
    /// False where the clocks go forward at midnight.
    fileprivate func hasMidnight(in zone: TimeZone) -> Bool {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let date = calendar.date(from: DateComponents(year: year, month: month, day: day))
        return date.map { calendar.component(.hour, from: $0) == 0 } ?? false
    }
}

private struct DoubleAmounts: AmountReading {
    func money(major: JSONNumber, _ currency: Currency) -> Money? {
        money((major.double * Double(currency.minorPerMajor)).rounded(), currency)
    }

    func money(minor: JSONNumber, _ currency: Currency) -> Money? { money(minor.double.rounded(), currency) }

    private func money(_ units: Double, _ currency: Currency) -> Money? {
        Int64(exactly: units).map { Money(minorUnits: $0, currency: currency) }
    }
}

private struct AlwaysAHundred: AmountReading {
    func money(major: JSONNumber, _ currency: Currency) -> Money? {
        let units = (major.double * 100).rounded()
        return Int64(exactly: units).map { Money(minorUnits: $0, currency: currency) }
    }

    func money(minor: JSONNumber, _ currency: Currency) -> Money? {
        guard let units = minor.int64 else { return nil }
        return Money(minorUnits: units / 100 * Int64(currency.minorPerMajor), currency: currency)
    }
}
