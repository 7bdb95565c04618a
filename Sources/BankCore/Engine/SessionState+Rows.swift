package import BankModel

extension SessionState {
    /// The first row with that key.
    func row(_ table: String, key: String) -> TableRow? { prepared.tables[table].flatMap { row($0, key: key) } }

    /// The first row with that key.
    func row(_ table: PreparedTable, key: String) -> TableRow? {
        if let added = inserted[table.table.name]?.row(key: key, at: present) { return added }
        return isHidden(key, of: table.table.name) ? nil : table.row(ofKey: key)
    }

    /// Whether the customer may see the row; a request without a customer sees the public tables.
    func isVisible(_ row: TableRow, of name: String, to customer: Customer?) -> Bool {
        prepared.tables[name].map { isVisible(row, of: $0, to: customer) } ?? true
    }

    /// Whether the customer may see the row; a request without a customer sees the public tables.
    func isVisible(_ row: TableRow, of table: PreparedTable, to customer: Customer?) -> Bool {
        guard let belongs = table.table.belongs else { return true }
        guard let customer else { return false }
        switch belongs {
        case .owner:
            if let limit = customer.limits[table.table.name] { return limit.contains(row.key) }
            return customer.owns[table.table.name]?.contains(row.key) ?? false || row.fields["_customer"]?.string == customer.login
        case .customer(let field):
            return row.fields.at(field)?.plainText == customer.login
        case .row(let field, let table):
            guard let key = row.fields.at(field)?.plainText, let parent = self.row(table, key: key) else { return false }
            return isVisible(parent, of: table, to: customer)
        }
    }

    /// The row as sent: dates resolved, the ledger's balance, absolute addresses, private fields left out.
    func rendered(_ row: TableRow, of name: String, only: [String]? = nil) -> JSON {
        guard let prepared = prepared.tables[name] else { return .object(row.fields.object) }
        var fields = row.fields.object
        for (path, style) in prepared.table.relativeDates {
            guard let text = fields.at(path)?.string, let date = RelativeDate(text) else { continue }
            fields.set(.string(style.text(date.instant(start: startedAt))), at: path)
        }
        for path in prepared.table.urls {
            guard let text = fields.at(path)?.string, text.hasPrefix("/") else { continue }
            fields.set(.string(baseURL + text), at: path)
        }
        if let holds = prepared.table.holds { show(holds, Movement.Account(table: name, id: row.key), in: &fields) }
        return .object(
            JSONObject(
                unique: fields.members.filter { member in
                    !member.key.hasPrefix("_") && (only?.contains(member.key) ?? true)
                }))
    }

    /// A row's field; a relative date is resolved.
    func field(_ path: String, of row: TableRow) -> JSON? { row.value(path, start: startedAt) }

    private func show(_ holds: Table.Holds, _ account: Movement.Account, in fields: inout JSONObject) {
        let (change, settled) = (ledger.change(of: account), ledger.settledChange(of: account))
        guard change != 0 || settled != 0, let currency = currency(holds, RowFields(fields)) else { return }
        for (path, change) in holds.amounts.map({ ($0, change) }) + holds.settled.map({ ($0, settled) }) {
            guard let shown = fields.at(path), let amount = holds.unit.amount(shown, currency),
                let sum = amount.adding(Money(minorUnits: change, currency: currency))
            else { continue }
            fields.set(holds.unit.json(sum, like: shown), at: path)
        }
    }

    /// The currency in which a row holds money.
    func currency(_ holds: Table.Holds, _ fields: RowFields) -> Currency? {
        holds.currency.flatMap { fields.at($0)?.string }.flatMap(Currency.init) ?? holds.fixedCurrency
    }
}

extension AmountUnit {
    /// Parses an amount in this unit; nil if the value is none.
    package func amount(_ value: JSON, _ currency: Currency) -> Money? {
        switch (self, value) {
        case (.minor, .number(let number)): number.int64.map { Money(minorUnits: $0, currency: currency) }
        case (.major, .string(let text)): try? Money(major: text, currency: currency)
        case (.number, .number(let number)): try? Money(major: number, currency: currency)
        default: nil
        }
    }

    /// Formats the amount in this unit.
    ///
    /// - Parameter other: an amount whose digits after the point it has too, or more if it needs them; nil for the currency's.
    package func json(_ money: Money, like other: JSON? = nil) -> JSON {
        var text = self == .minor ? String(money.minorUnits) : money.major
        if let other { text = text.withDigits(other.fractionDigits) }
        if self == .major { return .string(text) }
        return JSONNumber(text).map(JSON.number) ?? .string(text)
    }
}

extension JSON {
    /// The number of digits after its point.
    fileprivate var fractionDigits: Int {
        plainText.split(separator: ".", omittingEmptySubsequences: false).dropFirst().first?.prefix { $0.isNumber }.count ?? 0
    }
}

extension String {
    /// The decimal with that many digits after the point; with more if one of them is not 0.
    fileprivate func withDigits(_ count: Int) -> String {
        let parts = split(separator: ".", omittingEmptySubsequences: false)
        var fraction = Substring(parts.dropFirst().first ?? "")
        while fraction.utf8.count > count, fraction.hasSuffix("0") { fraction = fraction.dropLast() }
        let padded = fraction + String(repeating: "0", count: max(0, count - fraction.utf8.count))
        return padded.isEmpty ? String(parts[0]) : "\(parts[0]).\(padded)"
    }
}
