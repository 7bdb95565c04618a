import BankCore
import BankFiles
import BankModel
import Testing

/// The plain amounts of each bank show the common mistakes with money: binary floating point of 32 and of 64 bits, cut off, and sums in it.
@Suite struct PlainAmountTests {
    @Test(arguments: ShippedBanksTests.tested)
    func `an amount that is cut off after binary floating point of 64 bits is another`(_ bank: String) throws {
        #expect(try amounts(bank).contains { cut($0, as: Double.self) != $0.minorUnits })
    }

    @Test(arguments: ShippedBanksTests.tested)
    func `an amount in binary floating point of 32 bits is another`(_ bank: String) throws {
        #expect(try amounts(bank).contains { cut($0, as: Float.self) != $0.minorUnits })
    }

    /// The sum is that of the whole list if the bank shows none: an app may add totals by day or by month.
    @Test(arguments: ShippedBanksTests.tested)
    func `a sum in binary floating point of 64 bits is another, from either end`(_ bank: String) throws {
        for added in [try summands(bank), try summands(bank).reversed()] {
            let whole = Double(try #require(added.first).currency.minorPerMajor)
            let sum = added.reduce(0.0) { $0 + (Double($1.major) ?? .nan) }

            #expect(Int64(sum * whole) != added.reduce(0) { $0 + $1.minorUnits })
        }
    }

    private func cut<Number: BinaryFloatingPoint & LosslessStringConvertible>(_ amount: Money, as type: Number.Type) -> Int64? {
        type.init(amount.major).flatMap { Int64(exactly: ($0 * Number(amount.currency.minorPerMajor)).rounded(.towardZero)) }
    }

    /// The amounts of the list that a client shows of the customer who signs in by default.
    private func amounts(_ bank: String) throws -> [Money] { try rows(bank).compactMap { try money($0["amount"] ?? $0["balance"], $0) } }

    /// The amounts that a client adds: amounts and fees to a balance, the purchases of a week to a round-up, else the list.
    private func summands(_ bank: String) throws -> [Money] {
        switch bank {
        case "bins":
            var caller = try Caller(Shipped.library.load(bank).bank, login: nil)
            return try (caller.get("/bins/1a30k8").array ?? []).flatMap { [$0["amount"], $0["fee"]] }.compactMap { try money($0, .null) }
        case "counterfoil", "roundup":
            let week = CivilDate(daysSinceEpoch: start.date.daysSinceEpoch - 7)
            let purchases = try rows(bank).filter { (row: JSON) -> Bool in
                guard let text = row["date"]?.string, let day = CivilDate(text), row["pending"] != true else { return false }
                return day >= week && row["amount"]?.string?.hasPrefix("-") == true
            }
            return try purchases.compactMap { (row: JSON) -> Money? in
                let amount = try money(row["amount"], row)
                let whole = amount.currency.minorPerMajor
                return Money(minorUnits: (whole + amount.minorUnits % whole) % whole, currency: amount.currency)
            }
        default: return try amounts(bank)
        }
    }

    private var start: Instant { Instant(seconds: 1_763_553_600) }

    /// The rows of the expected view of transactions, or of accounts where there is none.
    private func rows(_ name: String) throws -> [JSON] {
        let loaded = try Shipped.library.load(name)
        let expected = try #require(loaded.expected)
        let login = loaded.bank.customers.first?.login ?? "anyone"
        for operation in ["transactions", "accounts"] {
            if let view = expected.view(customer: login, operation: operation, start: start, secondsEast: { _ in 0 }) {
                return view[operation]?.array ?? []
            }
        }
        return []
    }

    /// An amount of a row; in euros where nothing states a currency.
    private func money(_ amount: JSON?, _ row: JSON) throws -> Money {
        let currency = try #require(Currency(row["currency"]?.string ?? "EUR"))
        return try Money(major: try #require(amount?.number ?? amount?.string.flatMap(JSONNumber.init)), currency: currency)
    }
}
