import BankModel

extension SessionState {
    /// The rows of a table that operations added, that the caller may see and that match the filters: found by their fields
    /// and their owner as far as the bank's operations query so, otherwise by a scan.
    ///
    /// - Parameter isWanted: whether a row matches.
    func runs(
        _ added: AddedRows, _ table: PreparedTable, _ wanted: [(field: String, text: String?)], _ customer: Customer?,
        _ isWanted: (TableRow) -> Bool
    ) -> [RowList.Run] {
        func run(of numbers: [Int32]) -> RowList.Run {
            RowList.Run(
                added.sorted(
                    numbers.filter { number in
                        rowScans?.add()
                        let row = added.rows[Int(number)]
                        return row.isThere(at: present) && isWanted(row)
                    }))
        }
        if table.table.belongs != nil, customer == nil { return [] }
        if customer?.limits.isEmpty == false { return [run(of: added.numbers(at: present))] }
        if let key = wanted.first(where: { $0.field == table.table.key }) { return [run(of: added.numbers(ofKey: key.text ?? ""))] }
        let named = wanted.filter { $0.field == table.table.ownerField }
        let others = wanted.filter { $0.field != table.table.ownerField }.sorted { $0.field < $1.field }
        guard let lists = added.lists(others.map(\.field), others.map(\.text)) else { return [run(of: added.numbers(at: present))] }
        if let owner = named.first?.text {
            guard named.allSatisfy({ $0.text == owner }), isSeen(owner, table, customer) else { return [] }
            return lists[owner].map { [RowList.Run($0)] } ?? []
        }
        var runs: [RowList.Run]
        switch table.table.belongs {
        // A row without an owner cannot be the customer's.
        case .some where !named.isEmpty: return []
        case nil: runs = lists[nil].map { [RowList.Run($0)] } ?? []
        case .owner, .customer: runs = lists[customer?.login].map { [RowList.Run($0)] } ?? []
        case .row: runs = lists.filter { isSeen($0.key, table, customer) }.map { RowList.Run($0.value) }
        }
        if case .owner = table.table.belongs, let customer {
            // A row that is the customer's by its key does not name its owner.
            let owned = Set(customer.owns[table.table.name] ?? []).flatMap { added.numbers(ofKey: $0) }
            runs.append(run(of: owned.filter { table.table.owner(of: added.rows[Int($0)]) != customer.login }))
        }
        return runs
    }

    /// Whether the customer sees the rows that name that owner.
    private func isSeen(_ owner: String?, _ table: PreparedTable, _ customer: Customer?) -> Bool {
        switch table.table.belongs {
        case nil: true
        case .owner, .customer: owner == customer?.login
        case .row(_, let parent):
            owner.flatMap { row(parent, key: $0) }.map { isVisible($0, of: parent, to: customer) } ?? false
        }
    }
}
