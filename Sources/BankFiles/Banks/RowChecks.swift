import BankCore
import BankModel

/// Checks a fixture's rows: keys, dates, amounts. What a bank says is dirty on purpose is left alone.
struct RowChecks {
    let table: Table
    let file: String
    let dirty: Set<String>
    let complaints: Complaints

    func run() {
        checkKeys()
        checkDates()
        if let holds = table.holds { checkBalances(holds) }
        if !dirty.contains("amount") { checkMoney() }
    }

    private func complain(_ row: Int, _ message: String) {
        complaints.add("row \(row + 1): \(message)", at: Place(file: file, line: 1, column: 1))
    }

    private func checkKeys() {
        var seen: Set<String> = []
        for (index, row) in table.rows.enumerated() {
            guard let key = row[table.key]?.plainText, !key.isEmpty else {
                complain(index, "found no \(table.key), expected the row's key there")
                continue
            }
            if !seen.insert(key).inserted, !dirty.contains("key") {
                complain(index, "found the key `\(key)` a second time, expected each once (or `dirty: [key]` in bank.yaml)")
            }
        }
    }

    private func checkDates() {
        for field in table.relativeDates.keys.sorted() {
            var relative = 0
            var absolute = 0
            for (index, row) in table.rows.enumerated() {
                guard let value = JSON.object(row).at(field), value != .null else { continue }
                let text = value.plainText
                if text.hasPrefix("@") {
                    relative += 1
                    if RelativeDate(text) == nil { complain(index, "found \(field) `\(text)`, expected a relative date such as @-3d09:15") }
                } else {
                    absolute += 1
                    if !isDate(text), !dirty.contains("date") {
                        complain(index, "found \(field) `\(text)`, expected a date such as 2026-01-12T09:15:00Z (or `dirty: [date]` in bank.yaml)")
                    }
                }
            }
            if relative > 0, absolute > 0 {
                complaints.add(
                    "found \(relative) relative and \(absolute) absolute dates in \(field), expected all of one kind: their order would change from day to day",
                    at: Place(file: file, line: 1, column: 1))
            }
        }
    }

    private func isDate(_ text: String) -> Bool {
        if Instant(rfc3339: text) != nil || CivilDate(text) != nil { return true }
        let parts = text.split(separator: "/").compactMap { Int($0) }
        return parts.count == 3 && CivilDate(year: parts[2], month: parts[1], day: parts[0]) != nil
    }

    private func checkBalances(_ holds: Table.Holds) {
        for (index, row) in table.rows.enumerated() {
            let currency = holds.currency.flatMap { JSON.object(row).at($0)?.string }.flatMap(Currency.init) ?? holds.fixedCurrency
            guard let currency else {
                complain(index, "found no currency at \(holds.currency ?? ""), expected an ISO 4217 code such as GBP")
                continue
            }
            for path in holds.amounts {
                guard let value = JSON.object(row).at(path) else { continue }
                if holds.unit.amount(value, currency) == nil {
                    complain(index, "found \(path) \(value), expected an amount in \(holds.unit.rawValue) units with at most \(currency.digits) digits after the point, as \(currency) has")
                }
            }
        }
    }

    /// Every `{amount, currency}` and `{minorUnits, currency}` must be an amount of that currency.
    private func checkMoney() {
        for (index, row) in table.rows.enumerated() { checkMoney(.object(row), at: "", row: index) }
    }

    private func checkMoney(_ value: JSON, at path: String, row: Int) {
        switch value {
        case .array(let elements): for element in elements { checkMoney(element, at: path, row: row) }
        case .object(let object):
            for member in object.members { checkMoney(member.value, at: path.isEmpty ? member.key : "\(path).\(member.key)", row: row) }
            guard let currency = object["currency"]?.string.flatMap(Currency.init), let text = object["amount"]?.string else { return }
            do throws(MoneyError) { _ = try Money(major: text, currency: currency) } catch {
                complain(row, "\(path.isEmpty ? "amount" : path): \(error)")
            }
        default: break
        }
    }
}
