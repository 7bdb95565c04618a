import BankCore
import BankModel

/// Learns operations and tables from exchanges without secrets.
struct TrafficLearner {
    let notes: ImportNotes
    /// In the order of time.
    let exchanges: [LearnedExchange]
    /// The white space that most of the successful JSON responses have.
    let jsonLayout: JSONLayout
    var operations: [LearnedOperation] = []
    /// The path that all operations begin with, as far as it is one of the bank's own settings.
    var base = ""
    /// Whether operations are left out because another bank has them.
    var isPart = false
    var tables: [LearnedTable] = []
    var customers: [LearnedCustomer] = []
    private(set) var signIn: SignInLearner
    private(set) var dialect = LearnedDialect()
    /// The lists by the name of their table.
    var lists: [String: LearnedList] = [:]
    private var names = Names()
    /// The values of the parameter that follows a path, by the path.
    private let below: [String: Set<String>]
    /// The indexes of the operations by what they demand.
    private var positions: [String: Int] = [:]
    private var tableNames = Names()
    /// The indexes of the lists' tables by their keys and the texts of their rows.
    private var tablesByContent: [[String]: Int] = [:]
    /// What a payment or an insertion explains of later responses: rows that are new, and amounts that fall.
    var newRows: [String: Set<String>] = [:]

    init(_ exchanges: [LearnedExchange], notes: ImportNotes, passwords: () -> String) {
        self.notes = notes
        var exchanges = exchanges
        var writes = 0
        var keys: Set<[String]> = []
        for index in exchanges.indices {
            exchanges[index].era = writes
            guard exchanges[index].isWrite, exchanges[index].isSuccess, !exchanges[index].reportsFailure else { continue }
            // What is sent again under its key changes nothing.
            if let key = exchanges[index].key, !keys.insert([exchanges[index].address, key]).inserted { continue }
            writes += 1
        }
        self.exchanges = exchanges
        below = TrafficLearner.parameters(of: exchanges)
        jsonLayout = JSONLayout(of: exchanges)
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
        let plain = exchanges.filter { !$0.isAboutTokens && !$0.isOnSignInPage }
        for call in TrafficLearner.groups(exchanges.filter(\.isOnSignInPage), by: \.call) {
            note(.leftOut, call[0], "a step on the bank's sign-in page; docs/sign-in.md describes how to add the page")
        }
        for exchange in exchanges where exchange.status >= 400 && !exchange.isSignIn { dialect.add(exchange) }
        let calls = TrafficLearner.groups(plain) { $0.call }
        noteClocks(calls)
        let reads = calls.filter { $0[0].method == "GET" }
        // Shorter paths first: a list's rows have their own lists.
        let rest = reads.sorted { $0[0].segments.count < $1[0].segments.count }.compactMap { learnList($0) }
        var others = rest.compactMap { learnRow($0) }
        for call in calls where call[0].method != "GET" { others.append(learnWrite(call)) }
        for index in tables.indices where newRows[tables[index].name] != nil { tables[index].findOrder() }
        for call in others { learnCanned(call) }
        noteLost(calls)
        noteChanges(reads)
    }

    private static func parameters(of exchanges: [LearnedExchange]) -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        for exchange in exchanges where exchange.isSuccess {
            var above = ""
            for (part, segment) in zip(
                "\(exchange.path)".dropFirst().split(separator: "/", omittingEmptySubsequences: false), exchange.segments)
            {
                if part.hasPrefix("{") { found[above, default: []].insert(segment) }
                above += "/\(part)"
            }
        }
        return found
    }

    /// The exchanges in groups, in the order of their first ones.
    static func groups(_ exchanges: [LearnedExchange], by name: (LearnedExchange) -> String) -> [[LearnedExchange]] {
        let groups = Dictionary(grouping: exchanges.enumerated()) { name($0.element) }.values
        return groups.sorted { $0[0].offset < $1[0].offset }.map { $0.map(\.element) }
    }

    mutating func add(_ operation: LearnedOperation) {
        let demand = operation.demand
        if let known = positions[demand] {
            operations[known].exchanges += operation.exchanges
            return
        }
        var operation = operation
        if operation.name.isEmpty {
            // Without the ids of an operation for one address.
            let path = operation.exchanges.first?.path ?? operation.path
            let words = path.literals.filter { !($0.hasPrefix("v") && Int($0.dropFirst()) != nil) }.flatMap { text in
                text.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.map { $0.prefix(1).uppercased() + $0.dropFirst() }
            }
            var name = words.joined()
            if case .parameter? = path.parts.last, !name.isEmpty { name = AddressLearner.singular(name) }
            // Short enough for a key of YAML, which has at most 1,024 characters (YAML 1.2 §7.4.2), and for a line.
            operation.name = String((operation.method.lowercased() + name).prefix(60))
        }
        operation.name = names.unique(operation.name, separator: "")
        positions[demand] = operations.count
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
        let segments = below["\(first.path)"] ?? []
        guard let list = LearnedList(before, below: segments, viewer: customer) else {
            if let reason = LearnedList.reason(before, below: segments) {
                note(.approximate, first, "\(reason), so they are not a table, and are sent as recorded")
            }
            return call
        }
        let content = [list.key] + list.rows.map { JSON.object($0).text }
        let known = tablesByContent[content].map { tables[$0] }
        var table = known ?? LearnedTable(name: "", key: list.key, rows: list.rows, path: first.path)
        var operation = LearnedOperation(first, among: successes)
        if known == nil {
            (table.belongs, operation.details["parent"]) = belongings(list, first, isOpen: operation.isOpen)
            table.holds = LearnedHolds(of: list.rows)
        }
        let visible = Dictionary(uniqueKeysWithValues: Set(before.map(customer)).map { ($0, rows(of: list, for: $0, table)) })
        var choices = visible.mapValues { list.choices(among: $0) }
        let wrong = before.filter { !list.reproduces($0, &choices[customer($0), default: list.choices(among: [])]) }
        guard wrong.count < before.count, !wrong.contains(where: \.query.isEmpty) else {
            note(
                .approximate, first, "its rows do not explain the responses around them, so they are not a table, and are sent as recorded")
            return call
        }
        let wrongNumbers = Set(wrong.map(\.number))
        if known == nil {
            table.name = tableNames.kept(first.path.literals.last ?? "rows")
            tablesByContent[content] = tables.count
            tables.append(table)
            if table.belongs == "owner" {
                for index in customers.indices {
                    let own = list.rows(seenBy: customers[index].login)
                    customers[index].owns[table.name] = own.compactMap { $0[list.key]?.plainText }
                }
            }
        }
        lists[table.name] = list
        noteWhitespace(operation)
        noteRecordedValues(of: list, first)
        if let paging = list.paging, paging.style == .cursor || paging.style == .linkHeader {
            note(.approximate, first, "the bank makes its own values of `\(paging.cursor)`; the recorded ones lead to no page")
        } else if list.paging?.hasOthers != true, first.json.flatMap(CommonMembers.cursor) != nil {
            note(.approximate, first, "the response names a next page that was not recorded; the bank repeats its name")
        }
        if list.paging?.style != .linkHeader {
            noteLink(before, list.paging.map { "because requests name pages by `\($0.cursor)`" } ?? "because no other page was recorded")
        }
        // A filter without a value chooses no row, so each set of filters has a separate operation.
        let right = successes.filter { !wrongNumbers.contains($0.number) }
        for same in TrafficLearner.groups(right, by: { list.choices(of: $0).joined(separator: "&") }) {
            var variant = LearnedOperation(same[0], among: same)
            variant.details = operation.details
            let choices = list.choices(of: same[0])
            for name in choices { variant.when["query", name] = ["like": "*"] }
            variant.response = .template(list.response(table: table.name, choices: choices))
            if choices.isEmpty {
                for (login, rows) in visible { variant.examples[login] = list.example(rows, parameters(of: first, for: login)) }
            }
            setHeaders(&variant)
            add(variant)
        }
        let left = call.filter { exchange in !exchange.isSuccess || wrongNumbers.contains(exchange.number) }
        return left.isEmpty ? nil : left
    }

    private func rows(of list: LearnedList, for customer: String, _ table: LearnedTable) -> [JSONObject] {
        table.belongs == "owner" ? list.rows(seenBy: customer) : list.rows
    }

    /// The table of which a path's parameter names a row: its list is before the parameter, or has the same noun.
    ///
    /// - Parameter values: of the parameter; each must be a row's key.
    private func parent(_ parameter: String, of path: PathTemplate, _ values: [String]) -> LearnedTable? {
        let above = path.parts.prefix { $0 != .parameter(parameter) }
        let fitting = tables.filter { table in values.allSatisfy { table.row($0) != nil } }
        return fitting.first { $0.path.parts.elementsEqual(above) }
            ?? fitting.first { table in
                guard case .literal(let noun)? = above.last, case .literal(let word)? = table.path.parts.last else { return false }
                return table.path.parameters.isEmpty && AddressLearner.singular(noun) == AddressLearner.singular(word)
            }
    }

    /// Whose the rows are, and the row that must exist.
    private func belongings(_ list: LearnedList, _ exchange: LearnedExchange, isOpen: Bool) -> (belongs: JSON?, parent: JSON?) {
        guard let parameter = exchange.path.parameters.last else { return (isOpen ? nil : "owner", nil) }
        guard let parent = parent(parameter, of: exchange.path, list.rows.compactMap { $0["_\(parameter)"]?.string }) else {
            return (nil, nil)
        }
        let row: JSON = [parent.name: ["path": .string(parameter)]]
        return (
            parent.belongs == nil || isOpen ? nil : ["_\(parameter)": .string(parent.name)], isOpen && parent.belongs != nil ? nil : row
        )
    }

    /// The path's parameters where a client reads without naming a row: the customer's first row of the list that they are of.
    private func parameters(of exchange: LearnedExchange, for customer: String) -> [String: String] {
        var parameters = exchange.parameters
        for (name, value) in parameters {
            guard let parent = parent(name, of: exchange.path, [value]), let list = lists[parent.name] else { continue }
            parameters[name] = rows(of: list, for: customer, parent).first?[parent.key]?.plainText
        }
        return parameters
    }

    /// An operation that shows one row of a list, or one object for each value of the path's parameters, or for each customer.
    ///
    /// - Returns: the exchanges that are not answered by it; nil if there are none.
    private mutating func learnRow(_ call: [LearnedExchange]) -> [LearnedExchange]? {
        let successes = call.filter { $0.isSuccess && $0.json?.object != nil && $0.query.isEmpty }
        guard let first = successes.first,
            call.allSatisfy({ !$0.isSuccess || $0.json?.object != nil && $0.query.isEmpty && $0.status == first.status })
        else { return call }
        let parameter = first.path.parameters.last
        let versions = TrafficLearner.groups(successes) { "\($0.address) \(customer($0))" }.map { $0[0] }
        var operation = LearnedOperation(first, among: successes)
        operation.examples = Dictionary(versions.compactMap { version in version.json.map { (customer(version), $0) } }) { first, _ in first
        }
        let list = tables.first {
            $0.path.parts.elementsEqual(first.path.parts.dropLast()) && first.path.parts.last == parameter.map { .parameter($0) }
        }
        if let list, let parameter, versions.allSatisfy({ list.isShown(by: $0, as: parameter) }) {
            let wanted = [(list.key, parameter)] + list.path.parameters.map { ("_\($0)", $0) }
            operation.response = .template(row(list.name, wanted.map { (field: $0.0, source: ["path": .string($0.1)] as JSON) }))
        } else {
            let hasHidden = versions.contains { $0.json?.object?.keys.contains { $0.hasPrefix("_") } ?? true }
            let (belongs, parent) = detailBelongings(first, versions, isOpen: operation.isOpen)
            let customers = Set(versions.map(customer))
            // A request without a token is nobody's, so its response is no customer's row.
            let isPersonal =
                belongs == nil && customers.count > 1 && !customers.contains("")
                && TrafficLearner.groups(versions, by: \.address).contains { Set($0.map { $0.json?.text }).count > 1 }
            guard !hasHidden, isPersonal || parameter != nil && (belongs != nil || customers.count == 1) else { return call }
            let rows = versions.compactMap { version -> JSONObject? in
                guard let object = version.json?.object else { return nil }
                let values = version.path.parameters.map { (key: "_\($0)", value: JSON.string(version.parameters[$0] ?? "")) }
                let own = values + (isPersonal ? [(key: "_customer", value: .string(customer(version)))] : [])
                return JSONObject(
                    [(key: "_key", value: .string(own.map { $0.value.plainText }.joined(separator: "/")))] + own + object.members)
            }
            let noun = first.path.literals.last ?? "row"
            var table = LearnedTable(name: tableNames.kept("one-\(noun)"), key: "_key", rows: rows, path: first.path)
            if !isPersonal, first.path.parameters.count == 1 { table.holds = LearnedHolds(of: rows) }
            (table.belongs, operation.details["parent"]) = (isPersonal ? ["_customer": "customer"] : belongs, parent)
            tables.append(table)
            let filters = first.path.parameters.map { (field: "_\($0)", source: ["path": .string($0)] as JSON) }
            operation.response = .template(row(table.name, filters + (isPersonal ? [("_customer", ["customer": "login"])] : [])))
        }
        setHeaders(&operation)
        noteWhitespace(operation)
        add(operation)
        let left = call.filter { !$0.isSuccess }
        return left.isEmpty ? nil : left
    }

    private func detailBelongings(_ first: LearnedExchange, _ versions: [LearnedExchange], isOpen: Bool) -> (JSON?, JSON?) {
        for parameter in first.path.parameters.reversed() {
            let parent = parent(parameter, of: first.path, versions.compactMap { $0.parameters[parameter] })
            guard let parent, !isOpen, parent.belongs != nil else { continue }
            return (["_\(parameter)": .string(parent.name)], [parent.name: ["path": .string(parameter)]])
        }
        return (nil, nil)
    }

    func row(_ table: String, _ filters: [(field: String, source: JSON)]) -> JSON {
        ["row": .string(table), "where": .object(JSONObject(filters.map { (key: $0.field, value: $0.source) }))]
    }
}
