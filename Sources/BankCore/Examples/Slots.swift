import BankModel

/// The locations in an operation's request that must be filled, each with candidate values.
struct Slots {
    let bank: Bank
    let operation: Operation
    /// The sender.
    let customer: String?
    let state: SessionState

    private(set) var all: [(location: RequestDraft.Location, values: [RequestDraft.Value])] = []

    init(_ operation: Operation, customer: String?, _ state: SessionState) {
        self.operation = operation
        self.customer = customer
        self.state = state
        bank = state.bank
        add(operation.key, [RequestDraft.Value("7d0c1a52-6f0e-4c0b-9d54-1f2b8a6c3e90", name: ProviderState.keyName)])
        for condition in operation.when { add(condition) }
        addGrant()
        for parent in operation.parents + [operation.update?.row, operation.delete, operation.cancel].compactMap({ $0 }) {
            add(parent.key, rows(of: parent.table))
        }
        addMove()
        addRegistration()
        addPermissions()
        addResponse()
        addBody()
        for name in operation.path.parameters { add(RequestDraft.Location.path(name), [RequestDraft.Value("example")]) }
    }

    /// Adds a location; the first values for it count.
    private mutating func add(_ location: RequestDraft.Location, _ values: [RequestDraft.Value]) {
        guard !all.contains(where: { $0.location == location }) else { return }
        all.append((location, values))
    }

    private mutating func add(_ source: ValueSource?, _ values: [RequestDraft.Value]) {
        if let location = source?.inRequest { add(location, values) }
    }

    private func rows(of table: String) -> [RequestDraft.Value] {
        state.visibleKeys(table, customer: customer).map { RequestDraft.Value(.string($0), name: table) }
    }

    // MARK: sources of values

    private mutating func add(_ condition: Condition) {
        guard let location = condition.inRequest else { return }
        switch condition.wanted {
        case .value(let value): add(location, [RequestDraft.Value(value)])
        case .like(let patterns):
            let text = patterns.count == 1 ? patterns[0].replacing("*", with: "x") : "x"
            add(location, [RequestDraft.Value(.string(text))])
        case .matches(let pattern):
            guard let text = pattern.example() else { return }
            add(location, [RequestDraft.Value(.string(text))])
        case .schema(let schema):
            guard let example = schema.source["examples"]?.array?.first else { return }
            add(.body(""), [RequestDraft.Value(example)])
        default: return
        }
    }

    private mutating func addGrant() {
        switch operation.grant {
        case .password(let user, let password, _):
            guard let known = bank.customers.first(where: { $0.login == customer }) else { return }
            add(user, [RequestDraft.Value(.string(known.login), name: "username")])
            add(password, [RequestDraft.Value(.string(known.password ?? ""), name: "password")])
        case .refresh(let token, _): add(token, [RequestDraft.Value("example", name: "refresh_token")])
        case .revoke(let token): add(token, [RequestDraft.Value("example", name: "token")])
        case .code, .client, nil: break
        }
    }

    private mutating func addMove() {
        let repeats = operation.repeats
        add(repeats?.starts, [RequestDraft.Value("2099-01-01")])
        guard let move = operation.move ?? bank.operations.first(where: { $0.name == repeats?.pays })?.move else { return }
        for side in [move.from, move.to] {
            for parent in side { add(parent.key, side.filter { $0.key == parent.key }.flatMap { rows(of: $0.table) }) }
        }
        let amounts: [JSON] =
            switch move.unit {
            case .major: ["1.00", "1", "1.000"]
            case .minor: [100]
            case .number: [1]
            }
        add(move.amount, amounts.map { RequestDraft.Value($0) })
        add(move.currency, currencies)
    }

    private mutating func addRegistration() {
        guard let registration = operation.registers, registration.about == .session else { return }
        add(registration.url, [RequestDraft.Value("http://127.0.0.1:9000/hook")])
        add(registration.events, registration.knownNames.prefix(1).map { RequestDraft.Value(registration.value(of: [$0])) })
    }

    /// A consent asks for all permissions that the bank's operations need.
    private mutating func addPermissions() {
        guard let insert = operation.insert, let field = bank.consents[insert.table]?.permissions, case .object(let members) = insert.row,
            case .value(let source)? = members.first(where: { $0.key == field })?.value, case .body(let path) = source,
            operation.body?.kind(of: path) == .texts
        else { return }
        let names = distinct(bank.operations.flatMap(\.permissions))
        add(source, [RequestDraft.Value(.array(names.map(JSON.string)))])
    }

    private var currencies: [RequestDraft.Value] {
        var texts = [bank.defaults["pay"]?["currency"]?.string].compactMap(\.self)
        for table in bank.tables.values.sorted(by: { $0.name < $1.name }) {
            if let fixed = table.holds?.fixedCurrency { texts.append(fixed.code) }
            if let field = table.holds?.currency { texts += state.visibleTexts(field, of: table.name, customer: customer) }
        }
        return distinct(texts).prefix(6).map { RequestDraft.Value(.string($0)) }
    }

    private mutating func addResponse() {
        switch operation.response {
        case .json(let template): add(template)
        case .folder(let files, let name): add(name, files.keys.sorted().map { RequestDraft.Value(.string($0)) })
        case .none, .file, .text: break
        }
    }

    private mutating func add(_ template: Template) {
        switch template {
        case .object(let members): for member in members { add(member.value) }
        case .array(let elements): for element in elements { add(element) }
        case .row(let query): add(query.filters, of: query.table)
        case .rows(let query):
            add(query.filters, of: query.table)
            guard let between = query.between, between.required else { return }
            add(between.from, [RequestDraft.Value("2000-01-01T00:00:00.000Z")])
            add(between.to, [RequestDraft.Value("2100-01-01T00:00:00.000Z")])
        case .literal, .value, .inserted, .page: break
        }
    }

    private mutating func add(_ filters: [RowsQuery.Filter], of table: String) {
        for filter in filters {
            if filter.field == bank.tables[table]?.key {
                add(filter.value, rows(of: table))
            } else {
                let texts = state.visibleTexts(filter.field, of: table, customer: customer)
                add(filter.value, texts.map { RequestDraft.Value(.string($0)) })
            }
        }
    }

    /// Adds the required fields of the body, but for an object whose members are added.
    private mutating func addBody() {
        guard let body = operation.body else { return }
        for field in body.required {
            guard body.form == .json else {
                add(RequestDraft.Location.form(field), usual(field))
                continue
            }
            let added: [String] = all.compactMap { slot in if case .body(let path) = slot.location { path } else { nil } }
            if !(body.required + added).contains(where: { $0.hasPrefix("\(field).") }) {
                add(RequestDraft.Location.body(field), usual(field))
            }
        }
    }

    /// Candidate values for a required field, of its kind if it has one.
    private func usual(_ field: String) -> [RequestDraft.Value] {
        let kind = operation.body?.kind(of: field)
        let last = (field.split(separator: ".").last.map(String.init) ?? field).lowercased()
        if kind == nil || kind == .text, last.hasSuffix("currency"), !currencies.isEmpty { return currencies }
        if kind == .text, last.hasSuffix("amount") { return [RequestDraft.Value("1.00")] }
        return [RequestDraft.Value(kind?.example ?? "Example")]
    }
}

extension Operation.BodyRule.Kind {
    /// A value of that kind, for requests in examples.
    var example: JSON {
        switch self {
        case .text: "Example"
        case .instant: "2099-12-31T00:00:00Z"  // the end of a consent is in the future
        case .number, .whole: 1
        case .flag: true
        case .list, .texts, .objects: []
        case .object: .object(JSONObject())
        }
    }
}

extension ValueSource {
    /// The location in a request; nil for a source outside it.
    package var inRequest: RequestDraft.Location? {
        switch self {
        case .path(let name): .path(name)
        case .query(let name): .query(name)
        case .header(let name): .header(name)
        case .body(let path): .body(path)
        case .form(let name): .form(name)
        case .or(let first, _): first.inRequest
        default: nil
        }
    }
}

extension Condition {
    /// The location that it examines; nil if other locations determine it.
    package var inRequest: RequestDraft.Location? {
        switch part {
        case .path: .path(name)
        case .query: .query(name)
        case .header: .header(name)
        case .form: .form(name)
        case .body: .body(name)
        case .rawQuery: .rawQuery
        case .queryNames, .state, .rawPath, .url: nil
        case .json: .body("")
        case .text: .text
        }
    }
}
