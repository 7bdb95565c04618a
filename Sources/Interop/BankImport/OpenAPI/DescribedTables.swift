import BankCore
import BankModel

/// Finds lists and rows in the examples of responses, and makes tables of them.
///
/// A list of objects becomes a table; its key is the member whose name is that of an id of such a thing, or the number of the row. A response
/// for one thing becomes a row of the list's table, or a separate table. A path's parameter that names a row of another table makes that
/// row the parent.
struct DescribedTables {
    /// A list that became a table.
    struct DescribedTable {
        var name: String
        /// What a row is, as one word: `account`.
        var thing: String
        /// The field by which a row is known; nil if rows are numbered.
        var key: String?
        var rows: [JSONObject]
        /// The path of its list.
        var path: PathTemplate
        /// Other paths with the same rows, without the names of parameters.
        var otherPaths: Set<String> = []
        /// The table that a row belongs to, and the private field with the key of that row.
        var parent: (table: Int, field: String)?
        /// Whether customers own the rows.
        var isOwned = false
        /// The private field with the customer's login, where rows have no parent but an owner.
        var customerField: String?
        var holds: JSON?

        /// Whether each row is visible to one customer only.
        var isPersonal: Bool { isOwned || customerField != nil }
    }

    /// A list or row in an operation's response.
    struct RowLocation {
        var operation: Int
        var table: Int
        var path: [String]
        /// The fields of the example's rows.
        var fields: [String]
        /// The parameter that names the row; nil for a list.
        var parameter: String?
        var isList: Bool
        /// Whether it is the list that the operation is about.
        var isPrimary = true
    }

    var found: [DescribedTable] = []
    private(set) var locations: [RowLocation] = []
    private var names = Names()
    private let contentType: String

    /// - Parameter contentType: the media type of responses that are made of templates.
    init(contentType: String) { self.contentType = contentType }

    // MARK: lists and rows

    /// Finds the tables of all operations, and the rows that paths name.
    mutating func collect(_ operations: [DescribedOperation]) {
        let readable = operations.indices.filter { operations[$0].isRead && operations[$0].body?.type == contentType }
        for index in readable where !operations[index].endsInParameter { addLists(operations[index], index) }
        for index in readable where operations[index].endsInParameter { addRow(operations[index], index) }
        for index in readable { merge(operations[index], index) }
        for table in found.indices { found[table].parent = parent(of: table, operations) }
    }

    private mutating func addLists(_ operation: DescribedOperation, _ index: Int) {
        guard let json = operation.body?.json else { return }
        let thing = DescribedName.singular(operation.noun)
        if let object = json.object, object.keys.contains(where: { DescribedName.isID($0, of: thing) }) { return }
        let lists = ListLocation.all(in: json).filter { !ListLocation.isHidden(by: json, on: $0.path) }
        let primary =
            lists.count == 1
            ? 0
            : lists.firstIndex { list in
                guard let member = list.path.last else { return true }
                return DescribedName.singular(member) == thing || DescribedTables.wrappers.contains(DescribedName.plain(member))
            }
        for (number, list) in lists.enumerated() {
            let member = list.path.last.flatMap { DescribedTables.wrappers.contains(DescribedName.plain($0)) ? nil : $0 } ?? operation.noun
            let table = add(list, named: member, thing, operation)
            locations.append(
                RowLocation(
                    operation: index, table: table, path: list.path, fields: list.fields, parameter: nil, isList: true,
                    isPrimary: number == primary))
        }
    }

    /// Members whose names do not describe what they hold.
    private static let wrappers: Set<String> = [
        "data", "items", "results", "content", "values", "records", "rows", "list", "entries", "elements", "booked", "posted", "added",
    ]

    private mutating func add(_ list: ListLocation, named name: String, _ thing: String, _ operation: DescribedOperation) -> Int {
        let own = DescribedName.singular(name)
        let others = operation.path.parameters.map(DescribedName.plain).filter { !DescribedName.ids.contains($0) }
        let key = DescribedTables.key(list.rows, [own, thing], besides: others)
        let form = JSON.array(list.rows.map(JSON.object)).canonical
        // The same rows under another address are the same table.
        if let known = found.firstIndex(where: { $0.key == key && JSON.array($0.rows.map(JSON.object)).canonical == form }) {
            found[known].otherPaths.insert(operation.steps.unnamed)
            return known
        }
        found.append(DescribedTable(name: names.kept(name), thing: own, key: key, rows: list.rows, path: operation.steps))
        return found.count - 1
    }

    /// The field by which rows are known: one whose name is that of an id of such things, with another text or number in each row.
    ///
    /// - Parameters:
    ///   - things: what a row is, by the list's name and by the path's.
    ///   - others: names that are ids of something else.
    ///   - orAnyID: whether any name of an id is accepted as a last resort: real rows show by their values that it is their key, examples do not.
    ///   - values: those that name such things in addresses; a member that has one is accepted as the very last resort.
    static func key(
        _ rows: [JSONObject], _ things: [String], besides others: [String] = [], orAnyID: Bool = false, orOf values: Set<String> = []
    ) -> String? {
        guard let first = rows.first, rows.allSatisfy({ row in !row.keys.contains { $0.hasPrefix("_") && $0 != "_links" } }) else {
            return nil
        }
        func isUnique(_ name: String) -> Bool {
            let values = rows.compactMap { $0[name].flatMap(DescribedTables.keyText) }
            return values.count == rows.count && Set(values).count == rows.count
        }
        let names = first.keys.filter { !others.contains(DescribedName.plain($0)) && isUnique($0) }
        let usual: String? =
            names.first { DescribedName.ids.contains(DescribedName.plain($0)) }
            ?? names.first { name in things.contains { DescribedName.isID(name, of: $0) } }
            ?? names.first { name in
                ["key", "number", "code", "reference"].contains {
                    DescribedName.plain(name) == $0
                        || things.contains(String(DescribedName.plain(name).dropLast($0.count))) && DescribedName.plain(name).hasSuffix($0)
                }
            } ?? names.first { orAnyID && DescribedName.plain($0).hasSuffix("id") }
        if let usual { return usual }
        return names.first { name in
            rows.contains { row in
                guard let text = row[name].flatMap(DescribedTables.keyText) else { return false }
                return values.contains(text)
            }
        }
    }

    /// The value as a key: a text that is not empty, or a whole number; nil for any other value.
    private static func keyText(_ value: JSON) -> String? {
        switch value {
        case .string(let text): text.isEmpty ? nil : text
        case .number(let number): number.int64 == nil ? nil : number.digits
        default: nil
        }
    }

    /// A response for one thing: the path's last parameter names it.
    private mutating func addRow(_ operation: DescribedOperation, _ index: Int) {
        guard let json = operation.body?.json, case .parameter(let parameter)? = operation.steps.parts.last else { return }
        var above = operation.steps
        above.parts.removeLast()
        let thing = DescribedName.singular(operation.noun)
        let inList = ListLocation.all(in: json).first { $0.rows.count == 1 && DescribedName.singular($0.path.last ?? "") == thing }
        let single = inList.map { (path: $0.path, row: $0.rows[0]) } ?? DescribedTables.row(in: json, thing, parameter)
        guard let (path, row) = single else { return }
        guard !ListLocation.isHidden(by: json, on: path), !row.keys.contains(where: { $0.hasPrefix("_") && $0 != "_links" }) else { return }
        let known = found.firstIndex { table in
            (table.path.unnamed == above.unnamed || table.otherPaths.contains(above.unnamed)) && table.key != nil
                && DescribedName.isID(table.key ?? "", of: table.thing)
        }
        guard let table = known ?? addTable(of: row, operation.noun, thing, parameter, above) else { return }
        guard let key = found[table].key, row[key] != nil, mix(row, into: table) else { return }
        locations.append(
            RowLocation(operation: index, table: table, path: path, fields: row.keys, parameter: parameter, isList: inList != nil))
    }

    private mutating func addTable(of row: JSONObject, _ noun: String, _ thing: String, _ parameter: String, _ path: PathTemplate) -> Int? {
        let key = row.keys.first { DescribedName.plain($0) == DescribedName.plain(parameter) } ?? DescribedTables.key([row], [thing])
        guard let key, row[key].flatMap(DescribedTables.keyText) != nil else { return nil }
        found.append(DescribedTable(name: names.kept(noun), thing: thing, key: key, rows: [row], path: path))
        return found.count - 1
    }

    /// The object with the id: the response itself, or its only member that has one.
    static func row(in json: JSON, _ thing: String, _ parameter: String) -> (path: [String], row: JSONObject)? {
        func hasID(_ object: JSONObject) -> Bool {
            object.keys.contains { DescribedName.isID($0, of: thing) || DescribedName.plain($0) == DescribedName.plain(parameter) }
        }
        guard let object = json.object else { return nil }
        if hasID(object) { return ([], object) }
        let inner = object.members.compactMap { member in member.value.object.map { (member.key, $0) } }.filter { hasID($0.1) }
        return inner.count == 1 ? ([inner[0].0], inner[0].1) : nil
    }

    // MARK: rows in several responses

    /// A response of an account's own, such as its balance, becomes fields of the account's row.
    private mutating func merge(_ operation: DescribedOperation, _ index: Int) {
        guard operation.method == "GET", !locations.contains(where: { $0.operation == index }),
            case .literal(let word)? = operation.steps.parts.last, word.lowercased().contains("balance"), operation.steps.parts.count > 2,
            let object = operation.body?.json?.object,
            case .parameter(let parameter) = operation.steps.parts[operation.steps.parts.count - 2],
            let table = table(named: parameter, operation.path), found[table].key != nil,
            !object.keys.contains(where: { $0.hasPrefix("_") }), !TemplateWords.isDirective(object)
        else { return }
        var row = object
        if let key = found[table].key { row[key] = found[table].rows[0][key] }
        guard mix(row, into: table) else { return }
        locations.append(RowLocation(operation: index, table: table, path: [], fields: object.keys, parameter: parameter, isList: false))
    }

    /// Adds the members of another example to the table's rows: to the row with its key, and to all others. A member of both keeps the value
    /// that it has.
    ///
    /// - Returns: false if a member has another form there, so that one row cannot be sent in both locations.
    private mutating func mix(_ row: JSONObject, into table: Int) -> Bool {
        for member in row.members {
            guard let known = found[table].rows[0][member.key], known != .null, member.value != .null else { continue }
            if known.kindName != member.value.kindName { return false }
        }
        for index in found[table].rows.indices {
            for member in row.members where found[table].rows[index][member.key] == nil {
                found[table].rows[index][member.key] = member.value
            }
        }
        return true
    }

    // MARK: parents

    /// The table of which a path's parameter names a row: the one whose list is before it, or whose id has the parameter's name.
    func table(named parameter: String, _ path: PathTemplate) -> Int? {
        if let position = path.parts.firstIndex(of: .parameter(parameter)), position > 0 {
            var above = path
            above.parts = Array(path.parts[..<position])
            func isThere(_ table: DescribedTable) -> Bool {
                (table.path.unnamed == above.unnamed || table.otherPaths.contains(above.unnamed)) && table.key != nil
            }
            if let table = found.firstIndex(where: isThere) { return table }
            if case .literal(let word) = path.parts[position - 1] {
                let thing = DescribedName.singular(word)
                if let table = found.firstIndex(where: { $0.thing == thing && $0.key != nil && $0.path.parameters.isEmpty }) {
                    return table
                }
            }
        }
        return table(named: parameter)
    }

    /// The table whose id has that name.
    func table(named name: String) -> Int? {
        let word = DescribedName.plain(name)
        guard !DescribedName.ids.contains(word) else { return nil }
        return found.firstIndex { table in
            guard let key = table.key else { return false }
            let isSpecific = !DescribedName.ids.contains(DescribedName.plain(key))
            return isSpecific && DescribedName.plain(key) == word
                || DescribedName.ids.contains { word == table.thing + $0 } && table.thing.count > 2
        }
    }

    private func parent(of table: Int, _ operations: [DescribedOperation]) -> (table: Int, field: String)? {
        let path = found[table].path
        for parameter in path.parameters.reversed() {
            guard let parent = self.table(named: parameter, path), parent != table, found[parent].key != nil else { continue }
            return (parent, "_\(found[parent].thing)")
        }
        // A query may name whose rows are wanted.
        for location in locations where location.table == table && location.isList && location.isPrimary {
            for parameter in operations[location.operation].query {
                guard let parent = self.table(named: parameter.name), parent != table else { continue }
                return (parent, "_\(found[parent].thing)")
            }
        }
        return nil
    }
}
