import BankCore
import BankModel

/// Where the rows of a table hold money.
enum DescribedHoldings {
    private static let names = [
        "availablebalance", "effectivebalance", "clearedbalance", "currentbalance", "balance", "current", "available", "amount",
        "totalbalance", "accountbalance", "balanceamount",
    ]

    /// `holds` of the table; nil if no member of every row is a balance with a currency.
    ///
    /// - Parameter isMinor: whether whole numbers are minor units.
    static func holds(_ table: DescribedTables.DescribedTable, isMinor: Bool = false) -> JSON? {
        guard let row = table.rows.first, let (steps, found) = location(row, []), let currency = currencyPath(row, beside: steps) else {
            return nil
        }
        let path = steps.joined(separator: ".")
        let isWhole = table.rows.allSatisfy { $0.at(path)?.number?.digits.contains(".") == false }
        let unit = found == .number && isMinor && isWhole ? AmountUnit.minor : found
        let amounts = table.rows.compactMap { $0.amount(path, unit, in: currency) }
        guard amounts.count == table.rows.count else { return nil }
        let paths = [path] + others(table, steps, unit, currency)
        // A payment beyond the balance is rejected, as patterns of amounts without a sign demand. An overdrawn example has another limit.
        let hasLowest = amounts.allSatisfy { $0.minorUnits >= 0 }
        return .object(known: [
            "amounts": .array(paths.map(JSON.string)), "currency": .string(currency), "unit": .string(unit.rawValue),
            "lowest": hasLowest ? "0" : nil,
        ])
    }

    /// The balances beside it, which a payment changes too: what is available, and the total.
    private static func others(
        _ table: DescribedTables.DescribedTable, _ steps: [String], _ unit: AmountUnit, _ currency: String
    ) -> [String] {
        func isBalance(_ name: String) -> Bool { name != "amount" && names.contains(DescribedName.plain(name)) }
        guard let index = steps.firstIndex(where: isBalance), let row = table.rows.first else { return [] }
        let object = index == 0 ? row : row.at(steps[..<index].joined(separator: "."))?.object
        let beside = (object?.keys ?? []).filter { $0 != steps[index] && isBalance($0) }
        let paths = beside.map { name in steps.enumerated().map { $0 == index ? name : $1 }.joined(separator: ".") }
        return paths.filter { path in table.rows.allSatisfy { $0.amount(path, unit, in: currency) != nil } }
    }

    /// The table with the accounts' money: the accounts, or a list with one balance of each. Nil if there is none.
    static func table(_ owned: OwnedRows, _ accounts: Int, isMinor: Bool) -> Int? {
        if holds(owned.found[accounts], isMinor: isMinor) != nil { return accounts }
        return owned.found.indices.first { index in
            let table = owned.found[index]
            return table.parent?.table == accounts && table.key == table.parent?.field && holds(table, isMinor: isMinor) != nil
        }
    }

    /// The currency of the first row's money.
    static func currency(_ table: DescribedTables.DescribedTable) -> String? {
        guard let row = table.rows.first, let (path, _) = location(row, []), let currency = currencyPath(row, beside: path) else {
            return nil
        }
        return row.at(currency)?.string
    }

    /// The first balance in the row: a number, a decimal text, or an object with one.
    private static func location(_ row: JSONObject, _ above: [String]) -> (path: [String], unit: AmountUnit)? {
        for name in names {
            guard let member = row.members.first(where: { DescribedName.plain($0.key) == name && !$0.key.hasPrefix("_") }) else { continue }
            let path = above + [member.key]
            switch member.value {
            case .number(let number): return (path, number.digits.contains(".") || !isMinor(member.key) ? .number : .minor)
            case .string(let text) where JSONNumber(text) != nil: return (path, .major)
            case .object(let object):
                if let units = object.members.first(where: { DescribedName.plain($0.key) == "minorunits" }), units.value.number != nil {
                    return (path + [units.key], .minor)
                }
                if let value = object.members.first(where: { ["value", "amount"].contains(DescribedName.plain($0.key)) }) {
                    if value.value.number != nil { return (path + [value.key], .number) }
                    if value.value.string.flatMap(JSONNumber.init) != nil { return (path + [value.key], .major) }
                }
                if let inner = location(object, path) { return inner }
            default: break
            }
        }
        // `attributes` of JSON:API.
        let wrappers = ["balances", "attributes"]
        guard above.isEmpty,
            let inner = row.members.first(where: { wrappers.contains(DescribedName.plain($0.key)) && $0.value.object != nil }),
            let object = inner.value.object
        else { return nil }
        return location(object, [inner.key])
    }

    private static func isMinor(_ name: String) -> Bool { name.lowercased().contains("minor") }

    /// The dotted path of the currency: beside the amount, or of the whole row.
    private static func currencyPath(_ row: JSONObject, beside path: [String]) -> String? {
        for length in stride(from: path.count - 1, through: 0, by: -1) {
            let above = path.prefix(length)
            let object = above.isEmpty ? row : row.at(above.joined(separator: "."))?.object
            for member in object?.members ?? []
            where ["currency", "currencycode", "isocurrencycode", "currencyiso"].contains(DescribedName.plain(member.key)) {
                if member.value.string.flatMap(Currency.init) != nil { return (above + [member.key]).joined(separator: ".") }
            }
        }
        return nil
    }
}

extension JSONObject {
    /// The amount at a dotted path, in the currency at another; nil if one of them is not there or cannot be read.
    func amount(_ path: String, _ unit: AmountUnit, in currency: String) -> Money? {
        at(currency)?.string.flatMap(Currency.init).flatMap { code in at(path).flatMap { unit.amount($0, code) } }
    }
}
