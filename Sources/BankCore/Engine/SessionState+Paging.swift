import BankModel

extension SessionState {
    /// The page of the rows that the request names; sets the scope's next page.
    mutating func page(_ rows: [TableRow], _ paging: Paging, _ scope: inout Scope) throws(Refused) -> [TableRow] {
        let size = try pageSize(paging, scope)
        let named = scope.request.queryValue(paging.cursor)
        let start: Int
        switch paging.style {
        case .cursor, .linkHeader: start = try named.map { text throws(Refused) in try position(after: text, in: rows) } ?? 0
        case .sinceID: start = try named.map { text throws(Refused) in try position(afterKey: text, in: rows) } ?? 0
        case .pageNumber:
            guard let number = named.map({ Int($0) }) ?? 1, number >= 1, number < 1 << 40 else {
                throw Refused(.badRequest, "found \(paging.cursor) \"\(named ?? "")\", expected a page's number from 1")
            }
            start = (number - 1) * size
        }
        let page = rows.dropFirst(start).prefix(size)
        guard let last = page.last, start + page.count < rows.count else { return Array(page) }
        switch paging.style {
        case .cursor, .linkHeader: scope.nextPage = PageCursor(after: start + page.count - 1, of: rows).text
        case .sinceID: scope.nextPage = last.key
        case .pageNumber: scope.nextPage = String(start / size + 2)
        }
        if paging.style == .linkHeader, let next = scope.nextPage {
            scope.link = "<\(baseURL)\(scope.request.path)?\(paging.cursor)=\(next)>; rel=\"next\""
        }
        return Array(page)
    }

    private func pageSize(_ paging: Paging, _ scope: Scope) throws(Refused) -> Int {
        guard let limit = paging.limit, let text = scope.request.queryValue(limit) else { return paging.size }
        guard let number = Int(text), number >= 1 else {
            throw Refused(.badRequest, "found \(limit) \"\(text)\", expected a whole number from 1 to \(paging.largest)")
        }
        return min(number, paging.largest)
    }

    private func position(after text: String, in rows: [TableRow]) throws(Refused) -> Int {
        guard let position = PageCursor(text)?.position(in: rows) else {
            throw Refused(.cursorExpired, "found a cursor that names no row, expected one from a reply's next page")
        }
        return position + 1
    }

    private func position(afterKey key: String, in rows: [TableRow]) throws(Refused) -> Int {
        guard let position = rows.firstIndex(where: { $0.key == key }) else {
            throw Refused(.cursorExpired, "found the id \"\(key)\", expected that of a row seen before")
        }
        return position + 1
    }
}

/// An opaque name of the row after which a page begins: its key, and which of the rows of that key it is.
struct PageCursor {
    private let key: String
    private let occurrence: Int

    init(after position: Int, of rows: [TableRow]) {
        let key = rows[position].key
        (self.key, occurrence) = (key, rows[..<position].count { $0.key == key })
    }

    init?(_ text: String) {
        let digits = Array(text.utf8.dropFirst(4))
        guard text.hasPrefix("cur_"), digits.count.isMultiple(of: 2) else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
        }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: "/", maxSplits: 1)
        guard bytes.count * 2 == digits.count, parts.count == 2, let occurrence = Int(parts[0]) else { return nil }
        (key, self.occurrence) = (String(parts[1]), occurrence)
    }

    var text: String {
        "cur_" + "\(occurrence)/\(key)".utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    func position(in rows: [TableRow]) -> Int? {
        rows.indices.filter { rows[$0].key == key }.dropFirst(occurrence).first
    }
}
