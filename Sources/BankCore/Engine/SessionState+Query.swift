import BankModel

extension SessionState {
    /// The rows that a query asks for, as they are sent; sets the scope's next page.
    mutating func list(_ query: RowsQuery, _ scope: inout Scope) throws(Refused) -> JSON {
        var rows = allRows(query.table)
        if let customer = scope.customer {
            rows.removeAll { !isVisible($0, of: query.table, to: customer) }
        } else if prepared.tables[query.table]?.table.belongs != nil {
            rows = []
        }
        for filter in query.filters {
            let wanted = text(filter.value, scope)
            rows.removeAll { field(filter.field, of: $0)?.plainText != wanted }
        }
        if let between = query.between { try narrow(&rows, between, scope) }
        if let near = query.near { try narrow(&rows, near, scope) }
        if let paging = query.paging { rows = try page(rows, paging, &scope) }
        return .array(rows.map { rendered($0, of: query.table, only: query.only) })
    }

    /// The first row that a query asks for; `not-found` if there is none.
    mutating func find(_ query: RowQuery, _ scope: Scope) throws(Refused) -> JSON? {
        let wanted = query.filters.map { filter in (field: filter.field, text: text(filter.value, scope)) }
        let found = allRows(query.table).first { row in
            isVisible(row, of: query.table, to: scope.customer)
                && wanted.allSatisfy { field($0.field, of: row)?.plainText == $0.text }
        }
        guard let found else {
            let what = wanted.map { "\($0.field) = \($0.text ?? "nothing")" }.joined(separator: ", ")
            throw Refused(.notFound, "no row of \(query.table) with \(what)")
        }
        let row = rendered(found, of: query.table, only: query.only)
        return query.field.map { row.at($0) } ?? row
    }

    private mutating func narrow(_ rows: inout [TableRow], _ between: RowsQuery.Between, _ scope: Scope) throws(Refused) {
        let from = try end(between.from, between, .start, scope)
        let to = try end(between.to, between, .end, scope)
        if from == nil && to == nil { return }
        rows.removeAll { row in
            guard let text = field(between.field, of: row)?.string, let instant = instant(text, .start) else { return true }
            return from.map { instant < $0 } ?? false || to.map { instant > $0 } ?? false
        }
    }

    private mutating func end(
        _ source: ValueSource?, _ between: RowsQuery.Between, _ side: DaySide, _ scope: Scope
    ) throws(Refused) -> Instant? {
        guard let source else { return nil }
        guard let text = text(source, scope), !text.isEmpty else {
            if between.required {
                throw Refused(.badRequest, "\(source.place) is missing; expected an instant such as 2026-01-12T09:15:00.000Z")
            }
            return nil
        }
        guard let instant = instant(text, side) else {
            throw Refused(.badRequest, "found \(source.place) \"\(text)\", expected an instant such as 2026-01-12T09:15:00.000Z")
        }
        return instant
    }

    private enum DaySide { case start, end }

    /// An RFC 3339 instant, or a day's first or last nanosecond in UTC.
    private func instant(_ text: String, _ side: DaySide) -> Instant? {
        if let instant = Instant(rfc3339: text) { return instant }
        return CivilDate(text).map { Instant($0, nanosecondsOfDay: side == .start ? 0 : Instant.nanosecondsPerDay - 1) }
    }
}

extension ValueSource {
    /// Where a request's value is, in a person's words.
    var place: String {
        switch self {
        case .path(let name): "the path's \(name)"
        case .query(let name): "the query's \(name)"
        case .header(let name): "the header \(name)"
        case .body(let name): "the body's \(name)"
        case .form(let name): "the form's \(name)"
        case .or(let first, _): first.place
        default: "the value"
        }
    }
}
