package import BankModel

extension SessionState {
    /// Renders the template; nil if it is one value that is missing.
    mutating func render(_ template: Template, _ scope: inout Scope) throws(RequestRejection) -> JSON? {
        switch template {
        case .literal(let value): return value
        case .value(let source): return value(source, scope)
        case .rows(let query): return try list(query, &scope)
        case .row(let query): return try find(query, scope)
        case .page(let fact, let other): return pageFact(fact, scope) ?? other
        case .inserted(let field):
            guard let inserted = scope.inserted else { return nil }
            let row = rendered(inserted.row, of: inserted.table)
            return field.map { row.at($0) } ?? row
        case .array(let elements):
            var values: [JSON] = []
            for element in elements {
                if let value = try render(element, &scope) { values.append(value) }
            }
            return .array(values)
        case .object(let members): return try render(members, &scope)
        }
    }

    /// Renders the members in order, but those that describe the page after its rows.
    private mutating func render(_ members: [(key: String, value: Template)], _ scope: inout Scope) throws(RequestRejection) -> JSON {
        var values: [(key: String, value: JSON)] = []
        values.reserveCapacity(members.count)
        var missing: [(position: Int, key: String, value: Template)] = []
        for member in members {
            if member.value.isOfPage {
                missing.append((values.count + missing.count, member.key, member.value))
            } else if let value = try render(member.value, &scope) {
                values.append((member.key, value))
            }
        }
        for (position, key, template) in missing {
            if let value = try render(template, &scope) { values.insert((key, value), at: min(position, values.count)) }
        }
        return .object(JSONObject(unique: values))
    }

    /// The response of an operation that was executed.
    mutating func response(_ operation: Operation, _ scope: inout Scope) throws(RequestRejection) -> BankResponse {
        var response = BankResponse(status: operation.status, headers: headers(prepared.bank.dialect.headers, scope))
        switch operation.response {
        case .none: break
        case .json(let template):
            response.body = try body(template, &scope)
            response.setHeader("Content-Type", prepared.bank.dialect.contentType)
        case .text(let source, let type):
            response.body = Array((text(source, scope) ?? "").utf8)
            if let type { response.setHeader("Content-Type", type) }
        case .file(let file): response.set(file)
        case .folder(let files, let name):
            guard let file = text(name, scope).flatMap({ files[$0] }) else { throw RequestRejection(.notFound, "there is no such file") }
            response.set(file)
        }
        if let link = scope.link { response.setHeader("Link", link) }
        response.setHeaders(headers(operation.headers, scope))
        if operation.etag {
            let tag = EntityTag(of: response.body)
            response.setHeader("ETag", tag.text)
            if operation.method == "GET" { response.tag = tag }
        }
        return response
    }

    /// The JSON text of a template.
    private mutating func body(_ template: Template, _ scope: inout Scope) throws(RequestRejection) -> [UInt8] {
        (try render(template, &scope) ?? .null).bytes(prepared.bank.dialect.jsonLayout)
    }

    /// A response of the dialect's closed list.
    ///
    /// - Parameter detail: the reason, in a sentence without secrets; nil for the dialect's own text.
    package mutating func dialectResponse(
        _ name: DialectResponseName, to request: BankRequest, detail: String? = nil, at now: Instant
    ) -> BankResponse {
        var scope = Scope(request: request, now: now)
        scope.detail = detail
        return dialectResponse(name, &scope)
    }

    mutating func dialectResponse(_ name: DialectResponseName, _ scope: inout Scope) -> BankResponse {
        guard let template = prepared.bank.dialect.responses[name] else {
            return BankResponse(status: 500, headers: headers(prepared.bank.dialect.headers, scope), name: name)
        }
        var response = self.response(template, &scope)
        response.name = name
        return response
    }

    /// The headers that the dialect sends with every response, such as `Cache-Control: no-store`.
    package mutating func dialectHeaders(to request: BankRequest, at now: Instant) -> [JournalEntry.Header] {
        headers(prepared.bank.dialect.headers, Scope(request: request, now: now))
    }

    mutating func response(_ template: ResponseTemplate, _ scope: inout Scope) -> BankResponse {
        var response = BankResponse(status: template.status, headers: headers(prepared.bank.dialect.headers, scope))
        if let body = template.body {
            response.body = (try? self.body(body, &scope)) ?? []
            response.setHeader("Content-Type", template.contentType)
        }
        response.setHeaders(headers(template.headers, scope))
        return response
    }

    mutating func headers(_ templates: [HeaderTemplate], _ scope: Scope) -> [JournalEntry.Header] {
        var headers: [JournalEntry.Header] = []
        for template in templates {
            guard let value = text(template.value, scope) else { continue }
            headers.append(JournalEntry.Header(template.name, value.onOneLine))
        }
        return headers
    }

    /// The rows that a query selects, as sent; sets the scope's next page.
    mutating func list(_ query: RowsQuery, _ scope: inout Scope) throws(RequestRejection) -> JSON {
        guard var rows = matchingRows(query.table, query.filters, scope) else { return .array([]) }
        for filter in query.given {
            guard let wanted = text(filter.value, scope), !wanted.isEmpty else { continue }
            rows = rows.filtered { field(filter.field, of: $0)?.plainText == wanted }
        }
        if let between = query.between { try narrow(&rows, between, query.table, scope) }
        if let near = query.near { try narrow(&rows, near, scope) }
        let wanted = try query.paging.map { paging throws(RequestRejection) in try page(rows, paging, &scope) } ?? rows.rows(0..<rows.count)
        return .array(wanted.map { rendered($0, of: query.table, only: query.only) })
    }

    /// The first row that a query selects; `not-found` if there is none.
    mutating func find(_ query: RowQuery, _ scope: Scope) throws(RequestRejection) -> JSON? {
        guard let found = matchingRows(query.table, query.filters, scope)?.rows(0..<1).first else {
            let what = query.filters.map { "\($0.field) = \(text($0.value, scope) ?? "nothing")" }.joined(separator: ", ")
            throw RequestRejection(.notFound, "no row of \(query.table) with \(what)")
        }
        let row = rendered(found, of: query.table, only: query.only)
        return query.field.map { row.at($0) } ?? row
    }

    /// The rows of a table that the caller may see and that match the filters.
    private mutating func matchingRows(_ name: String, _ filters: [RowsQuery.Filter], _ scope: Scope) -> RowList? {
        guard let table = prepared.tables[name] else { return nil }
        var wanted: [(field: String, text: String?)] = []
        for filter in filters { wanted.append((filter.field, text(filter.value, scope))) }
        func isWanted(_ row: TableRow) -> Bool {
            isVisible(row, of: table, to: scope.customer) && wanted.allSatisfy { field($0.field, of: row)?.plainText == $0.text }
        }
        let added = rows.added[name]
        let runs = added.map { self.runs($0, table, wanted, scope.customer, isWanted) } ?? []
        switch candidates(table, wanted, scope.customer) {
        case .exactly(let base): return RowList(table, shown(base, of: table), added, runs: runs, rowScans: rowScans)
        case .among(let base):
            return RowList(table, RowList(table, shown(base, of: table)).filtered(isWanted).base, added, runs: runs, rowScans: rowScans)
        }
    }

    private mutating func narrow(
        _ rows: inout RowList, _ between: RowsQuery.Between, _ name: String, _ scope: Scope
    ) throws(RequestRejection) {
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
        _ source: ValueSource?, _ between: RowsQuery.Between, _ side: DaySide, _ scope: Scope
    ) throws(RequestRejection) -> Instant? {
        guard let source else { return nil }
        let text = text(source, scope)
        guard let text, !text.isEmpty else {
            if between.required {
                let found = text == nil ? "missing" : "empty"
                throw .badRequest("\(source.location) is \(found); expected an instant such as 2026-01-12T09:15:00.000Z")
            }
            return nil
        }
        guard let instant = instant(between.ignoresZone ? SessionState.inUTC(text) : text, side) else {
            throw .badRequest("found \(source.location) \"\(text)\", expected an instant such as 2026-01-12T09:15:00.000Z")
        }
        return instant
    }

    private enum DaySide { case start, end }

    /// The text of an instant with its time zone, or none, replaced by UTC; another text as it is.
    private static func inUTC(_ text: String) -> String {
        guard let time = text.firstIndex(of: "T"), Instant(rfc3339: text) != nil || Instant(rfc3339: text + "Z") != nil else { return text }
        return text[..<(text[time...].firstIndex { "Z+-".contains($0) } ?? text.endIndex)] + "Z"
    }

    /// An RFC 3339 instant, or a day's first or last nanosecond in UTC.
    private func instant(_ text: String, _ side: DaySide) -> Instant? {
        if let instant = Instant(rfc3339: text) { return instant }
        return CivilDate(text).map { Instant($0, nanosecondsOfDay: side == .start ? 0 : Instant.nanosecondsPerDay - 1) }
    }
}

extension String {
    /// The text without line breaks: no value of a request may begin another header.
    var onOneLine: String {
        guard utf8.contains(where: { $0 == 0x0D || $0 == 0x0A }) else { return self }
        return filter { $0 != "\r" && $0 != "\n" && $0 != "\r\n" }
    }
}

extension BankResponse {
    mutating func set(_ file: StaticFile) {
        body = file.bytes
        if let type = file.contentType { setHeader("Content-Type", type) }
    }
}

extension ValueSource {
    /// The location of a value in a request, in words.
    var location: String {
        switch self {
        case .path(let name): "the path's \(name)"
        case .query(let name): "the query's \(name)"
        case .header(let name): "the header \(name)"
        case .body(let name): "the body's \(name)"
        case .form(let name): "the form's \(name)"
        case .or(let first, _): first.location
        default: "the value"
        }
    }
}
