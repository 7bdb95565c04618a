import BankModel
import Testing

@testable import BankGenerator

@Suite struct TransactionTests {
    /// A bank of three years, made once for all looks at it.
    private static let rows: [JSON] = (try? GeneratedFiles(9000).transactions) ?? []
    private static let accounts = Population(rows: 9000, seed: 7).accounts

    private func text(_ row: JSON, _ path: String) -> String { row.at(path)?.string ?? "" }

    private func date(_ row: JSON) -> CivilDate? { Instant(rfc3339: text(row, "booked_at"))?.date }

    @Test(arguments: [1, 2, 3, 10, 500, 4000], [false, true])
    func `half at least are of one account`(_ rows: Int, oddDates: Bool) throws {
        let made = try GeneratedFiles(rows, oddDates: oddDates).transactions

        #expect(made.count == rows)
        #expect(made.count { $0["_account"] == "ava-gbp" } * 2 >= rows)
    }

    @Test func `every account has some`() {
        let counts = Self.rows.reduce(into: [String: Int]()) { $0[text($1, "_account"), default: 0] += 1 }

        #expect(Set(counts.keys) == Set(Self.accounts.map(\.id)))
        #expect(counts.max { $0.value < $1.value }?.key == "ava-gbp")
    }

    @Test func `amounts are of the account's currency with its digits`() throws {
        let currencies = Dictionary(uniqueKeysWithValues: Self.accounts.map { ($0.id, $0.level.currency) })
        for row in Self.rows {
            for path in ["amount", "fee"] where row[path] != nil {
                let currency = try #require(Currency(text(row, "\(path).currency")))
                let money = try Money(major: text(row, "\(path).amount"), currency: currency)

                #expect(currency == currencies[text(row, "_account")])
                #expect(money.minorUnits > 0)
                #expect(money.major == text(row, "\(path).amount"))
            }
        }
        #expect(Set(currencies.values.map(\.digits)) == [0, 2, 3, 4])
    }

    @Test func `pending rows have no value date and are recent or replaced`() throws {
        let replaced = Set(Self.rows.compactMap { $0["replaces"]?.string })
        let pending = Self.rows.filter { $0["status"] == "pending" }

        #expect(pending.count > 20)
        for row in pending {
            let age = Calendar.newest.daysSinceEpoch - (try #require(date(row))).daysSinceEpoch
            #expect(row["value_date"] == nil)
            #expect(row["fee"] == nil)
            #expect(replaced.contains(text(row, "id")) || age < 2)
        }
        for row in Self.rows where row["status"] == "booked" { #expect(text(row, "value_date") == date(row)?.description) }
    }

    @Test func `a replaced row is an earlier pending one of the account`() throws {
        let byID = Dictionary(uniqueKeysWithValues: Self.rows.map { (text($0, "id"), $0) })
        let replacing = Self.rows.filter { $0["replaces"] != nil }

        #expect(replacing.count > 20)
        for row in replacing {
            let pending = try #require(byID[text(row, "replaces")])
            #expect(pending["status"] == "pending")
            #expect(pending["_account"] == row["_account"])
            #expect(pending["description"] == row["description"])
            #expect(text(pending, "booked_at") < text(row, "booked_at"))
        }
    }

    @Test(arguments: [("Salary, ", 11...31), ("Rent, ", 1...3)])
    func `salaries and rents come on workdays every month`(_ start: String, _ days: ClosedRange<Int>) throws {
        let dates = Self.rows.filter { $0["_account"] == "ava-gbp" && text($0, "description").hasPrefix(start) }.compactMap(date)

        #expect(dates.count > 30)
        #expect(dates.allSatisfy { !$0.isWeekend && days.contains($0.day) })
        for (later, earlier) in zip(dates, dates.dropFirst()) {
            #expect((25...35).contains(later.daysSinceEpoch - earlier.daysSinceEpoch), "\(later)")
        }
    }

    @Test func `Saturdays have more than Sundays`() {
        let days = Self.rows.compactMap(date).reduce(into: [Int: Int]()) { $0[$1.weekday, default: 0] += 1 }

        #expect(days[6, default: 0] * 10 > days[0, default: 0] * 15)
    }

    @Test func `cash comes from machines that there are`() {
        let machines = Set(CashMachine.all(rows: 9000, seed: 7).joined().map(\.id))
        let cash = Self.rows.filter { $0["kind"] == "cash" }

        #expect(cash.count > 100)
        #expect(cash.allSatisfy { machines.contains(text($0, "atm_id")) })
        #expect(cash.contains { $0["fee"] != nil })
    }

    @Test func `some descriptions have emoji`() {
        let count = Self.rows.count { text($0, "description").unicodeScalars.contains { $0.properties.isEmojiPresentation } }

        #expect(count * 100 > Self.rows.count)
        #expect(count * 4 < Self.rows.count)
        #expect(Set(Self.rows.map { text($0, "description") }).count > 500)
    }

    @Test func `every kind is there`() {
        #expect(Set(Self.rows.map { text($0, "kind") }) == ["card", "transfer", "internal", "fee", "cash"])
    }

    @Test func `odd dates are survivable or no dates`() throws {
        let rows = try GeneratedFiles(2000, oddDates: true).transactions
        let plain = try GeneratedFiles(2000).transactions

        let booked = rows.map { text($0, "booked_at") }
        let unreadable = booked.filter { Instant(rfc3339: $0) == nil }
        let otherwise = booked.filter { text in Instant(rfc3339: text).map { $0.rfc3339() != text } ?? false }
        let days = rows.compactMap { $0["value_date"]?.string }.filter { CivilDate($0) == nil }

        #expect(unreadable == Array(booked.prefix(20)))
        #expect(Set(unreadable).count == 20)
        #expect(otherwise.count > 40)
        #expect(Set(otherwise.map { String($0.dropFirst(19)) }).count == 7)
        #expect(days.count > 30)
        #expect(plain.allSatisfy { Instant(rfc3339: text($0, "booked_at"))?.rfc3339() == text($0, "booked_at") })
    }
}
