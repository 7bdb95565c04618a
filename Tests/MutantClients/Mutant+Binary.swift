import BankClient
import BankModel
import DriverProtocol
import Foundation

/// Mistakes with money in binary floating point. The plain data of every bank are such that each mistake shows.
extension Mutant {
    static var binaryAmounts: [Mutant] {
        [
            Mutant(
                "float-amounts", "computes amounts in binary floating point of 32 bits", killedBy: everywhere, control: paying
            ) { parts, start in
                parts.readAmounts(BinaryAmounts<Float>(), start)
            },
            Mutant(
                "double-amounts-cut",
                "computes amounts in binary floating point of 64 bits, and cuts the rest off: 19.99 is shown as 19.98",
                killedBy: everywhere, control: paying
            ) { parts, start in
                parts.readAmounts(BinaryAmounts<Double>(), start)
            },
            Mutant(
                "double-sums-cut", "adds exact amounts in binary floating point of 64 bits, and cuts the rest of the sum off",
                killedBy: ["data.exact-amounts@bins", "roundup.sum@roundup", "roundup.sum@counterfoil"], control: paying
            ) { parts, _ in
                parts.read { json throws(ClientFailure) in BinarySum.ofList(json) ?? json }
                parts.roundUpRows(BinarySum.ofPurchases)
                parts.roundUpRules.missing = { $0.minorUnits }
            },
        ]
    }

    /// The case of the plain data, on each bank that shows amounts.
    private static let everywhere = ["counterfoil", "roundup", "bins", "snapshot", "feed", "login", "openbanking", "berlin"].map {
        "data.exact-amounts@\($0)"
    }
}

extension ClientParts {
    fileprivate mutating func readAmounts(_ amounts: any AmountReading, _ start: CaseStart) {
        let reading = Reading(amounts: amounts, timeZone: TimeZone(identifier: start.timeZone) ?? .gmt)
        adapter = KnownBanks.adapter(start.bank, reading) ?? adapter
    }
}

/// Amounts are read as binary numbers, and what is beyond their last digit is cut off.
private struct BinaryAmounts<Number: BinaryFloatingPoint & LosslessStringConvertible & Sendable>: AmountReading {
    func money(major: JSONNumber, _ currency: Currency) -> Money? { Number(major.digits).flatMap { money($0, currency) } }

    func money(minor: JSONNumber, _ currency: Currency) -> Money? {
        Number(minor.digits).flatMap { money($0 / Number(currency.minorPerMajor), currency) }
    }

    private func money(_ value: Number, _ currency: Currency) -> Money? {
        Int64(exactly: (value * Number(currency.minorPerMajor)).rounded(.towardZero)).map { Money(minorUnits: $0, currency: currency) }
    }
}

/// Sums of exact amounts, added as doubles.
private enum BinarySum {
    /// The list of the bank `bins` as a single row, the sum of its amounts and fees; nil for anything else.
    static func ofList(_ json: JSON) -> JSON? {
        guard let rows = json.array, rows.contains(where: { $0["fee"] != nil }), let euro = Currency("EUR") else { return nil }
        let sum = rows.flatMap { [$0["amount"], $0["fee"]] }.compactMap { $0?.number?.double }.reduce(0, +)
        let shown = Money(minorUnits: Int64(sum * Double(euro.minorPerMajor)), currency: euro)
        return [["id": 1, "date": "2026-01-12T10:30:00.000Z", "amount": JSONNumber(shown.major).map(JSON.number) ?? .null]]
    }

    /// The purchases of a round-up as a single one, whose amount is what is moved.
    @Sendable static func ofPurchases(_ rows: [RoundUpRow], _ period: Period) -> [RoundUpRow] {
        let counted = rows.filter { $0.isOutgoing && $0.isSettled && !$0.isInternal && period.contains($0.at) }
        guard var total = counted.first else { return [] }
        let whole = total.amount.currency.minorPerMajor
        let sum = counted.reduce(0.0) { $0 + Double((whole - $1.amount.minorUnits % whole) % whole) / Double(whole) }
        total.amount = Money(minorUnits: Int64(sum * Double(whole)), currency: total.amount.currency)
        return [total]
    }
}
