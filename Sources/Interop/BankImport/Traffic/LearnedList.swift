import BankCore
import BankModel

/// A list of rows in the responses to one call, and how requests choose among them.
struct LearnedList {
    /// The members that lead to the list; empty if the response is the list.
    let path: [String]
    private(set) var key = ""
    private(set) var paging: LearnedPaging?
    /// The members beside the list that say something about pages that is true of every response.
    private var facts: [(path: [String], fact: PageFact)] = []
    /// What the members that name the next page are on the last one, if they are there: null, or an empty text.
    private var ends: [[String]: JSON] = [:]
    /// The field of rows that a field of the query chooses.
    private(set) var filters: [(field: String, query: String)] = []
    private(set) var period: LearnedPeriod?
    /// With fields that begin with `_` for what rows themselves do not have.
    private(set) var rows: [JSONObject] = []
    /// The response around the list, of the first exchange.
    private let first: LearnedExchange
    private let parameters: [String]
    /// Of each row, the customers who saw it.
    private var viewers: [String: Set<String>] = [:]

    // MARK: learning

    /// - Parameters:
    ///   - exchanges: successes of one call, in the order of time, of the time before the rows changed.
    ///   - segments: what follows the call's path in other requests: keys of rows.
    ///   - viewer: who sent a request; empty for nobody.
    /// - Returns: nil if the responses are not lists, or their rows have no key.
    init?(_ exchanges: [LearnedExchange], below segments: Set<String>, viewer: (LearnedExchange) -> String) {
        guard let first = exchanges.first, let path = LearnedList.path(exchanges),
            !ListLocation.isHidden(by: first.json ?? .null, on: path),
            !exchanges.contains(where: { LearnedList.isPart($0, of: path) })
        else { return nil }
        self.path = path
        self.first = first
        parameters = first.path.parameters
        var seen: Set<String> = []
        let distinct = exchanges.flatMap { LearnedList.rows($0.json, path) }.filter { seen.insert($0.text).inserted }.compactMap(\.object)
        guard !distinct.contains(where: { $0.keys.contains { $0.hasPrefix("_") } }),
            let key = LearnedList.key(distinct, path, first, segments)
        else {
            return nil
        }
        self.key = key
        paging = LearnedPaging.find(in: exchanges, list: path, key: key)
        let uses = exchanges.uses
        if let found = paging, !found.hasOthers, let limit = found.limit, field(for: limit, exchanges, uses) != nil { paging = nil }
        period = LearnedPeriod(exchanges) { LearnedList.rows($0.json, path).compactMap(\.object) }
        let names = Set(uses.keys).subtracting([paging?.cursor, paging?.limit, period?.from, period?.to].compactMap(\.self))
        var hidden: [String] = []
        var unclear: Set<String> = []
        for name in names.sorted() {
            if let field = field(for: name, exchanges, uses) {
                filters.append((field, name))
            } else if uses[name]?.count == exchanges.count {
                hidden.append(name)
                filters.append(("_\(name)", name))
            } else {
                unclear.insert(name)
            }
        }
        var texts: [String: String] = [:]
        for exchange in ordered(exchanges) where !exchange.query.contains(where: { unclear.contains($0.name) }) {
            let values = exchange.parameters
            for row in LearnedList.rows(exchange.json, path) {
                guard var object = row.object, let id = object[key]?.plainText else { return nil }
                for name in parameters { object["_\(name)"] = values[name].map(JSON.string) }
                for name in hidden { object["_\(name)"] = exchange.query.first { $0.name == name }.map { .string($0.value) } }
                let text = JSON.object(object).text
                if let known = texts[id] {
                    guard known == text else { return nil }
                } else {
                    texts[id] = text
                    rows.append(object)
                }
                viewers[id, default: []].insert(viewer(exchange))
            }
        }
        guard !rows.isEmpty else { return nil }
        facts = findFacts(exchanges, viewer)
        for path in [paging?.member].compactMap(\.self) + facts.filter({ $0.fact == .address }).map(\.path) {
            ends[path] = exchanges.lazy.compactMap { path.reduce($0.json) { $0?[$1] } }.first { $0 == .null || $0 == "" }
        }
    }

    /// All rows before some of them, which do not show what stands between them, and pages by their numbers.
    private func ordered(_ exchanges: [LearnedExchange]) -> [LearnedExchange] {
        let choosing = Set(filters.map(\.query) + [period?.from, period?.to].compactMap(\.self))
        let isNumbered = paging.map { [.pageNumber, .offset].contains($0.style) } ?? false
        let ranked = exchanges.enumerated().map { offset, exchange in
            let isChosen = exchange.query.contains { choosing.contains($0.name) }
            // Without a name the first page is meant, whatever its number.
            return (exchange: exchange, rank: (isChosen ? 1 : 0, isNumbered ? page(exchange) ?? 0 : 0, offset))
        }
        return ranked.sorted { $0.rank < $1.rank }.map(\.exchange)
    }

    private func page(_ exchange: LearnedExchange) -> Int? {
        exchange.query.first { $0.name == paging?.cursor }.flatMap { Int($0.value) }
    }

    /// The only list of objects that all responses have, and that has rows in one.
    static func path(_ exchanges: [LearnedExchange]) -> [String]? {
        let filled = Set(exchanges.flatMap { ListLocation.all(in: $0.json ?? .null).map(\.path) })
        let common = filled.filter { path in
            exchanges.allSatisfy { path.reduce($0.json) { $0?[$1] }?.array?.allSatisfy { $0.object != nil } ?? false }
        }
        return common.count == 1 ? common.first : nil
    }

    /// Whether the path names one thing, and the list is a part of it: `{"id": "7", "splits": […]}` at `/transactions/7`.
    private static func isPart(_ exchange: LearnedExchange, of path: [String]) -> Bool {
        guard case .parameter(let name)? = exchange.path.parts.last, let id = exchange.parameters[name] else { return false }
        return path.indices.contains { index in
            let members = path[..<index].reduce(exchange.json) { $0?[$1] }?.object?.members ?? []
            return members.contains { member in
                member.value.plainText == id && (member.value.string != nil || DescribedName.plain(member.key).hasSuffix("id"))
            }
        }
    }

    /// The keys of the rows that a response lists; none if it is not a list, or its rows have no key.
    static func keys(_ exchange: LearnedExchange) -> Set<String> {
        guard let path = path([exchange]) else { return [] }
        let rows = rows(exchange.json, path).compactMap(\.object)
        return Set(key(rows, path, exchange).map { key in rows.compactMap { $0[key]?.plainText } } ?? [])
    }

    /// The field by which the rows are known.
    static func key(
        _ rows: [JSONObject], _ path: [String], _ exchange: LearnedExchange, _ segments: Set<String> = []
    ) -> String? {
        let words = [path.last] + exchange.path.parts.reversed().map { if case .literal(let word) = $0 { word } else { nil } }
        return DescribedTables.key(rows, words.compactMap(\.self).prefix(2).map(DescribedName.singular), orAnyID: true, orOf: segments)
    }

    static func rows(_ json: JSON?, _ path: [String]) -> [JSON] { path.reduce(json) { $0?[$1] }?.array ?? [] }

    /// The response with another value at that position.
    static func replaced(_ json: JSON, _ path: ArraySlice<String>, _ value: JSON?) -> JSON {
        guard let name = path.first else { return value ?? .null }
        guard var object = json.object else { return json }
        object[name] = path.count == 1 ? value : object[name].map { replaced($0, path.dropFirst(), value) }
        return .object(object)
    }

    // MARK: pages and filters

    /// The field that has the query's value in each row of a response, of the same name or the only one.
    ///
    /// - Parameter uses: the exchanges that have each name in the query.
    private func field(
        for name: String, _ exchanges: [LearnedExchange], _ uses: [String: [(index: Int, value: String)]]
    ) -> String? {
        var common: Set<String>?
        for (index, value) in uses[name] ?? [] {
            for row in LearnedList.rows(exchanges[index].json, path) {
                let fitting = Set(row.object?.members.filter { !$0.value.isContainer && $0.value.plainText == value }.map(\.key) ?? [])
                common = common?.intersection(fitting) ?? fitting
                if common?.isEmpty == true { return nil }
            }
        }
        let found = (common ?? []).sorted()
        return found.first { RecordedExchange.plain($0) == RecordedExchange.plain(name) }
            ?? (found.count == 1 && found[0] != key ? found[0] : nil)
    }

    // MARK: what the bank answers

    /// The rows of a table as requests to it choose them.
    func choices(among rows: [JSONObject]) -> RowChoices { RowChoices(rows, key: key, in: period) }

    /// The rows of a table that a request chooses, the page's position among all that fit, and their number.
    private func chosen(
        _ exchange: LearnedExchange, _ choices: inout RowChoices
    ) -> (rows: [JSONObject], start: Int, size: Int, total: Int) {
        func value(_ name: String?) -> String? { exchange.query.first { $0.name == name }?.value }
        let values = exchange.parameters
        let wanted = parameters.map { (field: "_\($0)", value: values[$0]) }
        let asked = filters.compactMap { filter in value(filter.query).map { (field: filter.field, value: $0) } }
        let choice = choices.chosen(wanted, asked, period?.bounds(value))
        let fitting = choice.rows
        guard let paging else { return (fitting, 0, max(fitting.count, 1), fitting.count) }
        let size = min(max(value(paging.limit).flatMap { Int($0) } ?? paging.size, 1), paging.largest)
        var start = 0
        if let text = value(paging.cursor) {
            switch paging.style {
            case .pageNumber: start = (max(1, Int(text) ?? 1) - 1).multipliedReportingOverflow(by: size).partialValue
            case .offset: start = max(0, Int(text) ?? 0)
            case .sinceID: start = (choice.position(of: text) ?? -1) + 1
            // The recorded cursor means nothing to the bank; where the page begins shows.
            case .cursor, .linkHeader:
                let first = LearnedList.rows(exchange.json, path).first?[key]?.plainText
                start = choice.position(of: first) ?? fitting.count
            }
        }
        start = min(max(start, 0), fitting.count)
        return (Array(fitting.dropFirst(start).prefix(size)), start, size, fitting.count)
    }

    /// The rows that a customer saw.
    func rows(seenBy customer: String) -> [JSONObject] {
        rows.filter { row in row[key].flatMap { viewers[$0.plainText] }?.contains(customer) ?? false }
    }

    /// The members about pages of which the bank sends what was recorded, in every response.
    private func findFacts(
        _ exchanges: [LearnedExchange], _ viewer: (LearnedExchange) -> String
    ) -> [(path: [String], fact: PageFact)] {
        guard paging != nil, let json = first.json else { return [] }
        var found = DescribedPaging.facts(in: json, list: path).filter { $0.fact != .next && $0.path != paging?.member }
        var choices: [String: RowChoices] = [:]
        for exchange in exchanges where !found.isEmpty {
            let customer = viewer(exchange)
            let page = chosen(exchange, &choices[customer, default: self.choices(among: rows(seenBy: customer))])
            found.removeAll { path, fact in
                let value = path.reduce(exchange.json) { $0?[$1] }
                let isLast = page.start + page.rows.count == page.total
                return switch fact {
                case .next: true
                case .address: (value?.string == nil) != isLast
                case .more: value?.bool != !isLast
                case .total: value?.int != Int64(page.total)
                case .pages: value?.int != Int64((page.total + page.size - 1) / page.size)
                case .number: value?.int != Int64(page.start / page.size + 1)
                }
            }
        }
        return found
    }

    /// Whether the bank answers the request as it was recorded, but for the name of the next page.
    ///
    /// - Parameter choices: among the rows that the customer may see.
    func reproduces(_ exchange: LearnedExchange, _ choices: inout RowChoices) -> Bool {
        guard let json = exchange.json, let pattern = first.json, exchange.status == first.status else { return false }
        let chosen = chosen(exchange, &choices)
        let sent = JSON.array(chosen.rows.map(LearnedTable.sent))
        func plain(_ json: JSON) -> JSON { pagePaths.reduce(json) { LearnedList.replaced($0, $1[...], nil) } }
        return plain(LearnedList.replaced(pattern, path[...], sent)).text == plain(json).text
    }

    /// The members that differ from page to page.
    private var pagePaths: [[String]] { [paging?.member].compactMap(\.self) + facts.map(\.path) }

    /// The fields of the query by which a request chooses rows.
    func choices(of exchange: LearnedExchange) -> [String] {
        filters.map(\.query).filter { name in exchange.query.contains { $0.name == name } }
    }

    /// The response of the operation for requests with these fields in the query.
    func response(table: String, choices: [String]) -> JSON {
        let chosen = parameters.map { (key: "_\($0)", value: ["path": .string($0)] as JSON) }
        let asked = filters.filter { choices.contains($0.query) }.map { (key: $0.field, value: ["query": .string($0.query)] as JSON) }
        let wanted = chosen + asked
        let query = JSON.object(known: [
            "rows": .string(table), "where": wanted.isEmpty ? nil : .object(JSONObject(wanted)), "between": period?.json,
            "page": paging?.json,
        ])
        guard let json = first.json, !path.isEmpty else { return query }
        var shape = LearnedList.literal(json, but: [path] + pagePaths)
        shape = LearnedList.replaced(shape, path[...], query)
        for (path, fact) in facts + [paging?.member].compactMap(\.self).map({ (path: $0, fact: PageFact.next) }) {
            shape = LearnedList.replaced(shape, path[...], JSON.object(known: ["page": .string(fact.rawValue), "default": ends[path]]))
        }
        return shape
    }

    /// The value as a template that gives it, left open along the paths.
    private static func literal(_ json: JSON, but paths: [[String]]) -> JSON {
        guard let object = json.object else { return json }
        return .object(
            object.compactMapValues { name, value in
                let inner = paths.filter { $0.first == name }.map { Array($0.dropFirst()) }
                if inner.contains([]) { return value }
                return inner.isEmpty ? TemplateWords.literal(value) : literal(value, but: inner)
            })
    }

    /// The whole list of the rows with these parameters, without pages.
    func example(_ rows: [JSONObject], _ values: [String: String]) -> JSON? {
        let fitting = rows.filter { row in parameters.allSatisfy { row["_\($0)"]?.string == values[$0] } }
        return first.json.map { LearnedList.replaced($0, path[...], .array(fitting.map(LearnedTable.sent))) }
    }
}
