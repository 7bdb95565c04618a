import BankCore
import BankEngine
public import BankModel
import StubServer

extension StubBank {
    /// Sets data of the bank, as if its files had it, until the bank is reset.
    ///
    /// ```swift
    /// try bank.arrange {
    ///     $0.account("ava-gbp").balance = "10.00 GBP"
    ///     $0.account("ava-gbp").transactions.append(count: 500)
    ///     $0.table("payees").append(["id": "payee-rent", "name": "Rent"])
    /// }
    /// ```
    ///
    /// Nothing changes if there is a mistake. The next request sees the data; transactions do not change a balance.
    ///
    /// - Parameter change: sets data.
    /// - Throws: ``StubBankError/Code/invalidData`` with every mistake: an unknown account, table or field, or an amount in another
    ///   currency; or ``StubBankError`` after the bank's end.
    public func arrange(_ change: (Arrangement) -> Void) throws(StubBankError) {
        let session = try live()
        let arrangement = Arrangement(session.settledState)
        change(arrangement)
        guard arrangement.mistakes.isEmpty else {
            throw StubBankError(.invalidData, arrangement.mistakes.joined(separator: "\n"))
        }
        adopt(arrangement.bank, in: session)
    }

    /// The data of a bank while ``StubBank/arrange(_:)`` changes it.
    public final class Arrangement {
        fileprivate private(set) var mistakes: [String] = []
        fileprivate var bank: Bank
        private let state: SessionState

        fileprivate init(_ state: SessionState) {
            self.state = state
            bank = state.bank
        }

        fileprivate func note(_ mistake: String) { if !mistakes.contains(mistake) { mistakes.append(mistake) } }

        /// An account, or another row that holds money.
        ///
        /// - Parameter id: the row's id, such as `ava-gbp`; with its table if two tables have that id: `accounts/ava-gbp`.
        public func account(_ id: String) -> Account {
            let found = bank.tables.values.filter { $0.holds != nil || $0.isOwned }.sorted { $0.name < $1.name }.compactMap { table in
                let key = id.hasPrefix("\(table.name)/") ? String(id.dropFirst(table.name.count + 1)) : id
                return table.rows.rows(of: key, in: table.key).first.map { (table.name, key, $0) }
            }
            if found.isEmpty {
                let known = bank.tables.values.filter { $0.holds != nil || $0.isOwned }.flatMap { table in
                    table.rows.prefix(1000).compactMap { $0[table.key]?.plainText }
                }
                note(
                    "found the account \"\(id)\", expected the id of an account of the bank \"\(bank.name)\""
                        + didYouMean(id, among: known))
            } else if found.count > 1 {
                note("found \"\(id)\" in several tables, expected one of \(oneOf(found.map { "\"\($0.0)/\($0.1)\"" }))")
            }
            return Account(arrangement: self, id: id, location: found.count == 1 ? found.first : nil)
        }

        /// The rows of a table of the bank's files.
        ///
        /// - Parameter name: the table's name in `bank.yaml`, such as `payees`.
        public func table(_ name: String) -> Rows {
            if bank.tables[name] == nil {
                let known = bank.tables.keys.sorted()
                note("found the table \"\(name)\", expected \(oneOf(known)) of the bank \"\(bank.name)\"\(didYouMean(name, among: known))")
            }
            return Rows(arrangement: self, table: bank.tables[name] == nil ? nil : name, owner: nil)
        }

        /// The sum by which movements have changed the money of an account that can be spent.
        fileprivate func spendableChange(_ account: BankModel.Movement.Account, opening: Money) -> Int64 {
            state.spendable(account).map { $0.minorUnits &- opening.minorUnits } ?? 0
        }
    }
}

extension StubBank.Arrangement {
    /// An account whose data is changed.
    public struct Account {
        fileprivate let arrangement: StubBank.Arrangement
        fileprivate let id: String
        /// Table, key and row; nil for an account that is unknown.
        fileprivate let location: (table: String, key: String, row: Int)?

        /// The money that the account can spend: `10.00 GBP`. The currency stays the same.
        public var balance: String {
            get { location.flatMap { arrangement.opening($0.table, $0.row) }.map { "\($0.major) \($0.currency.code)" } ?? "" }
            nonmutating set { if let location { arrangement.setBalance(newValue, of: id, location.table, location.key, location.row) } }
        }

        /// The account's transactions: the rows that the operations of the role `transactions` list.
        public var transactions: Rows {
            guard let location else { return Rows(arrangement: arrangement, table: nil, owner: nil) }
            for table in arrangement.bank.listed(by: .transactions) {
                guard case .row(let field, location.table) = table.belongs else { continue }
                return Rows(arrangement: arrangement, table: table.name, owner: (field, location.key))
            }
            arrangement.note(
                "found transactions of the account \"\(id)\", expected them at a bank whose transactions belong to accounts; "
                    + "the bank \"\(arrangement.bank.name)\" has the tables \(arrangement.bank.tables.keys.sorted().joined(separator: ", "))"
            )
            return Rows(arrangement: arrangement, table: nil, owner: nil)
        }
    }

    /// Rows of one table, all of them or those of one account.
    public struct Rows {
        fileprivate let arrangement: StubBank.Arrangement
        /// Nil if there is no such table.
        fileprivate let table: String?
        fileprivate let owner: (field: String, key: String)?

        /// The number of the rows.
        public var count: Int { arrangement.rows(self).count }

        /// Adds copies of the existing rows, each with a new id and a day older than the one before. An account
        /// without rows gets copies of another one's, if possible in its currency.
        public func append(count: Int) { arrangement.append(self, count: count, []) }

        /// Adds a row: a copy of the first one with these fields.
        ///
        /// - Parameter fields: values by their names, or by dotted paths such as `amount.amount`.
        public func append(_ fields: KeyValuePairs<String, JSON>) {
            arrangement.append(self, count: 1, fields.map { ($0.key, $0.value) })
        }

        /// Removes the rows.
        public func removeAll() { arrangement.removeAll(self) }
    }
}

// MARK: changes

extension StubBank.Arrangement {
    fileprivate func opening(_ name: String, _ row: Int) -> Money? {
        guard let table = bank.tables[name], let holds = table.holds, let path = holds.amounts.first else { return nil }
        guard let currency = holds.currency(of: table.rows[row]) else { return nil }
        return table.rows[row].at(path).flatMap { holds.unit.amount($0, currency) }
    }

    fileprivate func setBalance(_ text: String, of id: String, _ name: String, _ key: String, _ row: Int) {
        guard let table = bank.tables[name], let holds = table.holds, let opening = opening(name, row) else {
            return note("found a balance for \"\(id)\", expected an account that holds money at the bank \"\(bank.name)\"")
        }
        let parts = text.split(separator: " ")
        guard parts.count == 2, parts[1] == opening.currency.code,
            let wanted = try? Money(major: String(parts[0]), currency: opening.currency)
        else {
            return note(
                "found the balance \"\(text)\" for \"\(id)\", expected an amount such as \"\(opening.major) \(opening.currency.code)\"")
        }
        let change = spendableChange(BankModel.Movement.Account(table: name, id: key), opening: opening)
        let (units, overflow) = wanted.minorUnits.subtractingReportingOverflow(change)
        guard !overflow else { return note("found the balance \"\(text)\" for \"\(id)\", expected one that fits 64 bits") }
        var rows = Array(table.rows)
        for path in holds.amounts + holds.settled {
            rows[row].set(holds.unit.json(Money(minorUnits: units, currency: opening.currency), like: rows[row].at(path)), at: path)
        }
        bank.tables[name]?.rows = TableRows(rows)
    }

    fileprivate func rows(_ part: Rows) -> [JSONObject] {
        guard let table = part.table.flatMap({ bank.tables[$0] }) else { return [] }
        return table.rows.filter(part.includes)
    }

    fileprivate func removeAll(_ part: Rows) {
        guard let table = part.table.flatMap({ bank.tables[$0] }) else { return }
        bank.tables[table.name]?.rows = TableRows(table.rows.filter { !part.includes($0) })
    }

    fileprivate func append(_ part: Rows, count: Int, _ fields: [(key: String, value: JSON)]) {
        guard let table = part.table.flatMap({ bank.tables[$0] }) else { return }
        guard count >= 0 else { return note("found append(count: \(count)) to the table \"\(table.name)\", expected zero or more rows") }
        let all = Array(table.rows)
        let models = models(for: part, in: all, table)
        if models.isEmpty, fields.isEmpty, count > 0 {
            return note("found no row to copy in the table \"\(table.name)\", expected one, or append(_:) with the fields of a row")
        }
        for field in fields where !all.isEmpty && !all.contains(where: { $0.at(field.key) != nil }) {
            let known = all.first?.keys ?? []
            note(
                "found the field \"\(field.key)\" for the table \"\(table.name)\", expected a field of its rows: \(oneOf(known))"
                    + didYouMean(field.key, among: known))
        }
        var keys = Set(all.compactMap { $0[table.key]?.plainText })
        var added: [JSONObject] = []
        var number = all.count
        for index in 0..<count {
            var row = models.isEmpty ? JSONObject() : models[index % models.count]
            if !models.isEmpty { row.age(by: index / models.count + 1, table.relativeDates.keys) }
            if let owner = part.owner { row.set(.string(owner.key), at: owner.field) }
            repeat {
                number += 1
                row[table.key] = freshKey(number, like: row[table.key])
            } while !keys.insert(row[table.key]?.plainText ?? "").inserted
            for field in fields { row.set(field.value, at: field.key) }
            added.append(row)
        }
        bank.tables[table.name]?.rows = TableRows(all + added)
    }

    /// The rows that new ones are copies of: the part's own, or else others', if possible in the owner's currency.
    private func models(for part: Rows, in all: [JSONObject], _ table: Table) -> [JSONObject] {
        let own = all.filter(part.includes)
        guard own.isEmpty, let owner = part.owner, case .row(_, let parent) = table.belongs, let parents = bank.tables[parent] else {
            return own
        }
        guard let row = parents.rows.rows(of: owner.key, in: parents.key).first,
            let currency = parents.holds?.currency(of: parents.rows[row])
        else { return all }
        let alike = all.filter { JSON.object($0).text.contains("\"\(currency.code)\"") }
        return alike.isEmpty ? all : alike
    }

    /// A new key in the form of another.
    private func freshKey(_ number: Int, like key: JSON?) -> JSON {
        if case .number = key { return .int(number) }
        let text = key?.plainText ?? ""
        let isUUID = text.utf8.count == 36 && text.split(separator: "-").count == 5
        let digits = String(number)
        return .string(
            isUUID
                ? "a44a0000-0000-4000-8000-" + String(repeating: "0", count: max(0, 12 - digits.utf8.count)) + digits : "arranged-\(digits)"
        )
    }
}

extension StubBank.Arrangement.Rows {
    fileprivate func includes(_ row: JSONObject) -> Bool { owner.map { row.at($0.field)?.plainText == $0.key } ?? true }
}

extension Table {
    fileprivate var isOwned: Bool { if case .owner = belongs { true } else { false } }
}

extension Table.Holds {
    fileprivate func currency(of row: JSONObject) -> Currency? {
        currency.flatMap { row.at($0)?.string }.flatMap(Currency.init) ?? fixedCurrency
    }
}

extension Bank {
    /// The tables whose rows the operations of a role list.
    fileprivate func listed(by role: Role) -> [Table] {
        operations(of: role).flatMap { operation in
            if case .json(let template) = operation.response { template.lists.map(\.table) } else { [String]() }
        }.compactMap { tables[$0] }
    }
}

extension JSONObject {
    /// Moves dates that follow the session back by days.
    fileprivate mutating func age(by days: Int, _ paths: some Sequence<String>) {
        for path in paths {
            guard let text = at(path)?.string, let date = RelativeDate(text), let mark = text.firstIndex(of: "d") else { continue }
            set(.string("@\(date.days - days)\(text[mark...])"), at: path)
        }
    }
}
