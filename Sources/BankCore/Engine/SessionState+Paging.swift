package import BankModel

extension SessionState {
    /// The page of the rows that the request names; sets the scope's next page.
    mutating func page(_ rows: RowList, _ paging: Paging, _ scope: inout Scope) throws(RequestRejection) -> [TableRow] {
        let size = try pageSize(paging, scope)
        let named = paging.value(of: paging.cursor, in: scope.request, json: scope.json)
        if scope.readAlteration == .expiredCursor, named != nil {
            throw RequestRejection(.cursorExpired, "found a cursor that has expired")
        }
        var start: Int
        switch paging.style {
        case .cursor, .linkHeader: start = try named.map { text throws(RequestRejection) in try position(after: text, in: rows) } ?? 0
        case .sinceID: start = try named.map { text throws(RequestRejection) in try position(afterKey: text, in: rows) } ?? 0
        case .pageNumber:
            guard let number = named.map({ Int($0) }) ?? 1, number >= 1, number < 1 << 40 else {
                throw .badRequest("found \(paging.cursor) \"\(named ?? "")\", expected a page number from 1")
            }
            start = (number - 1) * size
        case .offset:
            guard let number = named.map({ Int($0) }) ?? 0, number >= 0, number < 1 << 40 else {
                throw .badRequest("found \(paging.cursor) \"\(named ?? "")\", expected a number of rows from 0")
            }
            start = number
        }
        scope.page = (paging, number: start / size + 1, pages: (rows.count + size - 1) / size, total: rows.count)
        if scope.readAlteration == .overlap, start > 0 { start -= 1 }
        let page = rows.rows(min(start, rows.count)..<min(start + size, rows.count))
        defer { if scope.readAlteration == .samePageAgain, scope.nextPage != nil { name(named, paging, &scope) } }
        guard let last = page.last, start + page.count < rows.count else {
            if scope.readAlteration == .endless { name(pageWithoutEnd(named, start, size, rows, paging), paging, &scope) }
            return page
        }
        let next =
            switch paging.style {
            case .cursor, .linkHeader:
                PageCursor(after: start + page.count - 1, of: rows, round: scope.readAlteration == .endless ? PageCursor.round(named) : 0)
                    .text
            case .sinceID: last.key
            case .pageNumber: String(start / size + 2)
            case .offset: String(start + page.count)
            }
        name(next, paging, &scope)
        return page
    }

    /// Stores the name of the next page.
    private func name(_ next: String?, _ paging: Paging, _ scope: inout Scope) {
        scope.nextPage = next
        guard paging.style == .linkHeader else { return }
        scope.link = nextAddress(scope).map { "<\($0)>; rel=\"next\"" }
    }

    /// The absolute address of the next page: the request's with the next page's name; nil on the last page.
    func nextAddress(_ scope: Scope) -> String? {
        guard let next = scope.nextPage, let paging = scope.page?.paging else { return nil }
        let address = baseURL + scope.request.path
        guard !paging.isInBody else { return address }
        let kept = (scope.request.query ?? "").split(separator: "&").map(String.init).filter { field in
            percentDecoded(field.prefix { $0 != "=" }, plusIsSpace: true) != paging.cursor
        }
        return address + "?" + (kept + ["\(percentEncoded(paging.cursor))=\(percentEncoded(next))"]).joined(separator: "&")
    }

    /// A fact about the page of the response; nil if it is missing.
    func pageFact(_ fact: PageFact, _ scope: Scope) -> JSON? {
        switch fact {
        case .next: scope.nextPage.map(JSON.string)
        case .address: nextAddress(scope).map(JSON.string)
        case .more: .bool(scope.nextPage != nil)
        case .total: scope.page.map { .int($0.total) }
        case .pages: scope.page.map { .int($0.pages) }
        case .number: scope.page.map { .int($0.number) }
        }
    }

    /// The name of a next page that does not exist, for the fault `endless-page`: with cursors the list begins again, and no cursor
    /// is ever repeated, as a client that only looks for a known cursor would stop by itself.
    private func pageWithoutEnd(_ named: String?, _ start: Int, _ size: Int, _ rows: RowList, _ paging: Paging) -> String? {
        switch paging.style {
        case .cursor, .linkHeader: PageCursor(beginningOfRound: PageCursor.round(named) + 1).text
        case .sinceID: rows.count == 0 ? named : rows[rows.count - 1].key
        case .pageNumber: String(start / size + 2)
        case .offset: String(start + size)
        }
    }

    private func pageSize(_ paging: Paging, _ scope: Scope) throws(RequestRejection) -> Int {
        guard let limit = paging.limit, let text = paging.value(of: limit, in: scope.request, json: scope.json) else { return paging.size }
        guard let number = Int(text), number >= 1 else {
            throw .badRequest("found \(limit) \"\(text)\", expected a whole number from 1 to \(paging.largest)")
        }
        return min(number, paging.largest)
    }

    private func position(after text: String, in rows: RowList) throws(RequestRejection) -> Int {
        guard let position = PageCursor(text)?.position(in: rows) else {
            throw RequestRejection(.cursorExpired, "found a cursor that names no row, expected one from the next page of a response")
        }
        return position + 1
    }

    private func position(afterKey key: String, in rows: RowList) throws(RequestRejection) -> Int {
        guard let position = rows.indexes(ofKey: key).first else {
            throw RequestRejection(.cursorExpired, "found the id \"\(key)\", expected that of a row returned before")
        }
        return position + 1
    }
}

extension Paging {
    /// The text of a field that names the page or its size; nil if the request has none, or an empty one in a body.
    ///
    /// - Parameter json: the body, if it was parsed.
    package func value(of field: String, in request: BankRequest, json: JSON?) -> String? {
        guard isInBody else { return request.queryValue(field) }
        let found = (json ?? (try? request.json()))?.at(field)
        return found.flatMap { $0.plainText.isEmpty ? nil : $0.plainText }
    }
}

/// An opaque name of the row after which a page begins: its key, and its index among the rows with that key.
struct PageCursor {
    /// Nil: before the first row.
    private let row: (key: String, occurrence: Int)?
    /// The number of times that an endless list has begun again, so that its cursors are never repeated; 0 for every other
    /// list.
    private let round: Int

    init(after position: Int, of rows: RowList, round: Int = 0) {
        let key = rows[position].key
        row = (key, rows.indexes(ofKey: key).count { $0 < position })
        self.round = round
    }

    /// The cursor before the first row of a list that begins again.
    init(beginningOfRound round: Int) {
        row = nil
        self.round = round
    }

    init?(_ text: String) {
        guard text.hasPrefix("cur_") else { return nil }
        let fields = text.dropFirst(4).split(separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
        if fields.count == 2 {
            // No list begins again that often: an address may contain any number.
            guard let round = Int(fields[1]), (1..<1 << 40).contains(round) else { return nil }
            self.round = round
        } else {
            round = 0
        }
        if fields[0].isEmpty, round > 0 {
            row = nil
            return
        }
        guard let bytes = bytes(hexadecimal: fields[0]) else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: "/", maxSplits: 1)
        guard parts.count == 2, let occurrence = Int(parts[0]), occurrence >= 0 else { return nil }
        row = (String(parts[1]), occurrence)
    }

    /// The round of the cursor that a request names; 0 without one.
    static func round(_ named: String?) -> Int { named.flatMap(PageCursor.init)?.round ?? 0 }

    var text: String {
        let name = row.map { hexadecimal(Array("\($0.occurrence)/\($0.key)".utf8)) } ?? ""
        return "cur_" + name + (round > 0 ? "_\(round)" : "")
    }

    /// The row's position, -1 before the first; nil if there is no such row.
    func position(in rows: RowList) -> Int? {
        guard let row else { return -1 }
        return rows.indexes(ofKey: row.key).dropFirst(row.occurrence).first
    }
}
