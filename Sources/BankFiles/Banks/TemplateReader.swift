import BankCore
import BankModel

/// Reads templates and value sources; knows the path's parameters and the tables they may name.
struct TemplateReader {
    let loader: BankLoader
    /// The path's parameters; nil where there is no path (dialects).
    let parameters: [String]?

    private var complaints: Complaints { loader.complaints }

    /// Directives that are one value.
    private static let sources: Set<String> = [
        "path", "query", "header", "body", "form", "now", "uuid", "url", "token", "customer", "detail", "literal",
    ]
    private static let directives: Set<String> = sources.union(["rows", "row", "inserted", "page"])

    // MARK: templates

    func template(_ node: Node) -> Template? {
        switch node.content {
        case .scalar: return .literal(node.json)
        case .list(let elements): return .array(elements.compactMap(template))
        case .mapping(let members):
            if let directive = directive(members) { return read(directive, node) }
            let fields = Fields(node, of: "a shape", complaints)
            return .object(fields.all.compactMap { name, _, value in template(value).map { (key: name, value: $0) } })
        }
    }

    /// The directive that a mapping is; nil if it is literal structure.
    private func directive(_ members: [(key: Node, value: Node)]) -> String? {
        let found = members.compactMap(\.key.scalar).filter(TemplateReader.directives.contains)
        guard let first = found.first, members.count == 1 || isModified(first, members) else { return nil }
        return first
    }

    /// Whether all other keys are modifiers of the directive: else the mapping is an object that has a field of that name.
    private func isModified(_ directive: String, _ members: [(key: Node, value: Node)]) -> Bool {
        let modifiers: Set<String> =
            switch directive {
            case "rows": ["where", "between", "near", "page", "only"]
            case "row": ["where", "field", "only"]
            case "inserted": ["field"]
            default: ["default"]
            }
        return members.compactMap(\.key.scalar).allSatisfy { $0 == directive || modifiers.contains($0) }
    }

    private func read(_ directive: String, _ node: Node) -> Template? {
        switch directive {
        case "rows": return rows(node).map(Template.rows)
        case "row": return row(node).map(Template.row)
        case "page":
            let value = Fields(node, of: "page", complaints)["page"]
            if value?.scalar != "next" { return value?.wrong(complaints, "`next`") }
            return .nextPage
        case "inserted":
            let fields = Fields(node, of: "inserted", complaints)
            if let table = fields.required("inserted") { loader.require(table: table.scalar ?? "", at: table.place) }
            return .inserted(field: fields["field"]?.text(complaints))
        default: return source(node).map(Template.value)
        }
    }

    // MARK: sources

    /// A value's source: a directive, or a literal.
    func source(_ node: Node) -> ValueSource? {
        guard case .mapping = node.content else { return .literal(node.json) }
        let fields = Fields(node, of: "a value", complaints)
        let fallback = fields["default"].map { ValueSource.literal($0.json) }
        guard let name = fields.keys.first(where: TemplateReader.sources.contains), let value = fields[name] else {
            return node.wrong(complaints, "one of " + TemplateReader.sources.sorted().joined(separator: ", "))
        }
        fields.finish()
        guard let source = source(name, value) else { return nil }
        return fallback.map { .or(source, $0) } ?? source
    }

    private func source(_ name: String, _ value: Node) -> ValueSource? {
        switch name {
        case "literal": return .literal(value.json)
        case "now": return value.choice(of: DateStyle.self, complaints).map(ValueSource.now)
        case "uuid": return .uuid(prefix: value.scalar ?? "")
        case "token": return value.choice(of: ValueSource.TokenField.self, complaints).map(ValueSource.token)
        case "detail": return .detail(value.scalar ?? "")
        default: break
        }
        guard let text = value.text(complaints) else { return nil }
        switch name {
        case "path":
            if let parameters, !parameters.contains(text) {
                let known = parameters.isEmpty ? "none: the path has no parameter" : oneOf(parameters)
                complaints.add(found: "the path's `\(text)`", expected: known, at: value.place)
            }
            return .path(text)
        case "query": return .query(text)
        case "header": return .header(text)
        case "body": return .body(text)
        case "form": return .form(text)
        case "url": return .url(text)
        default: return .customer(text)
        }
    }

    // MARK: queries

    private func rows(_ node: Node) -> RowsQuery? {
        let fields = Fields(node, of: "rows", complaints)
        guard let table = fields.required("rows"), let name = table.text(complaints) else { return nil }
        loader.require(table: name, at: table.place)
        var query = RowsQuery(table: name)
        query.filters = filters(fields["where"])
        query.between = fields["between"].flatMap(between)
        query.near = fields["near"].flatMap(near)
        query.paging = fields["page"].flatMap(paging)
        query.only = fields["only"]?.texts(complaints)
        fields.finish()
        return query
    }

    private func row(_ node: Node) -> RowQuery? {
        let fields = Fields(node, of: "row", complaints)
        guard let table = fields.required("row"), let name = table.text(complaints) else { return nil }
        loader.require(table: name, at: table.place)
        let filters = filters(fields["where"])
        let field = fields["field"]?.text(complaints)
        let only = fields["only"]?.texts(complaints)
        fields.finish()
        return RowQuery(table: name, filters: filters, field: field, only: only)
    }

    private func filters(_ node: Node?) -> [RowsQuery.Filter] {
        guard let node else { return [] }
        return Fields(node, of: "where", complaints).all.compactMap { field, _, value in
            source(value).map { RowsQuery.Filter(field: field, value: $0) }
        }
    }

    private func between(_ node: Node) -> RowsQuery.Between? {
        let fields = Fields(node, of: "between", complaints)
        let field = fields.required("field")?.text(complaints)
        let from = fields["from"].flatMap(source)
        let to = fields["to"].flatMap(source)
        let required = fields["required"]?.bool(complaints) ?? false
        fields.finish()
        return field.map { RowsQuery.Between(field: $0, from: from, to: to, required: required) }
    }

    private func near(_ node: Node) -> RowsQuery.Near? {
        let fields = Fields(node, of: "near", complaints)
        let point = fields.required("point").flatMap(source)
        let within = fields.required("within").flatMap(source)
        let latitude = fields.required("lat")?.text(complaints)
        let longitude = fields.required("lng")?.text(complaints)
        fields.finish()
        guard let point, let within, let latitude, let longitude else { return nil }
        return RowsQuery.Near(point: point, within: within, latitude: latitude, longitude: longitude)
    }

    private func paging(_ node: Node) -> Paging? {
        let fields = Fields(node, of: "page", complaints)
        let style = fields.required("style")?.choice(of: Paging.Style.self, complaints)
        let cursor = fields.required("cursor")?.text(complaints)
        let limit = fields["limit"]?.text(complaints)
        let size = fields["size"]?.int(in: 1...100_000, complaints) ?? 30
        let largest = fields["largest"]?.int(in: 1...100_000, complaints) ?? max(size, 100)
        fields.finish()
        guard let style, let cursor else { return nil }
        return Paging(style: style, cursor: cursor, limit: limit, size: size, largest: largest)
    }
}
