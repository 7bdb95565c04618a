extension Bank {
    /// For each table, the sets of fields by which its rows are queried, each sorted: without the key, which has an index of
    /// its own, and without the owner's field.
    var askedFields: [String: Set<[String]>] {
        var asked: [String: Set<[String]>] = [:]
        func add(_ table: String, _ filters: [RowsQuery.Filter]) {
            guard let table = tables[table], !filters.contains(where: { $0.field == table.key }) else { return }
            asked[table.name, default: []].insert(table.askedFields(filters.map(\.field)))
        }
        func look(_ template: Template) {
            switch template {
            case .rows(let query): add(query.table, query.filters)
            case .row(let query): add(query.table, query.filters)
            case .array(let elements): elements.forEach(look)
            case .object(let members): members.forEach { look($0.value) }
            case .literal, .value, .inserted, .page: break
            }
        }
        for operation in operations { operation.templates.forEach(look) }
        for response in dialect.responses.values { response.body.map(look) }
        for body in (webhooks?.bodies ?? [:]).values { look(body) }
        for policy in consents.values { policy.bodies.values.forEach(look) }
        return asked
    }
}

extension Table {
    /// The fields of a query that an index covers.
    func askedFields(_ fields: [String]) -> [String] { fields.filter { $0 != ownerField }.sorted() }
}

extension Operation {
    /// Every template that is rendered for it.
    fileprivate var templates: [Template] {
        var templates: [Template] = []
        if case .json(let template) = response { templates.append(template) }
        if let businessFailure { templates.append(businessFailure) }
        templates += rejections.values.compactMap(\.body)
        for (row, stages) in (move?.lists.map { ($0.row, $0.stages) } ?? []) + (insert.map { [($0.row, $0.stages)] } ?? []) {
            templates.append(row)
            for case .with(let template) in [stages.settled, stages.rejected, stages.cancelled] { templates.append(template) }
            if let authorised = stages.authorised { templates.append(authorised) }
        }
        if let update { templates.append(update.changes) }
        return templates
    }
}
