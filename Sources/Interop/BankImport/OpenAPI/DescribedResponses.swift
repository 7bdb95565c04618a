import BankCore
import BankModel

/// Writes the responses of described operations as templates: rows of tables, pages, and values of the request; all else as in the example.
struct DescribedResponses {
    let tables: DescribedTables
    let owned: OwnedRows
    let description: Description

    /// Fills in the operation's response and the rows that it needs; leaves the response out where the example is sent as it is.
    func fill(_ operation: inout DescribedOperation, _ index: Int) {
        let locations = tables.locations.filter { $0.operation == index }
        if !operation.isOpen || !reads(operation, locations) { setParents(&operation, locations) }
        guard let json = operation.body?.json else { return }
        guard !operation.isOpen || !locations.contains(where: { owned.isPersonal($0.table) }) else { return }
        if let insert = insert(operation, json, index) {
            (operation.insert, operation.response) = insert
            return
        }
        var facts: [(path: [String], fact: PageFact)] = []
        var lists: [JSON] = []
        for location in locations {
            guard location.isList, location.parameter == nil else {
                lists.append(row(location))
                continue
            }
            let paging = location.isPrimary ? DescribedPaging(operation, json, list: location.path) : nil
            lists.append(list(location, &operation, paging))
            facts += paging?.facts ?? []
        }
        let own = operation.path.parameters.filter { tables.table(named: $0, operation.path) != nil }
        guard !locations.isEmpty || own.contains(where: { mentions(json, $0, operation) }) else { return }
        operation.response = template(json, [], locations, lists, facts, operation)
    }

    /// Whether the operation reads a row that only a customer may see.
    private func reads(_ operation: DescribedOperation, _ locations: [DescribedTables.RowLocation]) -> Bool {
        (locations.map(\.table) + operation.path.parameters.compactMap { tables.table(named: $0, operation.path) }).contains(
            where: owned.isPersonal)
    }

    /// The rows that the path names must exist, but for the one that is the response.
    private func setParents(_ operation: inout DescribedOperation, _ locations: [DescribedTables.RowLocation]) {
        for parameter in operation.path.parameters where !locations.contains(where: { $0.parameter == parameter && !$0.isList }) {
            guard let table = tables.table(named: parameter, operation.path), tables.found[table].key != nil else { continue }
            operation.parents[tables.found[table].name] = ["path": .string(parameter)]
        }
    }

    // MARK: rows

    private func row(_ location: DescribedTables.RowLocation) -> JSON {
        let table = tables.found[location.table]
        let wanted = table.key.flatMap { key in location.parameter.map { JSON.object([key: ["path": .string($0)]]) } }
        let row = JSON.object(known: ["row": .string(table.name), "where": wanted, "only": only(location)])
        return location.isList ? [row] : row
    }

    private func list(_ location: DescribedTables.RowLocation, _ operation: inout DescribedOperation, _ paging: DescribedPaging?) -> JSON {
        let table = tables.found[location.table]
        var (wanted, given) = (JSONObject(), JSONObject())
        if let parent = table.parent {
            if let parameter = operation.path.parameters.first(where: { tables.table(named: $0, operation.path) == parent.table }) {
                wanted[parent.field] = ["path": .string(parameter)]
            } else if let parameter = operation.query.first(where: { tables.table(named: $0.name) == parent.table }) {
                operation.used.insert("query \(parameter.name)")
                let source: JSON = ["query": .string(parameter.name)]
                if parameter.isRequired { wanted[parent.field] = source } else { given[parent.field] = source }
            }
        }
        let schema = description.schema(location.path, of: operation.schema)
        let free = operation.query.filter { !operation.used.contains("query \($0.name)") && paging?.used.contains($0.name) != true }
        let filters = DescribedFilters(free, rows: table.rows, schema: schema, description: description)
        for member in filters.given.members { given[member.key] = member.value }
        for name in filters.used.union(paging?.used ?? []) { operation.used.insert("query \(name)") }
        if let reason = paging?.reason {
            operation.used.insert("query \(reason.parameter.name)")
            description.warn(.ignored, reason.parameter.node, reason.text)
        }
        if location.fields.contains("_links") {
            description.warn(
                .ignored, operation.node, "the `_links` of its rows are not sent: fields that begin with `_` are the bank's own")
        }
        return .object(known: [
            "rows": .string(table.name), "where": wanted.members.isEmpty ? nil : .object(wanted),
            "given": given.members.isEmpty ? nil : .object(given), "between": filters.between, "page": paging?.page, "only": only(location),
        ])
    }

    /// The fields that are sent here; nil if those are all.
    private func only(_ location: DescribedTables.RowLocation) -> JSON? {
        let all = tables.found[location.table].rows.flatMap(\.keys)
        return Set(all) == Set(location.fields) ? nil : .array(location.fields.map(JSON.string))
    }

    // MARK: the rest of a response

    private func template(
        _ json: JSON, _ path: [String], _ locations: [DescribedTables.RowLocation], _ lists: [JSON],
        _ facts: [(path: [String], fact: PageFact)], _ operation: DescribedOperation
    ) -> JSON {
        if let location = locations.firstIndex(where: { $0.path == path }) { return lists[location] }
        if let fact = facts.first(where: { $0.path == path })?.fact { return page(fact, path, operation) }
        guard let object = json.object, path.count < 5, !TemplateWords.isDirective(object) else {
            if let parameter = parameter(named: path.last, json, operation) { return ["path": .string(parameter)] }
            return TemplateWords.constant(json)
        }
        var made = JSONObject()
        for member in object.members {
            if !facts.isEmpty, DescribedResponses.isOtherPage(member, path) {
                let schema = description.schema(path, of: operation.schema)
                guard description.requires(member.key, schema) else { continue }
                if isNullable(path + [member.key], operation) {
                    made[member.key] = JSON.null
                    continue
                }
            }
            made[member.key] = template(member.value, path + [member.key], locations, lists, facts, operation)
        }
        return TemplateWords.object(made, of: object)
    }

    /// Whether the member leads to another page than the next: within links, or beside `next` at the top.
    private static func isOtherPage(_ member: (key: String, value: JSON), _ path: [String]) -> Bool {
        let word = DescribedName.plain(member.key)
        guard let last = path.last else { return ["prev", "previous"].contains(word) && member.value.string?.contains("/") == true }
        return DescribedName.plain(last).hasSuffix("links") && ["first", "prev", "previous", "last"].contains(word)
    }

    private func isNullable(_ path: [String], _ operation: DescribedOperation) -> Bool {
        let schema = description.schema(path, of: operation.schema)
        return schema.map { SchemaScalar(schema: $0, name: path.last ?? "").misfit(.null) == nil } ?? true
    }

    private func page(_ fact: PageFact, _ path: [String], _ operation: DescribedOperation) -> JSON {
        let above = Array(path.dropLast())
        let example = path.reduce(operation.body?.json) { $0?[$1] }
        guard fact == .next || fact == .address, let name = path.last,
            example == .null || description.requires(name, description.schema(above, of: operation.schema))
        else { return ["page": .string(fact.rawValue)] }
        return ["page": .string(fact.rawValue), "default": isNullable(path, operation) ? .null : ""]
    }

    /// The path's parameter whose value the member repeats.
    private func parameter(named name: String?, _ value: JSON, _ operation: DescribedOperation) -> String? {
        guard let name, value.string != nil else { return nil }
        return operation.path.parameters.first { parameter in
            guard let table = tables.table(named: parameter, operation.path), let key = tables.found[table].key else { return false }
            let isNamed =
                DescribedName.plain(name) == DescribedName.plain(parameter) || DescribedName.plain(name) == DescribedName.plain(key)
            return isNamed && !DescribedName.ids.contains(DescribedName.plain(name))
                || tables.found[table].rows.first?[key] == value && isNamed
        }
    }

    private func mentions(_ json: JSON, _ parameter: String, _ operation: DescribedOperation) -> Bool {
        json.object?.members.contains {
            self.parameter(named: $0.key, $0.value, operation) == parameter || mentions($0.value, parameter, operation)
        }
            ?? false
    }

    // MARK: new rows

    /// The row that a POST to a list adds, and the response with it; nil if the example is none of the list's rows.
    private func insert(_ operation: DescribedOperation, _ json: JSON, _ index: Int) -> (insert: JSON, response: JSON)? {
        guard operation.method == "POST", !operation.isRead, (200..<300).contains(operation.status),
            let table = tables.found.firstIndex(where: { $0.path.unnamed == operation.steps.unnamed && $0.key != nil }),
            let key = tables.found[table].key, !operation.isOpen || !owned.isPersonal(table),
            let (path, row) = DescribedTables.row(in: json, tables.found[table].thing, key), row[key] != nil,
            !TemplateWords.occur(in: .object(row)), !row.keys.contains(where: { $0.hasPrefix("_") }),
            path.isEmpty || !ListLocation.isHidden(by: json, on: path),
            let id = newKey(row[key] ?? .null, description.schema(path + [key], of: operation.schema))
        else { return nil }
        let found = tables.found[table]
        var members = JSONObject()
        members[key] = id
        for member in row.members where member.key != key { members[member.key] = echoed(member.value, [member.key], operation) }
        if let parent = found.parent, members[parent.field] == nil {
            guard let parameter = operation.path.parameters.first(where: { tables.table(named: $0, operation.path) == parent.table }) else {
                return nil
            }
            members[parent.field] = ["path": .string(parameter)]
        } else if found.isOwned {
            members["_customer"] = ["customer": "login"]
        } else if let field = found.customerField {
            members[field] = ["customer": "login"]
        }
        var response: JSON = ["inserted": .string(found.name)]
        if let first = path.first, let object = json.object {
            response = .object(object.compactMapValues { $0 == first ? response : TemplateWords.constant($1) })
        }
        return ([found.name: .object(members)], response)
    }

    /// The response of an operation that pays, with a new id for each payment; nil if the example has none that can be made new.
    func paid(_ operation: DescribedOperation) -> JSON? {
        let thing = DescribedName.singular(operation.noun)
        guard operation.insert == nil, let json = operation.body?.json, let written = operation.response,
            let (path, row) = DescribedTables.row(in: json, thing, "id"),
            let key = row.keys.first(where: { DescribedName.isID($0, of: thing) }), let example = row[key],
            !(path + [key]).contains(where: { $0.contains(".") })
        else { return nil }
        let isFile = written["file"] != nil
        guard !isFile || !TemplateWords.occur(in: json) else { return nil }
        let template = isFile ? echoed(json, [], operation) : written
        let location = (path + [key]).joined(separator: ".")
        // A value of the request's own stays.
        guard template.at(location) == example else { return template }
        guard let id = newKey(example, description.schema(path + [key], of: operation.schema)), var made = template.object else {
            return nil
        }
        made.set(id, at: location)
        return .object(made)
    }

    /// A new key of that form; nil if it cannot be made: a number, or a text of a pattern.
    private func newKey(_ value: JSON, _ schema: LocatedNode?) -> JSON? {
        guard let text = value.string else { return nil }
        if isUUID(text) { return ["uuid": ""] }
        guard ["pattern", "enum", "const", "format"].allSatisfy({ schema?[$0] == nil }) else { return nil }
        let prefix = String(text.prefix { $0.isASCII && ($0.isLetter || $0 == "_" || $0 == "-") })
        if let longest = schema?["maxLength"]?.json.int, longest < 36 + Int64(prefix.utf8.count) { return nil }
        return ["uuid": .string(prefix)]
    }

    /// The value from the request's body, where a required field of it has that path and form; else the example's.
    private func echoed(_ value: JSON, _ path: [String], _ operation: DescribedOperation) -> JSON {
        if let field = operation.fields.first(where: { $0.path == path.joined(separator: ".") }), operation.takes != nil, field.isRequired,
            let kind = field.kind, ![.object, .list].contains(kind), kind.fits(value)
        {
            if !operation.isForm { return ["body": .string(field.path)] }
            // The fields of a form are texts, whatever their schemas say.
            if kind == .text, path.count == 1 { return ["form": .string(field.path)] }
        }
        guard let object = value.object, path.count < 4 else { return TemplateWords.constant(value) }
        return .object(object.compactMapValues { echoed($1, path + [$0], operation) })
    }
}
