import BankClient
import BankModel
import DriverProtocol
import Foundation

/// Mistakes that only a user with another language and region meets: formatters, changes of case and calendars of the device.
extension Mutant {
    static var localised: [Mutant] {
        [
            Mutant(
                "comma-in-requests", "formats the amount of a request in the device's locale: 19,99",
                killedBy: ["locale.requests-in-plain-digits"], control: paying
            ) { parts, start in
                guard start.language == "de" else { return }
                parts.writesAmounts { $0.replacing(".", with: ",") }
            },
            Mutant(
                "arabic-digits-in-requests", "formats the amount of a request in the device's digits",
                killedBy: ["locale.requests-in-plain-digits"], control: paying
            ) { parts, start in
                guard start.language == "ar" else { return }
                parts.writesAmounts { text in
                    String(text.map { digit in digit.wholeNumberValue.map { arabicDigits[$0] } ?? digit })
                }
            },
            Mutant(
                "groups-in-requests", "sends an amount with its group separators: 12,34,567.89",
                killedBy: ["locale.requests-in-plain-digits"], control: paying
            ) { parts, start in
                guard start.language == "hi" else { return }
                parts.writesAmounts(grouped)
            },
            Mutant(
                "turkish-header-names", "lowercases header names by the rules of the device's language",
                killedBy: ["locale.header-names-are-ascii"], control: paying
            ) { parts, start in
                guard start.language == "tr" else { return }
                parts.around { request, base throws(TransportFailure) in
                    var request = request
                    var headers = HTTPHeaders()
                    for line in request.headers.lines { headers.append(line.name.replacing("I", with: "ı").lowercased(), line.value) }
                    request.headers = headers
                    return try await base.send(request)
                }
            },
            Mutant(
                "turkish-words", "lowercases the bank's words by the rules of the device's language before it compares them",
                killedBy: ["locale.words-of-the-bank-are-ascii"]
            ) { parts, start in
                guard start.language == "tr" else { return }
                parts.readRows { row throws(ClientFailure) in
                    row.with("direction") { word in
                        .string((word.string ?? "").replacing("I", with: "ı").replacing("i", with: "İ"))
                    }
                }
            },
            Mutant(
                "dates-of-the-device-calendar", "reads the bank's dates in the device's calendar",
                killedBy: ["locale.dates-in-the-agreed-calendar"]
            ) { parts, start in
                guard let years = start.yearsOfCalendar else { return }
                parts.showRows { rows in
                    rows.map { row in
                        var row = row
                        row.date = CivilDate(year: row.date.year - years, month: row.date.month, day: min(28, row.date.day)) ?? row.date
                        return row
                    }
                }
            },
            Mutant(
                "queries-of-the-device-calendar", "writes the dates of a query in the device's calendar",
                killedBy: ["locale.period-in-the-agreed-calendar", "locale.window-in-the-agreed-calendar"]
            ) { parts, start in
                guard let years = start.yearsOfCalendar else { return }
                parts.around { request, base throws(TransportFailure) in
                    var request = request
                    let parts = request.url.split(separator: "=", omittingEmptySubsequences: false).map { value in
                        guard value.dropFirst(4).first == "-", let year = Int(value.prefix(4)) else { return String(value) }
                        return "\(year + years)\(value.dropFirst(4))"
                    }
                    request.url = parts.joined(separator: "=")
                    return try await base.send(request)
                }
            },
        ]
    }

    private static let arabicDigits = Array("٠١٢٣٤٥٦٧٨٩")

    /// `1234567.89` as `12,34,567.89`.
    private static func grouped(_ amount: String) -> String {
        let whole = amount.prefix { $0 != "." }
        var groups = [String(whole.suffix(3))]
        var rest = whole.dropLast(3)
        while !rest.isEmpty {
            groups.insert(String(rest.suffix(2)), at: 0)
            rest = rest.dropLast(2)
        }
        return groups.joined(separator: ",") + amount.dropFirst(whole.count)
    }
}

extension CaseStart {
    /// `de` of `de_DE`; empty without a locale.
    fileprivate var language: String { String((locale ?? "").prefix { $0 != "_" }) }

    /// The number that the usual calendar there adds to a year; nil where it is the bank's own.
    fileprivate var yearsOfCalendar: Int? { ["th": 543, "fa": -621][language] }
}

extension ClientParts {
    /// Writes the amount of each payment in another way, at a bank that takes it as a text.
    fileprivate mutating func writesAmounts(_ change: @escaping @Sendable (String) -> String) {
        sends { entry in
            guard case .object(var body)? = try? JSON(parsing: entry.body), case .object(var amount)? = body["amount"],
                let text = amount["amount"]?.string
            else { return }
            amount["amount"] = .string(change(text))
            body["amount"] = .object(amount)
            entry.body = JSON.object(body).bytes
        }
    }
}
