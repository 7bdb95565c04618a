import BankModel

/// The fixture's rows that a query has to examine.
enum Candidates {
    /// Exactly these rows match.
    case exactly(RowList.Base)
    /// The matching rows are among these.
    case among(RowList.Base)
}

extension SessionState {
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
        let texts = wanted.compactMap(\.text)
        let found = RowList.Base.some(table.positions(where: wanted.map(\.field), are: texts)[...])
        return texts.contains { $0.utf8.contains(PreparedTable.separator) } ? .among(found) : .exactly(found)
    }

    /// The rows without the removed ones.
    func shown(_ base: RowList.Base, of table: PreparedTable) -> RowList.Base {
        let keys = (hidden[table.table.name] ?? [:]).keys.filter { isHidden($0, of: table.table.name) }
        guard !keys.isEmpty else { return base }
        let gone = Set(keys.flatMap { table.positions(ofKey: $0) })
        return .some((0..<base.count).map { Int32(base[$0]) }.filter { !gone.contains(Int($0)) }[...])
    }

    /// Whether a row of the table, or of the tables that its owner is found by, was removed.
    private func hasHidden(_ name: String) -> Bool {
        guard !hidden.isEmpty else { return false }
        if hidden[name] != nil { return true }
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
