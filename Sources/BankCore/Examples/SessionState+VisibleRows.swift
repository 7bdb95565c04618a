import BankModel

extension SessionState {
    /// The keys of a fixture's rows that the customer may see, those in the bank's `defaults` first.
    package func visibleKeys(_ table: String, customer: String?, limit: Int = 12) -> [String] {
        guard let prepared = prepared.tables[table] else { return [] }
        let customer = customer.flatMap { self.customer($0) }
        let defaults = Set(bank.defaults.flattened.compactMap { $0.string ?? $0.number?.digits })
        var (first, others): ([String], [String]) = ([], [])
        for row in prepared.table.rows.prefix(2000) {
            let row = TableRow(row, prepared.table)
            guard !row.key.isEmpty, !rows.isHidden(row.key, of: table, at: present), isVisible(row, of: prepared, to: customer)
            else { continue }
            if defaults.contains(row.key) { first.append(row.key) } else if others.count < limit { others.append(row.key) }
        }
        return Array((first + others).prefix(limit))
    }

    /// The first twelve texts of a field in rows that the customer may see, each once.
    func visibleTexts(_ field: String, of table: String, customer: String?) -> [String] {
        guard let prepared = prepared.tables[table] else { return [] }
        let customer = customer.flatMap { self.customer($0) }
        var texts: [String] = []
        for fields in prepared.table.rows.prefix(2000) where texts.count < 12 {
            guard let text = JSON.object(fields).at(field)?.plainText, !text.isEmpty, !texts.contains(text) else { continue }
            if isVisible(TableRow(fields, prepared.table), of: prepared, to: customer) { texts.append(text) }
        }
        return texts
    }

    /// The key of the row that an operation added last to a table; nil if there is none.
    package func lastAdded(to table: String) -> String? { rows.added[table]?.rows.last?.key }
}
