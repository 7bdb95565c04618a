import BankCore
import BankModel

/// Finds how a list is divided into pages: the parameters that select a page, in the query or a JSON body, and the members of the response
/// that point to the next one.
struct DescribedPaging {
    /// `{style: cursor, cursor: …}`; nil if the list has no pages.
    private(set) var page: JSON?
    /// The parameters of the query that are used.
    private(set) var used: Set<String> = []
    /// Why a parameter that looks like a page's is not used.
    private(set) var reason: (parameter: DescribedParameter, text: String)?
    /// The member that names the page in the response, by its path.
    private(set) var facts: [(path: [String], fact: PageFact)] = []

    private static let cursors: Set<String> = [
        "cursor", "pagetoken", "nextcursor", "pagecursor", "nexttoken", "continuationtoken", "pagecontinuationtoken", "nextpagetoken",
        "nextpage", "pagestate", "after",
        "position", "paginationtoken", "startingtoken",
    ]
    private static let ids: Set<String> = ["startingafter", "sinceid", "lastid", "afterid"]
    private static let numbers: Set<String> = ["page", "pagenumber", "pagenum", "pageno", "pageindex", "currentpage"]
    static let offsets: Set<String> = ["offset", "skip", "startindex", "firstresult"]
    static let sizes: Set<String> = [
        "limit", "pagesize", "perpage", "count", "size", "take", "top", "maxresults", "pagelimit", "itemsperpage", "paginationlimit",
    ]

    /// - Parameters:
    ///   - json: the example of the response.
    ///   - list: where the list is in it.
    init(_ operation: DescribedOperation, _ json: JSON, list: [String]) {
        facts = DescribedPaging.facts(in: json, list: list)
        let query = operation.query.map { (name: $0.name, schema: $0.schema ?? $0.node, parameter: Optional($0)) }
        let body =
            operation.isRead && operation.method == "POST"
            ? operation.fields.map { (name: $0.path, schema: $0.schema, parameter: DescribedParameter?.none) } : []
        func first(_ words: Set<String>) -> (name: String, schema: LocatedNode, parameter: DescribedParameter?)? {
            (query + body).first { words.contains(DescribedName.plain($0.name.split(separator: ".").last.map(String.init) ?? $0.name)) }
        }
        let size = first(DescribedPaging.sizes)
        var style: Paging.Style?
        var named = first(DescribedPaging.cursors)
        if named != nil {
            style = .cursor
        } else if let found = first(DescribedPaging.ids) {
            (style, named) = (.sinceID, found)
        } else if let found = first(DescribedPaging.offsets) {
            (style, named) = (.offset, found)
        } else if let found = first(DescribedPaging.numbers) {
            let isNumber = SchemaExample.type(found.schema) == "integer" || SchemaExample.type(found.schema) == "number"
            let least = found.schema["minimum"]?.json.int ?? found.schema["default"]?.json.int ?? 1
            if isNumber, least < 1 {
                reason = found.parameter.map { ($0, "its pages are numbered from 0; a bank's are from 1") }
            } else {
                (style, named) = (isNumber ? .pageNumber : .cursor, found)
            }
        }
        if style == nil, reason == nil, facts.contains(where: { [.next, .address, .more].contains($0.fact) }) { style = .cursor }
        guard let style, reason == nil else {
            facts = []
            return
        }
        facts.removeAll { $0.fact == .number && style != .pageNumber }
        var page = JSONObject([("style", .string(style.rawValue)), ("cursor", .string(named?.name ?? "page"))])
        if let size, (size.parameter == nil) == (named.map { $0.parameter == nil } ?? (size.parameter == nil)) {
            page["limit"] = .string(size.name)
            let usual = size.schema["default"]?.json.int.flatMap { (1...1000).contains($0) ? Int($0) : nil } ?? 30
            let most = size.schema["maximum"]?.json.int.flatMap { (1...100_000).contains($0) ? Int($0) : nil } ?? 100
            page["size"] = .int(min(usual, most))
            page["largest"] = .int(max(usual, most))
            if size.parameter != nil { used.insert(size.name) }
        }
        if named != nil, named?.parameter == nil { page["in"] = "body" }
        if let name = named?.parameter?.name { used.insert(name) }
        self.page = .object(page)
    }

    /// The members beside the list and on its way, and in objects there, that are about pages by their names.
    static func facts(in json: JSON, list: [String], _ path: [String] = []) -> [(path: [String], fact: PageFact)] {
        guard let object = json.object, path.count < 4 else { return [] }
        return object.members.flatMap { member -> [(path: [String], fact: PageFact)] in
            let inner = path + [member.key]
            if inner == list { return [] }
            if let fact = DescribedPaging.fact(member.key, member.value, path) { return [(inner, fact)] }
            return DescribedPaging.facts(in: member.value, list: list, inner)
        }
    }

    private static func fact(_ name: String, _ value: JSON, _ path: [String]) -> PageFact? {
        let word = DescribedName.plain(name)
        let isInLinks = path.last.map { ["links", "link", "paging", "pagination"].contains(DescribedName.plain($0)) } ?? false
        if word == "href", path.last.map({ DescribedName.plain($0) == "next" }) == true { return .address }
        if value.isContainer { return nil }
        let isAddress = value.string.map { $0.contains("://") || $0.hasPrefix("/") } ?? false
        switch word {
        case "next": return isAddress || isInLinks && path.last.map { DescribedName.plain($0).hasPrefix("link") } == true ? .address : .next
        case "nextpageurl", "nexturl", "nextlink", "nexthref", "nextpageuri", "nexturi", "nextpagelink": return .address
        case "nextcursor", "nextpagetoken", "nexttoken", "cursor", "nextpage", "continuationtoken", "pagetoken", "cursornext":
            return isAddress ? .address : .next
        // A constant would have a client that follows it read for ever.
        case "nextoffset": return value.string == nil ? nil : .next
        case "olderurl": return .address
        case "hasmore", "hasnext", "hasnextpage", "more", "ismore", "moreavailable", "hasmorepages": return value.bool == nil ? nil : .more
        case "total", "totalcount", "totalelements", "totalitems", "totalresults", "totalrecords", "totaltransactions", "resultcount":
            return value.number == nil ? nil : .total
        case "totalpages", "pagecount", "pages", "numberofpages": return value.number == nil ? nil : .pages
        case "page", "currentpage", "pagenumber": return value.number == nil ? nil : .number
        default: return nil
        }
    }
}
