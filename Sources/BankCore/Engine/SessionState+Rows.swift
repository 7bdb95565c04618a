package import BankModel
import Platform

extension SessionState {
    /// The first row with that key.
    func row(_ table: String, key: String) -> TableRow? { prepared.tables[table].flatMap { row($0, key: key) } }

    /// The first row with that key.
    func row(_ table: PreparedTable, key: String) -> TableRow? { rows.row(table, key: key, at: present) }

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
        guard let prepared = prepared.tables[name] else { return .object(row.fields) }
        var fields = row.fields
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
        guard change != 0 || settled != 0, let currency = currency(holds, fields) else { return }
        for (path, change) in holds.amounts.map({ ($0, change) }) + holds.settled.map({ ($0, settled) }) {
            guard let shown = fields.at(path), let amount = holds.unit.amount(shown, currency),
                let sum = amount.adding(Money(minorUnits: change, currency: currency))
            else { continue }
            fields.set(holds.unit.json(sum, like: shown), at: path)
        }
    }

    /// The currency in which a row holds money.
    func currency(_ holds: Table.Holds, _ fields: JSONObject) -> Currency? {
        holds.currency.flatMap { fields.at($0)?.string }.flatMap(Currency.init) ?? holds.fixedCurrency
    }

    /// Filters the rows by their distance from a point; all of them remain if the query names neither.
    mutating func narrow(_ rows: inout RowList, _ near: RowsQuery.Near, _ scope: Scope) throws(RequestRejection) {
        let point = text(near.point, scope)
        let within = text(near.within, scope)
        guard let point, let within else {
            if point != nil || within != nil {
                throw .badRequest("found only one of near and within, expected both or neither")
            }
            return
        }
        let parts = point.split(separator: ",").compactMap { Double($0) }
        guard parts.count == 2, abs(parts[0]) <= 90, abs(parts[1]) <= 180 else {
            throw .badRequest("found near \"\(point)\", expected latitude,longitude in degrees")
        }
        guard let metres = Double(within), metres >= 0, metres.isFinite else {
            throw .badRequest("found within \"\(within)\", expected metres")
        }
        rows = rows.filtered { row in
            guard let latitude = field(near.latitude, of: row)?.number?.double,
                let longitude = field(near.longitude, of: row)?.number?.double
            else { return false }
            return distance(from: (parts[0], parts[1]), to: (latitude, longitude)) <= metres
        }
    }

    /// The distance in metres along the sphere (haversine, mean radius 6,371,008.8 m).
    private func distance(from a: (Double, Double), to b: (Double, Double)) -> Double {
        let radians = Double.pi / 180
        let halfLatitude = sin((b.0 - a.0) * radians / 2)
        let halfLongitude = sin((b.1 - a.1) * radians / 2)
        let square = halfLatitude * halfLatitude + cos(a.0 * radians) * cos(b.0 * radians) * halfLongitude * halfLongitude
        return 2 * 6_371_008.8 * asin(min(1, square.squareRoot()))
    }

    /// The fixture's rows that may be visible and have those fields, by the indexes that exist.
    func candidates(_ table: PreparedTable, _ wanted: [(field: String, text: String?)], _ customer: Customer?) -> Candidates {
        let nobody = RowList.Base.some([])
        var wanted = wanted.map { (field: $0.field, text: $0.text) }
        // Dates that follow the session have no fixed text.
        guard wanted.allSatisfy({ $0.text != nil && table.table.relativeDates[$0.field] == nil }) else {
            return .among(.all(0..<table.count))
        }
        if table.table.belongs != nil, customer == nil { return .exactly(nobody) }
        switch table.table.belongs {
        case nil: break
        case .customer(let field): wanted.append((field, customer?.login))
        case .row(let field, let parent):
            guard let key = wanted.first(where: { $0.field == field })?.text else {
                if hasHidden(parent) || customer?.limits.isEmpty == false { return .among(.all(0..<table.count)) }
                let visible = visible(table, field, parent, customer)
                return wanted.isEmpty ? .exactly(visible) : .among(visible)
            }
            guard let row = row(parent, key: key), isVisible(row, of: parent, to: customer) else { return .exactly(nobody) }
        case .owner:
            guard !wanted.contains(where: { $0.field == table.table.key }), let customer else { break }
            // A row may also name its owner.
            let owned = (customer.owns[table.table.name] ?? []).flatMap { table.positions(ofKey: $0) }.map { Int32($0) }
            let own = table.positions(where: ["_customer"], are: [customer.login])
            return .among(.some(Set(owned + own).sorted()[...]))
        }
        if wanted.isEmpty { return .exactly(.all(0..<table.count)) }
        if let key = wanted.first(where: { $0.field == table.table.key })?.text {
            return .among(.some(table.positions(ofKey: key).map { Int32($0) }[...]))
        }
        return .exactly(.some(table.positions(where: wanted.map(\.field), are: wanted.compactMap(\.text))[...]))
    }

    /// The rows without the removed ones.
    func shown(_ base: RowList.Base, of table: PreparedTable) -> RowList.Base {
        let keys = rows.hiddenKeys(of: table.table.name, at: present)
        guard !keys.isEmpty else { return base }
        let gone = Set(keys.flatMap { table.positions(ofKey: $0) })
        return .some((0..<base.count).map { Int32(base[$0]) }.filter { !gone.contains(Int($0)) }[...])
    }

    /// Whether a row of the table, or of the tables that its owner is found by, was removed.
    private func hasHidden(_ name: String) -> Bool {
        guard !rows.hidden.isEmpty else { return false }
        if rows.hidden[name] != nil { return true }
        guard case .row(_, let parent)? = prepared.tables[name]?.table.belongs, parent != name else { return false }
        return hasHidden(parent)
    }

    /// The fixture's rows whose parents the customer sees. The parents are in fixtures too, so the result is the same in all
    /// sessions that have not changed a parent.
    private func visible(_ table: PreparedTable, _ field: String, _ parent: String, _ customer: Customer?) -> RowList.Base {
        guard let customer else { return .some([]) }
        let positions = table.positions(by: field, visibleTo: customer.login) { key in
            row(parent, key: key).map { isVisible($0, of: parent, to: customer) } ?? false
        }
        return .some(positions[...])
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
        if let other { text = text.withDigits(other.digitsAfterPoint) }
        if self == .major { return .string(text) }
        return JSONNumber(text).map(JSON.number) ?? .string(text)
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

/// The fixture's rows that a query has to examine.
enum Candidates {
    /// Exactly these rows match.
    case exactly(RowList.Base)
    /// The matching rows are among these.
    case among(RowList.Base)
}
