package import BankModel

extension Bank {
    /// The arguments that a harness fills in for a driver operation, for the customer who signs in.
    ///
    /// The bank's `defaults` are written for its first customer. For another one, each value that is the key of an owned row
    /// is replaced by the key of the first such row of theirs, in the order of the fixture: their first account, the first
    /// goal of that account; a second account, as the payee of the first one, by their second. An argument is left out if they
    /// have no such row. Values that belong to no customer (a currency, a path, an ATM) remain.
    ///
    /// - Parameters:
    ///   - operation: its name in the driver protocol.
    ///   - login: the customer's; nil, or an unknown one, means the bank's first customer.
    package func defaults(of operation: String, for login: String?) -> JSONObject {
        let written = defaults[operation]?.object ?? JSONObject()
        guard let first = customers.first(where: { !$0.locked }), let customer = customers.first(where: { $0.login == login }),
            customer.login != first.login
        else { return written }
        // By table: rows that are part of another table's row, as goals are of an account, follow it.
        var chosen: [String: String] = [:]
        // By the key that is written.
        var replacements: [JSON: String] = [:]
        // Accounts are chosen before the rows that are part of one.
        let order = written.members.sorted { isPart($0.value) == false && isPart($1.value) == true }
        for (_, value) in order {
            guard let table = ownedTable(of: value), replacements[value] == nil else { continue }
            let taken = Set(replacements.filter { ownedTable(of: $0.key)?.name == table.name }.values)
            let row = table.rows.lazy.filter { self.row($0, of: table, isOf: customer, and: chosen) }
                .compactMap { $0[table.key]?.plainText }.first { !taken.contains($0) }
            replacements[value] = row
            chosen[table.name] = chosen[table.name] ?? row
        }
        return JSONObject(
            written.members.compactMap { name, value in
                guard ownedTable(of: value) != nil else { return (name, value) }
                return replacements[value].map { (name, .string($0)) }
            })
    }

    /// The arguments among an operation's `defaults` that the customer has no row for: none, or no second one.
    package func unfilledDefaults(of operation: String, for login: String) -> [String] {
        let filled = defaults(of: operation, for: login)
        return (defaults[operation]?.object ?? JSONObject()).members.map(\.key).filter { filled[$0] == nil }
    }

    /// The table that has a row with that key, if its rows have owners.
    private func ownedTable(of key: JSON) -> Table? {
        let key = key.plainText
        return tables.values.filter { $0.belongs != nil }.sorted { $0.name < $1.name }.first { table in
            table.rows.contains { $0[table.key]?.plainText == key }
        }
    }

    /// Whether the value names a row that is part of another.
    private func isPart(_ value: JSON) -> Bool {
        if case .row = ownedTable(of: value)?.belongs { true } else { false }
    }

    /// Whether a row is the customer's, and part of the row chosen in its parents' table, if there is one.
    private func row(_ row: JSONObject, of table: Table, isOf customer: Customer, and chosen: [String: String]) -> Bool {
        switch table.belongs {
        case nil: return true
        case .owner: return row[table.key].map { customer.owns[table.name]?.contains($0.plainText) ?? false } ?? false
        case .customer(let field): return JSON.object(row).at(field)?.plainText == customer.login
        case .row(let field, let name):
            guard let key = JSON.object(row).at(field)?.plainText, let parents = tables[name] else { return false }
            if let wanted = chosen[name] { return key == wanted }
            return parents.rows.contains { parent in
                parent[parents.key]?.plainText == key && self.row(parent, of: parents, isOf: customer, and: chosen)
            }
        }
    }
}
