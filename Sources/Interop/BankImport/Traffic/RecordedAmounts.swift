import BankCore
import BankModel
import Foundation

extension JSON {
    /// The plain decimal of at most 15 digits in a number or a text, so that amounts can be compared; nil for any other value.
    var exactDecimal: Decimal? {
        let text = string ?? number?.digits ?? ""
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), text.utf8.count <= 16, Int64(parts.joined()) != nil else { return nil }
        return Decimal(string: text)
    }

    /// The scalars of an object by their dotted paths.
    var leaves: [(path: String, value: JSON)] {
        object?.members.flatMap { name, value -> [(path: String, value: JSON)] in
            guard !name.contains(".") else { return [] }
            if value.object != nil { return value.leaves.map { ("\(name).\($0.path)", $0.value) } }
            return value.isContainer || value == .null ? [] : [(name, value)]
        } ?? []
    }
}

extension AmountUnit {
    /// A member's name, letters and digits only, without a unit behind the amount: `amount` of `amountinminorunits` and `amountcents`.
    static func withoutUnit(_ name: String) -> String {
        let units = ["minorunits", "minorunit", "minor", "cents", "pence"]
        guard let unit = units.first(where: name.hasSuffix), name != unit else { return name }
        let rest = name.dropLast(unit.count)
        return String(rest.hasSuffix("in") ? rest.dropLast(2) : rest)
    }

    /// How a recorded amount is written, by its value and the name of its member.
    static func of(_ amount: JSON, _ path: String) -> AmountUnit {
        guard let number = amount.number else { return .major }
        let name = RecordedExchange.plain(path)
        let isWhole = number.int64 != nil && !number.digits.contains(".")
        return isWhole && ["minor", "cents", "pence"].contains(where: name.contains) ? .minor : .number
    }
}

extension LearnedHolds {
    private static let balances = [
        "availablebalance", "available", "clearedbalance", "currentbalance", "balance", "effectivebalance", "saved",
    ]

    /// Whether the value at that path is a currency by its name and its form.
    static func isCurrency(_ path: String, _ value: JSON) -> Bool {
        let name = RecordedExchange.plain(path)
        return ["currency", "currencycode"].contains(where: name.hasSuffix) && value.string.flatMap(Currency.init) != nil
    }

    /// Finds the balance of rows by usual names; nil if there is none.
    init?(of rows: [JSONObject]) {
        guard let first = rows.first else { return nil }
        let leaves = JSON.object(first).leaves
        let found = leaves.filter { leaf in
            let steps = leaf.path.split(separator: ".").map { RecordedExchange.plain(String($0)) }
            // `attributes` of JSON:API.
            let words = steps.first == "attributes" ? Array(steps.dropFirst()) : steps
            let names = words.map(AmountUnit.withoutUnit)
            return names.first.map(LearnedHolds.balances.contains) ?? false
                && (names.count == 1 || names.count == 2 && ["amount", "value", "minorunits"].contains(names[1]))
        }
        let currency = leaves.first { LearnedHolds.isCurrency($0.path, $0.value) }
        let units = Set(
            found.map { leaf in
                rows.contains { $0.at(leaf.path)?.number?.digits.contains(".") ?? false }
                    ? .number : AmountUnit.of(leaf.value, leaf.path)
            })
        guard let currency, let unit = units.first, units.count == 1,
            rows.allSatisfy({ row in found.allSatisfy { row.amount($0.path, unit, in: currency.path) != nil } })
        else { return nil }
        self.init(amounts: found.map(\.path), currency: currency.path, unit: unit)
    }
}

/// Changes amounts of money a little, the same amount always to the same.
final class AmountJitter {
    private var pseudonyms: Pseudonyms
    private var known: [String: String] = [:]

    init(seed: UInt64) { pseudonyms = Pseudonyms(seed: seed &+ 1) }

    private static func isAmount(_ path: [String]) -> Bool {
        let name = AmountUnit.withoutUnit(RecordedExchange.plain(path.last ?? ""))
        let parent = RecordedExchange.plain(path.dropLast().last ?? "")
        return name.hasSuffix("amount") || name.hasSuffix("balance") || name == "minorunits"
            || name == "value" && (parent.hasSuffix("amount") || parent.hasSuffix("balance"))
    }

    func changed(_ bytes: [UInt8]) -> [UInt8] {
        JSONText.edited(bytes) { leaf in
            guard AmountJitter.isAmount(leaf.path), let text = leaf.value.string ?? leaf.value.number?.digits, let new = changed(text)
            else {
                return nil
            }
            return leaf.value.number == nil ? .string(new) : try? JSON(parsing: Array(new.utf8))
        } ?? bytes
    }

    func changed(_ json: JSON) -> JSON { (try? JSON(parsing: changed(json.bytes))) ?? json }

    /// The amount times a factor near 1, with as many digits after the point; nil if it is not a plain decimal.
    private func changed(_ text: String) -> String? {
        if let new = known[text] { return new }
        let sign = text.hasPrefix("-") ? "-" : ""
        let parts = text.dropFirst(sign.count).split(separator: ".", omittingEmptySubsequences: false)
        let digits = parts.joined()
        guard (1...2).contains(parts.count), (1...15).contains(digits.count), let units = Int(digits), digits.allSatisfy(\.isNumber) else {
            return nil
        }
        var plain = String(Int((Double(units) * pseudonyms.jitter()).rounded()))
        if parts.count == 2 {
            plain = String(repeating: "0", count: max(0, parts[1].count + 1 - plain.count)) + plain
            plain = plain.dropLast(parts[1].count) + "." + plain.suffix(parts[1].count)
        }
        known[text] = sign + plain
        return sign + plain
    }
}
