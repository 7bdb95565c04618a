import BankCore
import BankModel

/// Learns operations and tables from exchanges without secrets.
struct TrafficLearner {
    let notes: Notes
    /// In the order of time.
    let exchanges: [LearnedExchange]
    private(set) var operations: [LearnedOperation] = []
    var tables: [LearnedTable] = []
    var customers: [LearnedCustomer] = []
    private(set) var signIn: SignInLearner
    private(set) var dialect = LearnedDialect()
    /// The lists by the name of their table.
    var lists: [String: LearnedList] = [:]
    private var names: Set<String> = []
    private var tableNames = Names()
    /// What a payment or an insertion explains of later responses: rows that are new, and amounts that fall.
    var newRows: [String: Set<String>] = [:]

    init(_ exchanges: [LearnedExchange], notes: Notes, passwords: () -> String) {
        self.notes = notes
        var exchanges = exchanges
        var writes = 0
        for index in exchanges.indices {
            exchanges[index].era = writes
            if exchanges[index].isWrite, exchanges[index].isSuccess { writes += 1 }
        }
        self.exchanges = exchanges
        signIn = SignInLearner(exchanges, notes: notes)
        customers = signIn.users.map { LearnedCustomer(login: $0, password: passwords()) }
        if signIn.hasTokens, customers.isEmpty { customers = [LearnedCustomer(login: "customer", password: passwords())] }
    }

    /// The customer whose token a request had.
    func customer(_ exchange: LearnedExchange) -> String {
        exchange.token.map { signIn.owners[$0] ?? customers.first?.login ?? "" } ?? ""
    }

    // MARK: learning

    mutating func learn() {
        for operation in signIn.operations { add(operation) }
        let plain = exchanges.filter { ![.login, .refresh, .logout].contains($0.role) }
        for exchange in exchanges where exchange.status >= 400 && !signIn.handles(exchange) { dialect.add(exchange) }
        let calls = TrafficLearner.groups(plain) { $0.call }
        let reads = calls.filter { $0[0].method == "GET" }
        var rest: [[LearnedExchange]] = []
        // Shorter paths first: a list's rows have lists of their own.
        for call in reads.sorted(by: { $0[0].segments.count < $1[0].segments.count }) {
            if let left = learnList(call) { rest.append(left) }
        }
        var others: [[LearnedExchange]] = []
        for call in rest { if let left = learnRow(call) { others.append(left) } }
        var writes = WriteLearner(self)
        for call in calls where call[0].method != "GET" { others.append(writes.learn(call)) }
        tables = writes.tables
        newRows = writes.newRows
        for index in tables.indices where newRows[tables[index].name] != nil { tables[index].findOrder() }
        for operation in writes.operations { add(operation) }
        for call in others { learnCanned(call) }
        noteChanges(reads)
    }

    /// The exchanges in groups, in the order of their first ones.
    static func groups(_ exchanges: [LearnedExchange], by name: (LearnedExchange) -> String) -> [[LearnedExchange]] {
        var places: [String: Int] = [:]
        var groups: [[LearnedExchange]] = []
        for exchange in exchanges {
            let name = name(exchange)
            if let place = places[name] {
                groups[place].append(exchange)
            } else {
                places[name] = groups.count
                groups.append([exchange])
            }
        }
        return groups
    }

    private mutating func add(_ operation: LearnedOperation) {
        if let known = operations.firstIndex(where: { $0.demand == operation.demand }) {
            operations[known].exchanges += operation.exchanges
            return
        }
        var operation = operation
        if operation.name.isEmpty {
            let words = operation.path.parts.compactMap { part -> String? in
                guard case .literal(let text) = part, !(text.hasPrefix("v") && Int(text.dropFirst()) != nil) else { return nil }
                return text.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
            }
            var name = words.joined()
            if case .parameter? = operation.path.parts.last, !name.isEmpty { name = AddressLearner.singular(name) }
            operation.name = operation.method.lowercased() + name
        }
        let base = operation.name
        var number = 1
        while !names.insert(operation.name).inserted {
            number += 1
            operation.name = "\(base)\(number)"
        }
        operations.append(operation)
    }

    // MARK: lists and rows

    /// - Returns: the exchanges that are not answered by a list; nil if there are none.
    private mutating func learnList(_ call: [LearnedExchange]) -> [LearnedExchange]? {
        let successes = call.filter { $0.isSuccess && $0.json != nil }
        guard let first = successes.first else { return call }
        // Rows may change with a write: those of the first time are the bank's.
        let series = TrafficLearner.groups(successes) { "\($0.segments) \(customer($0))" }
        let before = series.flatMap { series in series.filter { $0.era == series[0].era } }.sorted { $0.number < $1.number }
        guard let list = LearnedList(before, viewer: customer) else { return call }
        let known = tables.first { $0.key == list.key && $0.rows.map { JSON.object($0).text } == list.rows.map { JSON.object($0).text } }
        let word = first.path.parts.lazy.reversed().compactMap { part -> String? in
            if case .literal(let text) = part, !text.isEmpty { text } else { nil }
        }.first
        var table = known ?? LearnedTable(name: "", key: list.key, rows: list.rows, path: first.path)
        var operation = LearnedOperation(first, among: successes)
        if known == nil {
            (table.belongs, operation.details["parent"]) = belongings(list, first, isOpen: operation.isOpen)
            table.holds = HoldsFinder(list.rows).holds
        }
        let visible = Dictionary(uniqueKeysWithValues: Set(before.map(customer)).map { ($0, rows(of: list, for: $0, table)) })
        let wrong = before.filter { !list.reproduces($0, visible[customer($0)] ?? []) }
        guard wrong.count < before.count, !wrong.contains(where: \.query.isEmpty) else { return call }
        if known == nil {
            table.name = tableNames.kept(word ?? "rows")
            tables.append(table)
            if table.belongs == "owner" {
                for index in customers.indices {
                    customers[index].owns[table.name] = list.rows.compactMap { $0[list.key]?.plainText }
                        .filter { list.viewers[$0]?.contains(customers[index].login) ?? false }
                }
            }
        }
        lists[table.name] = list
        operation.reply = .template(list.reply(table: table.name))
        operation.example = list.example(visible[customer(first)] ?? list.rows)
        setHeaders(&operation)
        noteWhitespace(operation)
        if let paging = list.paging, paging.style == "cursor" || paging.style == "link-header" {
            note(.approximate, first, "the bank makes its own values of `\(paging.cursor)`; the recorded ones lead to no page")
        } else if list.paging == nil, let cursor = first.json.flatMap(CommonMembers.cursor) {
            _ = cursor
            note(.approximate, first, "the response names a next page that was not recorded; the bank repeats its name")
        }
        add(operation)
        let left = call.filter { exchange in !exchange.isSuccess || wrong.contains { $0.number == exchange.number } }
        return left.isEmpty ? nil : left
    }

    private func rows(of list: LearnedList, for customer: String, _ table: LearnedTable) -> [JSONObject] {
        guard table.belongs == "owner" else { return list.rows }
        return list.rows.filter { row in row[list.key].flatMap { list.viewers[$0.plainText] }?.contains(customer) ?? false }
    }

    /// Whose the rows are, and the row that must exist.
    private func belongings(_ list: LearnedList, _ exchange: LearnedExchange, isOpen: Bool) -> (belongs: JSON?, parent: JSON?) {
        guard let parameter = exchange.path.parameters.last else { return (isOpen ? nil : "owner", nil) }
        let values = list.rows.compactMap { $0["_\(parameter)"]?.string }
        let place = exchange.path.parts.firstIndex(of: .parameter(parameter)) ?? 0
        let parent = tables.first { table in
            table.path.parts.elementsEqual(exchange.path.parts[..<place]) && values.allSatisfy { table.row($0) != nil }
        }
        guard let parent else { return (nil, nil) }
        let row: JSON = .one(parent.name, ["path": .string(parameter)])
        return (parent.belongs == nil || isOpen ? nil : .one("_\(parameter)", .string(parent.name)), isOpen && parent.belongs != nil ? nil : row)
    }

    /// An operation that shows one row of a list, or one object for each value of the path's parameters.
    ///
    /// - Returns: the exchanges that are not answered by it; nil if there are none.
    private mutating func learnRow(_ call: [LearnedExchange]) -> [LearnedExchange]? {
        let successes = call.filter { $0.isSuccess && $0.json?.object != nil && $0.query.isEmpty }
        guard let first = successes.first, let parameter = first.path.parameters.last,
            call.allSatisfy({ !$0.isSuccess || $0.json?.object != nil && $0.query.isEmpty && $0.status == first.status })
        else { return call }
        let versions = TrafficLearner.groups(successes) { $0.address }.map { $0[0] }
        var operation = LearnedOperation(first, among: successes)
        operation.example = first.json
        let list = tables.first { $0.path.parts.elementsEqual(first.path.parts.dropLast()) && first.path.parts.last == .parameter(parameter) }
        if let list,
            versions.allSatisfy({ version in
                version.parameters[parameter].flatMap(list.row).map { LearnedTable.sent($0).text } == version.json?.text
            })
        {
            operation.reply = .template(row(list.name, [(list.key, parameter)]))
        } else {
            let hasHidden = versions.contains { $0.json?.object?.keys.contains { $0.hasPrefix("_") } ?? true }
            let customers = Set(versions.map(customer))
            guard !hasHidden, customers.count == 1, versions.count == Set(versions.map { $0.segments }).count else { return call }
            let rows = versions.compactMap { version -> JSONObject? in
                guard let object = version.json?.object else { return nil }
                let own = version.path.parameters.map { (key: "_\($0)", value: JSON.string(version.parameters[$0] ?? "")) }
                return JSONObject([(key: "_key", value: .string(own.map { $0.value.plainText }.joined(separator: "/")))] + own + object.members)
            }
            let base = first.path.parts.lazy.reversed().compactMap { part -> String? in
                if case .literal(let text) = part, !text.isEmpty { text } else { nil }
            }.first
            var table = LearnedTable(name: tableNames.kept("one-\(base ?? "row")"), key: "_key", rows: rows, path: first.path)
            (table.belongs, operation.details["parent"]) = detailBelongings(first, versions, isOpen: operation.isOpen)
            tables.append(table)
            operation.reply = .template(row(table.name, first.path.parameters.map { ("_\($0)", $0) }))
        }
        setHeaders(&operation)
        noteWhitespace(operation)
        add(operation)
        let left = call.filter { !$0.isSuccess }
        return left.isEmpty ? nil : left
    }

    private func detailBelongings(_ first: LearnedExchange, _ versions: [LearnedExchange], isOpen: Bool) -> (JSON?, JSON?) {
        for parameter in first.path.parameters.reversed() {
            let place = first.path.parts.firstIndex(of: .parameter(parameter)) ?? 0
            let parent = tables.first { table in
                table.path.parts.elementsEqual(first.path.parts[..<place])
                    && versions.allSatisfy { $0.parameters[parameter].flatMap(table.row) != nil }
            }
            guard let parent, !isOpen, parent.belongs != nil else { continue }
            return (
                .one("_\(parameter)", .string(parent.name)),
                .one(parent.name, ["path": .string(parameter)])
            )
        }
        return (nil, nil)
    }

    private func row(_ table: String, _ filters: [(field: String, parameter: String)]) -> JSON {
        let fields = filters.map { (key: $0.field, value: ["path": .string($0.parameter)] as JSON) }
        return ["row": .string(table), "where": .object(JSONObject(fields))]
    }

    // MARK: canned responses

    /// Each different request of the call gets the response that was recorded.
    private mutating func learnCanned(_ call: [LearnedExchange]) {
        for requests in TrafficLearner.groups(call, by: \.address) {
            let answered = requests.filter { $0.isSuccess || $0.status < 400 }
            let rejected = requests.filter { $0.status >= 400 && !dialect.answers($0) }
            let bodies = TrafficLearner.groups(answered + rejected) { String(decoding: $0.exchange.requestBody ?? [], as: UTF8.self) }
            for same in bodies {
                let kept = same.first { $0.status < 400 } ?? same[0]
                let others = same.filter { $0.status != kept.status || $0.exchange.responseBody != kept.exchange.responseBody }
                if let other = others.first {
                    let numbers = others.map { String($0.number) }.joined(separator: ", ")
                    note(
                        .approximate, other,
                        "the response differs from that of exchange \(kept.number), also in exchange \(numbers), and no relation to a write was found; "
                            + "the bank sends that of exchange \(kept.number)")
                }
                var operation = exact(kept, among: same)
                if bodies.count > 1, kept.isWrite { demandBody(kept, &operation) }
                operation.reply =
                    kept.exchange.responseBody?.isEmpty ?? true
                    ? .none : .file(kept.exchange.responseBody ?? [], contentType: kept.contentType)
                setHeaders(&operation)
                if kept.hasKey, kept.isSuccess { operation.details["key"] = "dialect" }
                add(operation)
            }
        }
    }

    /// An operation for exactly this address.
    private func exact(_ exchange: LearnedExchange, among exchanges: [LearnedExchange]) -> LearnedOperation {
        var operation = LearnedOperation(exchange, among: exchanges)
        for (index, part) in exchange.path.parts.enumerated() {
            guard case .parameter(let name) = part else { continue }
            let segment = exchange.segments[index]
            let isPlain = segment.utf8.allSatisfy { byte in
                "-._~:@!$'()*,;".utf8.contains(byte) || Character(Unicode.Scalar(byte)).isLetter && byte < 0x80 || byte >= 0x30 && byte <= 0x39
            }
            if isPlain { operation.path.parts[index] = .literal(segment) } else { operation.require("path", name, .string(segment)) }
        }
        for field in exchange.query { operation.require("query", field.name, .string(field.value)) }
        return operation
    }

    private func demandBody(_ exchange: LearnedExchange, _ operation: inout LearnedOperation) {
        let body = exchange.exchange.requestBody ?? []
        guard !body.isEmpty, body.firstRange(of: SecretFields.mark.utf8) == nil else { return }
        if exchange.isForm {
            for field in exchange.fields { operation.require("form", field.name, .string(field.value)) }
        } else if let json = exchange.requestJSON {
            operation.when["json"] = json
        } else {
            operation.when["text"] = .string(String(decoding: body, as: UTF8.self))
        }
    }

    // MARK: notes

    func note(_ effect: ImportWarning.Effect, _ exchange: LearnedExchange, _ reason: String) {
        notes.cannot(effect, exchange.located, reason)
    }

    private static let ownHeaders: Set<String> = [
        "date", "content-length", "content-encoding", "transfer-encoding", "connection", "keep-alive", "server", "via", "alt-svc", "age",
        "vary", "trailer", "upgrade", "strict-transport-security",
        "last-modified",
    ]

    /// Keeps the headers that all responses of the operation have.
    func setHeaders(_ operation: inout LearnedOperation) {
        guard let first = operation.exchanges.first(where: { $0.status == operation.status }) else { return }
        let same = operation.exchanges.filter { $0.status == operation.status }
        var members: [(key: String, value: JSON)] = []
        for header in first.exchange.responseHeaders where !TrafficLearner.ownHeaders.contains(header.name.lowercased()) {
            let name = header.name
            let isFixed = same.allSatisfy { other in other.exchange.responseHeaders.contains { $0.name.isHeaderName(name) && $0.value == header.value } }
            guard isFixed, name.lowercased() != "link" || !header.value.contains("rel=") else { continue }
            if name.isHeaderName("etag") {
                if operation.method == "GET" { operation.details["etag"] = true }
                continue
            }
            if let known = members.firstIndex(where: { $0.key.isHeaderName(name) }) {
                members[known].value = .array((members[known].value.array ?? []) + [.string(header.value)])
            } else {
                members.append((name, [.string(header.value)]))
            }
        }
        var piece = first.located
        piece = LocatedJSON(json: .object(JSONObject(members)), file: piece.file, item: piece.item, path: piece.path)
        var reply = StubReply()
        ResponseReader(notes: notes, files: [:]).readHeaders(piece, into: &reply)
        operation.headers = reply.headers.filter { !$0.name.isHeaderName("content-type") }
    }

    private func noteWhitespace(_ operation: LearnedOperation) {
        guard let odd = operation.exchanges.first(where: { $0.isSuccess && $0.json != nil && $0.json?.bytes != $0.exchange.responseBody })
        else { return }
        note(.approximate, odd, "rows are sent without white space and optional escapes; the values are the same")
    }

    /// Lists responses that changed after a write, where neither a movement nor a new row says why.
    private func noteChanges(_ reads: [[LearnedExchange]]) {
        for call in reads {
            for same in TrafficLearner.groups(call.filter { $0.isSuccess }, by: { "\($0.address) \(customer($0))" }) {
                guard let changed = same.first(where: { $0.era > same[0].era && !isExplained($0, since: same[0]) }) else { continue }
                let writes = exchanges.filter { $0.isWrite && $0.isSuccess && $0.number > same[0].number && $0.number < changed.number }
                note(
                    .approximate, changed,
                    "the response differs from that of exchange \(same[0].number) after \(writes.first?.call ?? "a write") in exchange "
                        + "\(writes.map { String($0.number) }.joined(separator: ", ")), and no relation was found; the bank sends the first response")
            }
        }
    }

    private func isExplained(_ later: LearnedExchange, since first: LearnedExchange) -> Bool {
        guard later.exchange.responseBody != first.exchange.responseBody else { return true }
        guard let before = first.json, let after = later.json else { return false }
        let cursors = lists.values.compactMap { $0.paging?.member?.last }
        return Explanation(tables: tables, newRows: newRows, cursors: Set(cursors)).holds(before, after)
    }
}

extension LearnedExchange {
    /// The exchange in a report.
    var located: LocatedJSON { exchange.located(call) }
}

extension RecordedExchange {
    /// The exchange in a report.
    func located(_ call: String) -> LocatedJSON {
        LocatedJSON(json: .string(call), file: file, item: "exchange \(number)", path: path)
    }
}

/// Whether differences of two responses are those that a learned movement or insertion makes.
struct Explanation {
    let tables: [LearnedTable]
    /// By table, the keys of rows that the bank adds.
    let newRows: [String: Set<String>]
    /// The members that name the next page.
    let cursors: Set<String>

    func holds(_ before: JSON, _ after: JSON) -> Bool {
        switch (before, after) {
        case (.array(let old), .array(let new)):
            if new.contains(where: isNew) { return new.allSatisfy { isNew($0) || isKnown($0) } }
            return new.count == old.count && zip(old, new).allSatisfy { holds($0, $1) }
        case (.object(let old), .object(let new)):
            if let table = table(of: new) { return isSame(old, new, held: Set(table.holds?.amounts ?? [])) }
            let names = Set(old.keys + new.keys).subtracting(cursors)
            return names.allSatisfy { name in old[name].flatMap { value in new[name].map { holds(value, $0) } } ?? false }
        default: return before == after
        }
    }

    private func table(of row: JSONObject) -> LearnedTable? {
        tables.first { table in row[table.key].map { table.row($0.plainText) != nil } ?? false }
    }

    private func isKnown(_ row: JSON) -> Bool {
        guard let object = row.object, let table = table(of: object), let key = object[table.key]?.plainText,
            let known = table.row(key).flatMap({ LearnedTable.sent($0).object })
        else { return false }
        return isSame(known, object, held: Set(table.holds?.amounts ?? []))
    }

    private func isSame(_ old: JSONObject, _ new: JSONObject, held: Set<String>, below path: String = "") -> Bool {
        old.keys == new.keys
            && zip(old.members, new.members).allSatisfy { a, b in
                if held.contains(path + a.key) { return true }
                guard let inner = a.value.object, let other = b.value.object else { return a.value == b.value }
                return isSame(inner, other, held: held, below: path + a.key + ".")
            }
    }

    private func isNew(_ row: JSON) -> Bool {
        tables.contains { table in row[table.key].map { newRows[table.name]?.contains($0.plainText) ?? false } ?? false }
    }
}
