import BankCore
import BankModel
import Platform

extension BankLoader {
    /// One table and its fixture.
    func table(_ name: String, _ node: Node, at position: SourcePosition) -> Table? {
        let fields = Fields(node, of: TableKeys.schema, called: "the table `\(name)`", complaints)
        let keyNode = fields[TableKeys.key]
        let key = keyNode.map { $0.text(complaints) } ?? BankLoader.generatedKey
        let file = fields[TableKeys.file]
        let at = fields[TableKeys.at]
        func use(_ node: Node?, _ field: String? = nil) { if let node { uses(field ?? node.scalar, of: name, at: node.position) } }
        use(keyNode)
        let order = fields[TableKeys.order]?.text(complaints).map { text in
            use(fields[TableKeys.order], text.hasPrefix("-") ? String(text.dropFirst()) : text)
            return Table.Order(field: text.hasPrefix("-") ? String(text.dropFirst()) : text, descending: text.hasPrefix("-"))
        }
        let belongs = fields[TableKeys.belongs].flatMap { self.belongs($0, of: name) }
        let holds = fields[TableKeys.holds].flatMap { self.holds($0, of: name) }
        let urls = fields[TableKeys.urls] ?? []
        if case .list(let nodes)? = fields.node(of: TableKeys.urls)?.content { nodes.forEach { use($0) } }
        var dates: [String: DateStyle] = [:]
        for (field, node, style) in members(of: fields[TableKeys.dates], "dates") {
            use(node)
            dates[field] = style.choice(of: DateStyle.self, complaints) ?? .seconds
        }
        let closed = fields[TableKeys.closed]
        if let closed, fields[TableKeys.holds] == nil {
            complaints.add(found: "`closed`", expected: "it in a table with `holds`: only accounts are closed", at: closed.position)
        }
        fields.finish()
        guard let key else { return nil }
        var columns = [key]
        if let order { columns.append(order.field) }
        switch belongs {
        case .row(let field, _), .customer(let field): columns.append(field)
        case .owner: columns.append("_customer")
        case nil: break
        }
        let rows = file == nil ? [] : file.flatMap { self.rows($0, at: at, columns, isNumbered: keyNode == nil) }
        if rows == nil || fields[TableKeys.holds] != nil && holds == nil { faulty.insert(name) }
        var table = Table(name: name, key: key, rows: rows ?? [])
        (table.order, table.belongs, table.holds, table.urls, table.relativeDates) = (order, belongs, holds, urls, dates)
        table.closed = closed?.json.object
        if let path = file?.scalar.map({ "\(folder)/\($0)" }) {
            let check = RowChecks(table: table, file: path, dirty: dirty, complaints: complaints) { self.positions(path, at: at) }
            check.run(isThorough: library.readsExpected || !table.rows.isScanned)
            rowChecks.append(check)
        }
        return table
    }

    /// The rows of a fixture: a JSON array of objects, or a member of an object with one.
    ///
    /// - Parameters:
    ///   - columns: the members that will be requested of every row.
    ///   - isNumbered: whether the rows get their numbers as keys.
    private func rows(_ node: Node, at member: String?, _ columns: [String], isNumbered: Bool) -> TableRows? {
        guard path(inFolder: node) != nil, let name = node.scalar else { return nil }
        let path = "\(folder)/\(name)"
        guard let bytes = bytes(path, .rows, namedAt: node.position) else { return nil }
        if bytes.count > BankLoader.largeFile, !isNumbered,
            let scan = RowScan(bytes, at: member.map { $0.split(separator: ".").map(String.init) } ?? [], columns: columns)
        {
            return TableRows(scan)
        }
        guard let json = json(bytes, of: path) else { return nil }
        guard let list = (member.map { json.at($0) } ?? json)?.array else {
            let found = (member.map { json.at($0) } ?? json)?.kindName ?? "nothing"
            complaints.add(
                found: found,
                expected: "an array of rows" + (member.map { " at \($0)" } ?? ", or `at` in the table with the member that has it"),
                at: SourcePosition(file: path, line: 1, column: 1))
            return nil
        }
        let objects = list.compactMap(\.object)
        guard objects.count < list.count else { return TableRows(isNumbered ? BankLoader.numbered(objects) : objects) }
        let positions = positions(path, at: member)
        for (index, row) in list.enumerated() where row.object == nil {
            complaints.add("row \(index + 1): found \(row.kindName), expected an object", at: positions[index])
        }
        return nil
    }

    /// The key of a table without one: the number of each row in its file.
    private static let generatedKey = "_row"

    private static func numbered(_ rows: [JSONObject]) -> [JSONObject] {
        rows.enumerated().map { index, row in
            var row = row
            row[generatedKey] = .string(String(index + 1))
            return row
        }
    }

    /// Rows of larger files, in bytes, are read one by one on demand.
    private static let largeFile = 4 << 20

    private func positions(_ path: String, at member: String?) -> RowPositions {
        RowPositions(file: path, bytes: (try? library.files.read(path, below: folder, .rows)) ?? [], at: member)
    }

    /// A JSON file of the bank's folder.
    private func json(_ bytes: [UInt8], of path: String) -> JSON? {
        do throws(JSONError) { return try JSON(parsing: bytes) } catch {
            complaints.add(
                found: error.found, expected: error.expected, at: SourcePosition(file: path, line: error.line, column: error.column))
            return nil
        }
    }

    private func belongs(_ node: Node, of table: String) -> Table.Belongs? {
        if node.scalar == "owner" { return .owner }
        guard case .mapping(let members) = node.content, members.count == 1,
            let member = Fields(node, of: "belongs", complaints).all.first, let owner = member.value.text(complaints)
        else { return node.wrong(complaints, "owner, {_field: customer} or {_field: table}") }
        uses(member.key, of: table, at: member.keyNode.position)
        return owner == "customer" ? .customer(field: member.key) : .row(field: member.key, table: owner)
    }

    private func holds(_ node: Node, of table: String) -> Table.Holds? {
        let fields = Fields(node, of: HoldsKeys.schema, complaints)
        let amounts = fields[HoldsKeys.amounts] ?? []
        let settled = fields[HoldsKeys.settled] ?? []
        let currency = fields[HoldsKeys.currency]?.text(complaints)
        let fixed = fields[HoldsKeys.fixedCurrency].flatMap { node in
            node.text(complaints).flatMap(Currency.init) ?? node.wrong(complaints, "an ISO 4217 code such as GBP")
        }
        let unit = fields[HoldsKeys.unit]
        let lowest = fields[HoldsKeys.lowest].flatMap { node -> Int64? in
            let units = node.scalar.flatMap { JSONNumber($0) }?.int64
            return units ?? node.wrong(complaints, "a whole number of minor units")
        }
        for names in [HoldsKeys.amounts, HoldsKeys.settled] {
            guard case .list(let nodes)? = fields.node(of: names)?.content else { continue }
            for node in nodes { uses(node.scalar, of: table, at: node.position) }
        }
        if let node = fields[HoldsKeys.currency] { uses(node.scalar, of: table, at: node.position) }
        fields.finish()
        guard let unit, !amounts.isEmpty else { return nil }
        guard currency != nil || fixed != nil else {
            if fields[HoldsKeys.fixedCurrency] == nil {
                complaints.add("`currency` or `fixed_currency` is missing in holds", at: node.position)
            }
            return nil
        }
        var holds = Table.Holds(amounts: amounts, currency: currency, fixedCurrency: fixed, unit: unit, lowest: lowest)
        holds.settled = settled
        return holds
    }
}
