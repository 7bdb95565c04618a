import BankCore
import BankModel

/// Reads templates and value sources; knows the path's parameters and the tables they may name.
struct TemplateReader {
    let loader: BankLoader
    /// The path's parameters; nil if there is no path (dialects).
    let parameters: [String]?
    /// The body that the operation accepts; nil if none.
    var body: Operation.BodyRule.Form?
    /// The table to which the operation adds a row, once known.
    var insertsInto: String?
    /// Whether the operation registers a webhook, once known.
    var registers = false
    /// Whether the template belongs to consents, which are still being read.
    var isOfConsent = false
    /// The properties of a movement that the template may use.
    var movement = MovementKnown.none

    enum MovementKnown {
        case none
        /// The movement itself.
        case known
        /// The movement, and one side of it.
        case side
        /// The movement, one side of it, and the event that has made it.
        case event
        /// The movement itself, and the event that has ended it.
        case ended
    }

    var complaints: Complaints { loader.complaints }

    /// Directives that are one value.
    private static let sources = Set(TemplateKeys.sources.map(\.key))

    // MARK: templates

    func template(_ node: Node) -> Template? {
        switch node.content {
        case .scalar:
            warnOfBraces(node)
            return .literal(node.json)
        case .list(let elements): return .array(elements.compactMap(template))
        case .mapping(let members):
            if let directive = directive(members) { return read(directive, node) }
            let fields = Fields(node, of: "a shape", complaints)
            return .object(fields.all.compactMap { name, _, value in template(value).map { (key: name, value: $0) } })
        }
    }

    /// The directive of a mapping; nil if it is literal structure.
    func directive(_ members: [(key: Node, value: Node)]) -> String? {
        let found = members.first { member in member.key.scalar.map { isDirective($0, member.value) } ?? false }
        guard let found, let first = found.key.scalar else { return nil }
        // A misspelt modifier must not turn a query into plain structure.
        if TemplateDirectives.queries.contains(first), let table = found.value.scalar, loader.bank.tables[table] != nil { return first }
        return members.count == 1 || isModified(first, members) ? first : nil
    }

    /// Whether a member is a directive: one with a directive as its value, such as `{token: {token: access}}`, is an ordinary field.
    private func isDirective(_ name: String, _ value: Node) -> Bool {
        guard TemplateDirectives.all.contains(name), isKnown(name) else { return false }
        guard case .mapping(let members) = value.content, !TemplateDirectives.ofMappings.contains(name) else { return true }
        return directive(members) == nil
    }

    /// Whether a directive is valid here: elsewhere its name is an ordinary field's.
    private func isKnown(_ directive: String) -> Bool {
        switch directive {
        case "move": movement != .none
        case "side", "pending": [.side, .event].contains(movement)
        case "event": [.event, .ended].contains(movement)
        case "consent": parameters == nil || isOfConsent || !loader.bank.consents.isEmpty
        case "added": insertsInto != nil
        case "webhook": registers
        default: true
        }
    }

    /// Whether all other keys are modifiers of the directive: otherwise the mapping is an object with a field of that name.
    private func isModified(_ directive: String, _ members: [(key: Node, value: Node)]) -> Bool {
        let modifiers = TemplateDirectives.modifiers[directive] ?? []
        return members.compactMap(\.key.scalar).allSatisfy { $0 == directive || modifiers.contains($0) }
    }

    private func read(_ directive: String, _ node: Node) -> Template? {
        switch directive {
        case "rows": return rows(node).map(Template.rows)
        case "row": return row(node).map(Template.row)
        case "page":
            let fields = Fields(node, of: TemplateKeys.pageFact, complaints)
            let fact = fields[TemplateKeys.fact]
            let other = fields[TemplateKeys.fallback]?.json
            fields.finish()
            return fact.map { .page($0, default: other) }
        case "inserted":
            let fields = Fields(node, of: TemplateKeys.inserted, complaints)
            if let table = fields[TemplateKeys.insertedTable], table.scalar != insertsInto {
                let expected = insertsInto.map { "\($0), the table of `insert`" } ?? "an operation with `insert`"
                complaints.add(found: "the row inserted into \(table.kindName)", expected: expected, at: table.position)
            }
            return .inserted(field: fields[TemplateKeys.insertedField])
        default: return source(node).map(Template.value)
        }
    }

    // MARK: sources

    /// A value's source: a directive, or a literal.
    func source(_ node: Node) -> ValueSource? {
        guard case .mapping = node.content else { return .literal(node.json) }
        let fields = Fields(node, of: TemplateKeys.value.what, complaints)
        let fallback = fields[TemplateKeys.fallback].map { ValueSource.literal($0.json) }
        guard let name = fields.keys.first(where: { TemplateReader.sources.contains($0) && isKnown($0) }), let value = fields[name] else {
            let known = TemplateReader.sources.filter(isKnown).sorted()
            let hint = fields.keys.lazy.map { didYouMean($0, among: known) }.first { !$0.isEmpty } ?? ""
            return node.wrong(complaints, "a value or a mapping with " + oneOf(known) + hint)
        }
        fields.finish()
        guard let source = source(name, value) else { return nil }
        return fallback.map { .or(source, $0) } ?? source
    }

    private func source(_ name: String, _ value: Node) -> ValueSource? {
        switch name {
        case "literal": return .literal(value.json)
        case "token" where parameters != nil && loader.bank.auth == nil:
            return value.wrong(complaints, "`auth` in the bank: it has no tokens")
        case "now":
            guard case .mapping = value.content else { return value.choice(of: DateStyle.self, complaints).map(ValueSource.now) }
            return date(value)
        case "path_segment": return value.int(in: 0...1000, complaints).map(ValueSource.segment)
        case "of_request": return value.choice(of: ValueSource.RequestPart.self, complaints).map(ValueSource.request)
        case "random_text": return random(value)
        case "joined":
            guard case .list(let elements) = value.content, !elements.isEmpty else {
                return value.wrong(complaints, "a list of at least one value")
            }
            return .joined(elements.compactMap(source))
        case "html_escaped": return source(value).map { .html($0) }
        case "url" where value.scalar == "": return .url("")
        case "uuid": return value.anyText(complaints).map { .uuid(prefix: $0) }
        case "openid":
            if parameters != nil, loader.bank.signIn?.openID == nil {
                return value.wrong(complaints, "`openid` in `sign_in` of the bank: it has no ID tokens")
            }
            return value.choice(of: ValueSource.OpenIDField.self, complaints).map(ValueSource.openID)
        case "challenge":
            if parameters != nil, loader.bank.challenges == nil {
                return value.wrong(complaints, "`challenges` in the bank: it challenges no request")
            }
            return value.choice(of: ValueSource.ChallengeField.self, complaints).map(ValueSource.challenge)
        case "webhook": return value.choice(of: ValueSource.WebhookField.self, complaints).map(ValueSource.webhook)
        case "token": return value.choice(of: ValueSource.TokenField.self, complaints).map(ValueSource.token)
        case "lacking": return lacking(value)
        case "consent":
            guard case .mapping = value.content else {
                return value.scalar == "account" ? .consent(.account) : value.wrong(complaints, "`account`, or values by state")
            }
            return .consent(.byState(loader.valuesByState(value)))
        case "detail": return value.anyText(complaints).map { .detail($0) }
        case "move": return value.choice(of: ValueSource.MovementField.self, complaints).map(ValueSource.movement)
        case "side": return side(value).map(ValueSource.side)
        case "event": return event(value).map(ValueSource.event)
        default: break
        }
        guard let text = value.text(complaints) else { return nil }
        switch name {
        case "path":
            requireParameter(text, at: value.position)
            return .path(text)
        case "json_path": return jsonPath(text, at: value.position)
        case "pending": return .pending(text)
        case "added": return .added(text)
        case "query": return .query(text)
        case "header": return .header(text)
        case "body":
            requireBody(.json, for: text, at: value.position)
            return .body(text)
        case "form":
            requireBody(.form, for: text, at: value.position)
            return .form(text)
        case "url":
            guard let path = PathTemplate(text) else { return value.wrong(complaints, "a path such as /content/{name}.json") }
            for parameter in path.parameters { requireParameter(parameter, at: value.position) }
            return .url(text)
        default:
            requireProfile(text, at: value.position)
            return .customer(text)
        }
    }

    private func requireParameter(_ name: String, at position: SourcePosition) {
        guard let parameters, !parameters.contains(name) else { return }
        complaints.add(
            found: "the path's `\(name)`",
            expected: parameters.isEmpty ? "none: the path has no parameter" : expectation(parameters, for: name), at: position)
    }

    func requireBody(_ form: Operation.BodyRule.Form, for field: String, at position: SourcePosition) {
        guard parameters != nil, body != form else { return }
        let what = form == .json ? "the body's" : "the form's"
        complaints.add(found: "\(what) `\(field)`", expected: "`takes: {\(form.rawValue): […]}` in the operation", at: position)
    }

    private func requireProfile(_ field: String, at position: SourcePosition) {
        guard parameters != nil, field != "login", !loader.bank.customers.contains(where: { JSON.object($0.profile).at(field) != nil })
        else {
            return
        }
        let known = ["login"] + Set(loader.bank.customers.flatMap(\.profile.keys)).sorted()
        complaints.add(found: "the customer's `\(field)`", expected: expectation(known, for: field), at: position)
    }

    // MARK: queries

    private func rows(_ node: Node) -> RowsQuery? {
        let fields = Fields(node, of: TemplateKeys.rows, complaints)
        guard let table = fields[TemplateKeys.rowsTable], let name = table.text(complaints) else { return nil }
        loader.require(table: name, at: table.position)
        var query = RowsQuery(table: name)
        query.filters = filters(fields[TemplateKeys.filter], of: name)
        query.given = self.filters(fields[TemplateKeys.given], of: name)
        query.between = fields[TemplateKeys.betweenField].flatMap { between($0, of: name) }
        query.near = fields[TemplateKeys.nearField].flatMap { near($0, of: name) }
        query.paging = fields[TemplateKeys.pageField].flatMap(paging)
        query.only = fields[TemplateKeys.only].flatMap { self.only($0, of: name) }
        fields.finish()
        return query
    }

    private func row(_ node: Node) -> RowQuery? {
        let fields = Fields(node, of: TemplateKeys.row, complaints)
        guard let table = fields[TemplateKeys.rowTable], let name = table.text(complaints) else { return nil }
        loader.require(table: name, at: table.position)
        var query = RowQuery(table: name)
        query.filters = filters(fields[TemplateKeys.filter], of: name)
        query.field = fields[TemplateKeys.rowField].flatMap { sent($0, of: name) }
        query.only = fields[TemplateKeys.only].flatMap { only($0, of: name) }
        fields.finish()
        return query
    }

    /// A field of a table's rows.
    private func field(_ node: Node, of table: String) -> String? {
        let name = node.text(complaints)
        loader.uses(name, of: table, at: node.position)
        return name
    }

    private func only(_ node: Node, of table: String) -> [String]? {
        node.elements(complaints)?.compactMap { sent($0, of: table) }
    }

    /// A field of a table's rows that is to be sent.
    private func sent(_ node: Node, of table: String) -> String? {
        guard let name = field(node, of: table) else { return nil }
        guard !name.hasPrefix("_") else { return node.wrong(complaints, "a field without `_` before it: those are never sent") }
        return name
    }

    private func filters(_ node: Node?, of table: String) -> [RowsQuery.Filter] {
        guard let node else { return [] }
        return Fields(node, of: "where", complaints).all.compactMap { field, keyNode, value in
            loader.uses(field, of: table, at: keyNode.position)
            return source(value).map { RowsQuery.Filter(field: field, value: $0) }
        }
    }

    private func between(_ node: Node, of table: String) -> RowsQuery.Between? {
        let fields = Fields(node, of: BetweenKeys.schema, complaints)
        let field = fields[BetweenKeys.field].flatMap { self.field($0, of: table) }
        var between = RowsQuery.Between(field: field ?? "")
        between.from = fields[BetweenKeys.from].flatMap(source)
        between.to = fields[BetweenKeys.to].flatMap(source)
        between.required = fields[BetweenKeys.required] ?? false
        between.ignoresZone = fields[BetweenKeys.ignoresZone] ?? false
        fields.finish()
        return field == nil ? nil : between
    }

    private func near(_ node: Node, of table: String) -> RowsQuery.Near? {
        let fields = Fields(node, of: NearKeys.schema, complaints)
        let point = fields[NearKeys.point].flatMap(source)
        let within = fields[NearKeys.within].flatMap(source)
        let latitude = fields[NearKeys.latitude].flatMap { field($0, of: table) }
        let longitude = fields[NearKeys.longitude].flatMap { field($0, of: table) }
        fields.finish()
        guard let point, let within, let latitude, let longitude else { return nil }
        return RowsQuery.Near(point: point, within: within, latitude: latitude, longitude: longitude)
    }
}
