import BankCore
import BankModel

/// How a recorded list is divided into pages.
struct LearnedPaging {
    var style: Paging.Style
    /// The field of the query that names a page.
    var cursor: String
    /// The field of the query with the number of rows; nil if requests have none.
    var limit: String?
    /// The member with the next page's name.
    var member: [String]?
    /// The number of rows where a request asks for none, and the most that a request asks for.
    var size = 30
    var largest = 100
    /// Whether a request named a page; if not, only first pages were recorded.
    var hasOthers = true

    private static let numbers: Set<String> = ["page", "pagenumber", "pageno"]

    /// The paging of a list.
    ///
    /// - Parameters:
    ///   - exchanges: successes of one call, in the order of time.
    ///   - path: the members that lead to the list.
    ///   - key: the field by which the rows are known.
    /// - Returns: nil if no field of the query selects a page.
    static func find(in exchanges: [LearnedExchange], list path: [String], key: String) -> LearnedPaging? {
        let names = distinct(exchanges.flatMap { $0.query.map(\.name) })
        let limit = names.first { DescribedPaging.sizes.contains(ArchiveEntry.plain($0)) }
        for name in names where name != limit {
            for exchange in exchanges {
                guard let value = exchange.query.first(where: { $0.name == name })?.value else { continue }
                let before = exchanges.filter { $0.segments == exchange.segments && $0.number < exchange.number }
                let word = ArchiveEntry.plain(name)
                var paging = LearnedPaging(style: .cursor, cursor: name, limit: limit)
                if numbers.contains(word), Int(value) != nil {
                    paging.style = .pageNumber
                    paging.member = before.lazy.compactMap { LearnedPaging.member(of: value, in: $0, list: path) }.first
                } else if DescribedPaging.offsets.contains(word), Int(value) != nil {
                    paging.style = .offset
                } else if let member = before.lazy.compactMap({ LearnedPaging.member(of: value, in: $0, list: path) }).first {
                    paging.member = member
                } else if before.contains(where: { $0.header("link")?.contains("\(name)=\(percentEncoded(value))") ?? false }) {
                    paging.style = .linkHeader
                } else if before.contains(where: { LearnedList.rows($0.json, path).last?[key]?.plainText == value }) {
                    paging.style = .sinceID
                } else {
                    continue
                }
                paging.measure(exchanges.filter { $0.segments == exchange.segments }, list: path)
                return paging
            }
        }
        return limit.flatMap { firstPages($0, exchanges, list: path) }
    }

    /// The pages of a list whose requests ask for a number of rows, and never for another page.
    private static func firstPages(_ limit: String, _ exchanges: [LearnedExchange], list path: [String]) -> LearnedPaging? {
        let areBounded = exchanges.allSatisfy { exchange in
            guard let text = exchange.query.first(where: { $0.name == limit })?.value else { return true }
            guard let size = Int(text), size >= 1 else { return false }
            return LearnedList.rows(exchange.json, path).count <= size
        }
        guard areBounded else { return nil }
        var paging = LearnedPaging(style: .offset, cursor: "offset", limit: limit)
        paging.hasOthers = false
        paging.measure(exchanges, list: path)
        return paging
    }

    private mutating func measure(_ exchanges: [LearnedExchange], list path: [String]) {
        let asked = exchanges.compactMap { exchange in exchange.query.first { $0.name == limit }.flatMap { Int($0.value) } }
        let others = exchanges.filter { exchange in exchange.query.allSatisfy { $0.name != limit } }
        let counts = others.map { LearnedList.rows($0.json, path).count }
        // As large as a bank's pages may be.
        size = min(max(counts.max() ?? 30, 1), 100_000)
        largest = min(max(100, size, asked.max() ?? 0), 100_000)
    }

    /// The members that lead to that text outside the list.
    private static func member(of text: String, in exchange: LearnedExchange, list path: [String]) -> [String]? {
        guard let json = exchange.json else { return nil }
        func look(_ json: JSON, _ path: [String]) -> [String]? {
            if json.string == text { return path }
            return json.object?.members.lazy.compactMap { look($0.value, path + [$0.key]) }.first
        }
        return look(LearnedList.replaced(json, path[...], nil), [])
    }

    /// As an operation of a bank writes it.
    var json: JSON {
        .object(known: [
            "style": .string(style.rawValue), "cursor": .string(cursor), "limit": limit.map(JSON.string), "size": .int(size),
            "largest": .int(largest),
        ])
    }
}
