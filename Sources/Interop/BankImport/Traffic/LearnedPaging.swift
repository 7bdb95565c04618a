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
        let limit = names.first { DescribedPaging.sizes.contains(RecordedExchange.plain($0)) }
        let others = names.filter { $0 != limit }
        let uses = exchanges.uses
        let addresses: [[String]: [LearnedExchange]] = others.isEmpty ? [:] : Dictionary(grouping: exchanges, by: \.segments)
        let hints = addresses.mapValues { PageHints($0, list: path, key: key) }
        for name in others {
            for (index, value) in uses[name] ?? [] {
                let exchange = exchanges[index]
                guard let before = hints[exchange.segments] else { continue }
                let word = RecordedExchange.plain(name)
                var paging = LearnedPaging(style: .cursor, cursor: name, limit: limit)
                if numbers.contains(word), Int(value) != nil {
                    paging.style = .pageNumber
                    paging.member = before.member(of: value, before: exchange.number)
                } else if DescribedPaging.offsets.contains(word), Int(value) != nil {
                    paging.style = .offset
                } else if let member = before.member(of: value, before: exchange.number) {
                    paging.member = member
                } else if before.hasLink(to: "\(name)=\(percentEncoded(value))", before: exchange.number) {
                    paging.style = .linkHeader
                } else if before.hasPage(endingWith: value, before: exchange.number) {
                    paging.style = .sinceID
                } else {
                    continue
                }
                paging.measure(addresses[exchange.segments] ?? [], list: path)
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

    /// As an operation of a bank writes it.
    var json: JSON {
        .object(known: [
            "style": .string(style.rawValue), "cursor": .string(cursor), "limit": limit.map(JSON.string), "size": .int(size),
            "largest": .int(largest),
        ])
    }
}

/// What the responses at one address say of other pages, each with the number of the first exchange that says it: there may be thousands, and
/// each request may ask for what one of them says.
private struct PageHints {
    /// The texts outside the list, each with the members that lead to it.
    private var texts: [String: (number: Int, member: [String])] = [:]
    /// `name=value`, as the addresses in headers `Link` have it (RFC 8288 §3).
    private var links: [String: Int] = [:]
    /// The keys of the last rows.
    private var lastKeys: [String: Int] = [:]

    /// - Parameter exchanges: in the order of time.
    init(_ exchanges: [LearnedExchange], list path: [String], key: String) {
        for exchange in exchanges {
            if let json = exchange.json { note(LearnedList.replaced(json, path[...], nil), [], exchange.number) }
            for field in (exchange.header("link") ?? "").split(whereSeparator: { "<>?&#;, \"".contains($0) }) {
                PageHints.note(String(field), exchange.number, in: &links)
            }
            if let last = LearnedList.rows(exchange.json, path).last?[key]?.plainText {
                PageHints.note(last, exchange.number, in: &lastKeys)
            }
        }
    }

    private mutating func note(_ json: JSON, _ path: [String], _ number: Int) {
        if let text = json.string, texts[text] == nil { texts[text] = (number, path) }
        for member in json.object?.members ?? [] { note(member.value, path + [member.key], number) }
    }

    private static func note(_ text: String, _ number: Int, in numbers: inout [String: Int]) {
        if numbers[text] == nil { numbers[text] = number }
    }

    /// The members that lead to that text outside the list, in an earlier response.
    func member(of text: String, before number: Int) -> [String]? { texts[text].flatMap { $0.number < number ? $0.member : nil } }

    /// Whether the header `Link` of an earlier response has that field of a query.
    func hasLink(to field: String, before number: Int) -> Bool { links[field].map { $0 < number } ?? false }

    /// Whether the last row of an earlier response has that key.
    func hasPage(endingWith key: String, before number: Int) -> Bool { lastKeys[key].map { $0 < number } ?? false }
}
