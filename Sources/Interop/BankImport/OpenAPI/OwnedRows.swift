import BankCore
import BankModel

/// The rows of described tables, for each customer and each parent: an example has those of one.
struct OwnedRows {
    private(set) var found: [DescribedTables.DescribedTable]
    /// The keys of each customer's rows, by table.
    private(set) var owns: [String: [String: [String]]] = [:]
    private let customers: [String]

    /// Tables with more rows are not multiplied.
    private static let most = 400
    /// Words for what belongs to a customer.
    private static let personal = [
        "account", "customer", "profile", "user", "card", "wallet", "pocket", "pot", "balance", "holder", "space", "deposit", "loan",
    ]

    /// - Parameter customers: the logins; none for a bank without tokens.
    init(_ tables: DescribedTables, customers: [String]) {
        found = tables.found
        self.customers = customers
        for table in found.indices where found[table].parent == nil && found[table].key != nil && !customers.isEmpty {
            let isParent = found.contains { $0.parent?.table == table }
            let isAccount = found[table].thing.contains("account")
            guard isAccount || isParent && OwnedRows.personal.contains(where: found[table].thing.contains) else { continue }
            own(table, least: isAccount ? 2 : 1)
        }
        for table in found.indices where found[table].parent == nil && !found[table].isOwned { follow(table) }
        for _ in found.indices {
            for table in found.indices { spread(table) }
        }
    }

    /// The tables whose rows have been made.
    private var done: Set<Int> = []

    /// Gives each customer as many rows as the example has, and at least as many as a payment between them needs.
    private mutating func own(_ table: Int, least: Int) {
        guard let key = found[table].key else { return }
        let examples = found[table].rows
        var made: [JSONObject] = []
        var taken: Set<String> = Set(examples.compactMap { $0[key]?.plainText })
        for (order, customer) in customers.enumerated() {
            for number in 0..<max(examples.count, least) {
                let isExample = order == 0 && number < examples.count
                let row = isExample ? examples[number] : OwnedRows.another(examples[number % examples.count], key, &taken)
                made.append(row)
                owns[customer, default: [:]][found[table].name, default: []].append(row[key]?.plainText ?? "")
            }
        }
        found[table].rows = made
        found[table].isOwned = true
        done.insert(table)
    }

    /// Rows that name a row of a table of customers, such as a transaction with an `account_id`, belong to it; rows that are otherwise a
    /// customer's own, such as transactions of all accounts, are there once for each.
    private mutating func follow(_ table: Int) {
        guard !customers.isEmpty, let key = found[table].key else { return }
        for parent in found.indices where found[parent].isOwned && parent != table {
            let name = found[table].rows[0].keys.first { name in
                DescribedName.ids.contains { DescribedName.plain(name) == found[parent].thing + $0 }
            }
            guard let name, found[table].rows.allSatisfy({ $0[name]?.isContainer == false }) else { continue }
            found[table].parent = (parent, name)
            return
        }
        guard
            ["transaction", "payment", "transfer", "feeditem", "beneficiary", "payee", "recipient"].contains(
                where: found[table].thing.contains)
        else { return }
        let examples = found[table].rows
        var taken: Set<String> = Set(examples.compactMap { $0[key]?.plainText })
        found[table].customerField = "_customer"
        found[table].rows = customers.enumerated().flatMap { order, customer in
            examples.map { example in
                var row = order == 0 ? example : OwnedRows.another(example, key, &taken)
                row["_customer"] = .string(customer)
                return row
            }
        }
        done.insert(table)
    }

    /// Gives each row of the parent's table the rows of the example.
    private mutating func spread(_ table: Int) {
        guard let (parent, field) = found[table].parent, !done.contains(table) else { return }
        guard found[parent].parent == nil || done.contains(parent), let parentKey = found[parent].key else { return }
        done.insert(table)
        let (examples, key) = (found[table].rows, found[table].key)
        guard examples.count * found[parent].rows.count <= OwnedRows.most else {
            found[table].rows = examples.map { row in
                var row = row
                row[field] = found[parent].rows[0][parentKey] ?? .null
                return row
            }
            return
        }
        var taken: Set<String> = Set(key.map { key in examples.compactMap { $0[key]?.plainText } } ?? [])
        let first = found[parent].rows[0][parentKey] ?? .null
        found[table].rows = found[parent].rows.enumerated().flatMap { order, above -> [JSONObject] in
            let wanted = above[parentKey] ?? .null
            return examples.map { example in
                var row = example
                if order > 0, let key { row = OwnedRows.another(example, key, &taken) }
                row = RowVariation.replaced(row, first, with: wanted, parentKey)
                for name in row.keys
                where DescribedName.isID(name, of: found[parent].thing) && !DescribedName.ids.contains(DescribedName.plain(name))
                    && name != key
                {
                    if let known = row[name], known.isContainer == false, known != .null { row[name] = wanted.like(known) }
                }
                row[field] = wanted
                return row
            }
        }
        // One balance for each account: it is known by the account.
        if key == nil, examples.count == 1, found[table].thing.contains("balance") { found[table].key = field }
    }

    /// The row under the next key of its form that is free.
    private static func another(_ row: JSONObject, _ key: String, _ taken: inout Set<String>) -> JSONObject {
        for number in 1...most * 2 {
            let next = row[key].map { RowVariation.key($0, number).plainText } ?? ""
            if taken.insert(next).inserted { return RowVariation.row(row, key, number) }
        }
        return row
    }

    // MARK: what is written

    /// The tables as the bank's file has them.
    func definition(_ table: Int) -> JSON {
        let found = found[table]
        let ofCustomer = found.customerField.map { JSON.object([$0: "customer"]) }
        let ofParent = found.parent.flatMap { isPersonal($0.table) ? JSON.object([$0.field: .string(self.found[$0.table].name)]) : nil }
        let belongs: JSON? = found.isOwned ? "owner" : ofCustomer ?? ofParent
        return .object(known: [
            "file": .string("\(found.name).json"), "key": found.key.map(JSON.string), "belongs": belongs, "holds": found.holds,
        ])
    }

    /// Whether only one customer sees each row.
    func isPersonal(_ table: Int) -> Bool {
        if found[table].isPersonal { return true }
        return found[table].parent.map { isPersonal($0.table) } ?? false
    }

    /// The rows of a table that belong to a customer, in order; of their first account only, if rows have one.
    func rows(_ table: Int, of customer: String?) -> [JSONObject] {
        let found = found[table]
        if found.isOwned, let customer, let key = found.key {
            let own = Set(owns[customer]?[found.name] ?? [])
            return found.rows.filter { own.contains($0[key]?.plainText ?? "") }
        }
        if let field = found.customerField, let customer { return found.rows.filter { $0[field]?.string == customer } }
        guard let parent = found.parent, let key = self.found[parent.table].key else { return found.rows }
        let first = rows(parent.table, of: customer).first?[key]
        return found.rows.filter { $0[parent.field]?.plainText == first?.plainText }
    }

    /// What a table's rows hold, once that is known.
    mutating func set(holds: JSON, of table: Int) { found[table].holds = holds }
}

extension JSON {
    /// The value in the form of another: a text where that is one, else a number if it can be.
    fileprivate func like(_ other: JSON) -> JSON {
        switch other {
        case .string: .string(plainText)
        case .number: JSONNumber(plainText).map(JSON.number) ?? self
        default: self
        }
    }
}
