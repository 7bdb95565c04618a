import BankModel

extension SessionState {
    /// The page of the rows that the request names; sets the scope's next page.
    mutating func page(_ rows: RowList, _ paging: Paging, _ scope: inout Scope) throws(Refused) -> [TableRow] {
        let size = try pageSize(paging, scope)
        let named = scope.request.queryValue(paging.cursor)
        if scope.twist == .expiredCursor, named != nil { throw Refused(.cursorExpired, "found a cursor that has expired") }
        var start: Int
        switch paging.style {
        case .cursor, .linkHeader: start = try named.map { text throws(Refused) in try position(after: text, in: rows) } ?? 0
        case .sinceID: start = try named.map { text throws(Refused) in try position(afterKey: text, in: rows) } ?? 0
        case .pageNumber:
            guard let number = named.map({ Int($0) }) ?? 1, number >= 1, number < 1 << 40 else {
                throw Refused(.badRequest, "found \(paging.cursor) \"\(named ?? "")\", expected a page's number from 1")
            }
            start = (number - 1) * size
        }
        if scope.twist == .overlap, start > 0 { start -= 1 }
        let page = rows.rows(min(start, rows.count)..<min(start + size, rows.count))
        defer { if scope.twist == .samePageAgain, scope.nextPage != nil { name(named, paging, &scope) } }
        guard let last = page.last, start + page.count < rows.count else {
            if scope.twist == .endless { name(pageWithoutEnd(named, start, size, rows, paging), paging, &scope) }
            return page
        }
        let next =
            switch paging.style {
            case .cursor, .linkHeader: PageCursor(after: start + page.count - 1, of: rows).text
            case .sinceID: last.key
            case .pageNumber: String(start / size + 2)
            }
        name(next, paging, &scope)
        return page
    }

    /// Names the page after this one.
    private func name(_ next: String?, _ paging: Paging, _ scope: inout Scope) {
        scope.nextPage = next
        guard paging.style == .linkHeader else { return }
        scope.link = next.map { "<\(baseURL)\(scope.request.path)?\(paging.cursor)=\($0)>; rel=\"next\"" }
    }

    /// A next page's name though there is none, for the fault that never ends.
    private func pageWithoutEnd(_ named: String?, _ start: Int, _ size: Int, _ rows: RowList, _ paging: Paging) -> String? {
        switch paging.style {
        case .cursor, .linkHeader: rows.count == 0 ? named : PageCursor(after: rows.count - 1, of: rows).text
        case .sinceID: rows.count == 0 ? named : rows[rows.count - 1].key
        case .pageNumber: String(start / size + 2)
        }
    }

    private func pageSize(_ paging: Paging, _ scope: borrowing Scope) throws(Refused) -> Int {
        guard let limit = paging.limit, let text = scope.request.queryValue(limit) else { return paging.size }
        guard let number = Int(text), number >= 1 else {
            throw Refused(.badRequest, "found \(limit) \"\(text)\", expected a whole number from 1 to \(paging.largest)")
        }
        return min(number, paging.largest)
    }

    private func position(after text: String, in rows: RowList) throws(Refused) -> Int {
        guard let position = PageCursor(text)?.position(in: rows) else {
            throw Refused(.cursorExpired, "found a cursor that names no row, expected one from a reply's next page")
        }
        return position + 1
    }

    private func position(afterKey key: String, in rows: RowList) throws(Refused) -> Int {
        guard let position = rows.places(ofKey: key).first else {
            throw Refused(.cursorExpired, "found the id \"\(key)\", expected that of a row seen before")
        }
        return position + 1
    }
}

/// An opaque name of the row after which a page begins: its key, and which of the rows of that key it is.
struct PageCursor {
    private let key: String
    private let occurrence: Int

    init(after position: Int, of rows: RowList) {
        let key = rows[position].key
        (self.key, occurrence) = (key, rows.places(ofKey: key).count { $0 < position })
    }

    init?(_ text: String) {
        guard text.hasPrefix("cur_"), let bytes = bytes(hexadecimal: text.dropFirst(4)) else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: "/", maxSplits: 1)
        guard parts.count == 2, let occurrence = Int(parts[0]) else { return nil }
        (key, self.occurrence) = (String(parts[1]), occurrence)
    }

    var text: String {
        "cur_" + hexadecimal(Array("\(occurrence)/\(key)".utf8))
    }

    func position(in rows: RowList) -> Int? { rows.places(ofKey: key).dropFirst(occurrence).first }
}
