import BankModel

extension SessionState {
    /// The rows that a query selects, as sent; sets the scope's next page.
    mutating func list(_ query: RowsQuery, _ scope: inout Scope) throws(Refused) -> JSON {
        guard var rows = rows(query.table, query.filters, scope) else { return .array([]) }
        if let between = query.between { try narrow(&rows, between, query.table, scope) }
        if let near = query.near { try narrow(&rows, near, scope) }
        let wanted = try query.paging.map { paging throws(Refused) in try page(rows, paging, &scope) } ?? rows.rows(0..<rows.count)
        return .array(wanted.map { rendered($0, of: query.table, only: query.only) })
    }

    /// The first row that a query selects; `not-found` if there is none.
    mutating func find(_ query: RowQuery, _ scope: borrowing Scope) throws(Refused) -> JSON? {
        guard let found = rows(query.table, query.filters, scope)?.rows(0..<1).first else {
            let what = query.filters.map { "\($0.field) = \(text($0.value, scope) ?? "nothing")" }.joined(separator: ", ")
            throw Refused(.notFound, "no row of \(query.table) with \(what)")
        }
        let row = rendered(found, of: query.table, only: query.only)
        return query.field.map { row.at($0) } ?? row
    }

    /// The rows of a table that the caller may see and that match the filters.
    private mutating func rows(_ name: String, _ filters: [RowsQuery.Filter], _ scope: borrowing Scope) -> RowList? {
        guard let table = prepared.tables[name] else { return nil }
        var wanted: [(field: String, text: String?)] = []
        for filter in filters { wanted.append((filter.field, text(filter.value, scope))) }
        func isWanted(_ row: TableRow) -> Bool {
            isVisible(row, of: name, to: scope.customer) && wanted.allSatisfy { field($0.field, of: row)?.plainText == $0.text }
        }
        let added = inserted[name]
        let runs = added.map { self.runs($0, table, wanted, scope.customer, isWanted) } ?? []
        switch candidates(table, wanted, scope.customer) {
        case .exactly(let base): return RowList(table, base, added, runs: runs, looks: looks)
        case .among(let base):
            return RowList(table, RowList(table, base).filtered(isWanted).base, added, runs: runs, looks: looks)
        }
    }

    private mutating func narrow(
        _ rows: inout RowList, _ between: RowsQuery.Between, _ name: String, _ scope: borrowing Scope
    ) throws(Refused) {
        let from = try end(between.from, between, .start, scope)
        let to = try end(between.to, between, .end, scope)
        if from == nil && to == nil { return }
        func isWanted(_ row: TableRow) -> Bool {
            guard let text = field(between.field, of: row)?.string, let instant = instant(text, .start) else { return false }
            return from.map { instant >= $0 } ?? true && to.map { instant <= $0 } ?? true
        }
        if let order = prepared.tables[name]?.table.order, order.field == between.field {
            rows = rows.between(from, to, start: startedAt)
        } else {
            rows = rows.filtered(isWanted)
        }
    }

    private mutating func end(
        _ source: ValueSource?, _ between: RowsQuery.Between, _ side: DaySide, _ scope: borrowing Scope
    ) throws(Refused) -> Instant? {
        guard let source else { return nil }
        let text = text(source, scope)
        guard let text, !text.isEmpty else {
            if between.required {
                let found = text == nil ? "missing" : "empty"
                throw Refused(.badRequest, "\(source.place) is \(found); expected an instant such as 2026-01-12T09:15:00.000Z")
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
    /// The place of a value in a request, in words.
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
