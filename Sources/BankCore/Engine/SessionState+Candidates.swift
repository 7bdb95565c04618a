import BankModel

/// Which of a fixture's rows a query has to look at.
enum Candidates {
    /// These are the rows, and all that were asked for is true of them.
    case exactly(RowList.Base)
    /// The rows are among these.
    case among(RowList.Base)
}

extension SessionState {
    /// The fixture's rows that may be seen and have those fields, by indexes as far as they go.
    func candidates(_ table: PreparedTable, _ wanted: [(field: String, text: String?)], _ customer: Customer?) -> Candidates {
        let nobody = RowList.Base.some([])
        var wanted = wanted.map { (field: $0.field, text: $0.text) }
        // Dates that follow the session have no text of their own.
        guard wanted.allSatisfy({ $0.text != nil && table.table.relativeDates[$0.field] == nil }) else {
            return .among(.all(0..<table.count))
        }
        if table.table.belongs != nil, customer == nil { return .exactly(nobody) }
        switch table.table.belongs {
        case nil: break
        case .customer(let field): wanted.append((field, customer?.login))
        case .row(let field, let parent):
            guard let key = wanted.first(where: { $0.field == field })?.text else { return .among(.all(0..<table.count)) }
            guard let row = row(parent, key: key), isVisible(row, of: parent, to: customer) else { return .exactly(nobody) }
        case .owner:
            let keys = customer?.owns[table.table.name] ?? []
            let named = wanted.first { $0.field == table.table.key }?.text.map { [$0] } ?? Array(keys)
            // A row may also say itself whose it is.
            guard !keys.isEmpty else { return .among(.all(0..<table.count)) }
            return .among(.some(named.flatMap { table.positions(ofKey: $0) }.sorted().map { Int32($0) }[...]))
        }
        if wanted.isEmpty { return .exactly(.all(0..<table.count)) }
        if let key = wanted.first(where: { $0.field == table.table.key })?.text {
            return .among(.some(table.positions(ofKey: key).map { Int32($0) }[...]))
        }
        let texts = wanted.compactMap(\.text)
        return .exactly(.some(table.positions(where: wanted.map(\.field), are: texts)[...]))
    }
}
