import BankCore
import BankModel
import Platform

/// Puts what was learned together as a bank's folder, its dialect and its plan.
struct LearnedBank {
    let name: String
    let learner: TrafficLearner
    let about: String
    /// The header of idempotency keys; nil if there is none.
    let keyHeader: String?
    let jitter: AmountJitter?

    /// Responses this fast need no delay.
    private static let noticeable = Duration.milliseconds(50)

    // MARK: files

    func files() -> (files: [ImportFile], rules: Int, choices: [RoleChoice]) {
        let operations = ordered
        var bodies: [ImportFile] = []
        let members = operations.map { (key: $0.name, value: definition($0, &bodies)) }
        let tables = learner.tables.map { table in
            var table = table
            if let jitter { table.rows = table.rows.map { jitter.changed(.object($0)).object ?? $0 } }
            return table
        }
        let logins = learner.signIn.hasTokens ? learner.customers.map(\.login) : [""]
        let roles = roles(operations.compactMap { described($0, for: logins[0]) })
        let pays = operations.filter { $0.role == .pay }
        let hasLogout = operations.contains { $0.role == .logout }
        let signsIn = learner.signIn.hasTokens && !learner.isPart
        let signIn = signsIn && !roles.clientOperations.isEmpty ? ["login", "status"] + (hasLogout ? ["logout"] : []) : []
        let clientOperations = (signIn + roles.clientOperations + (pays.isEmpty ? [] : ["pay", "resume"])).map(JSON.string)
        var defaults = roles.defaults
        defaults["pay"] = pays.first.flatMap(payment)
        let hasOddAmounts = tables.contains { table in
            table.rows.contains { JSON.object($0).flattened.compactMap(\.object).contains(where: LearnedBank.isOddAmount) }
        }
        let definitions = tables.map { (key: $0.name, value: definition($0)) }
        let hasPassword = operations.contains { $0.role == .login }
        let customers = learner.customers.map { $0.json(hasPassword: hasPassword, tables: tables) }
        let auth = JSON.object(known: [
            "lifetime": .string(learner.signIn.lifetime), "refresh": learner.signIn.hasRefresh ? "30d" : nil,
        ])
        let bound = [Role.login, .refresh, .logout, .pay].map { role in
            (key: role.rawValue, value: JSON.array(operations.filter { $0.role == role }.map { .string($0.name) }))
        }
        let allRoles = JSONObject(bound.filter { $0.value != [] } + roles.roles.members)
        let bank = JSON.object(known: [
            "bank": .string(name), "about": .string(about), "dialect": .string(name),
            "base": learner.base.isEmpty ? nil : .string(learner.base),
            "operations_of_a_client": clientOperations.isEmpty ? nil : .array(clientOperations),
            "defaults": defaults.members.isEmpty ? nil : .object(defaults), "dirty": hasOddAmounts ? ["amount"] : nil,
            "tables": definitions.isEmpty ? nil : .object(JSONObject(definitions)),
            "customers": learner.signIn.hasTokens ? .array(customers) : nil, "auth": learner.signIn.hasTokens ? auth : nil,
            "roles": allRoles.members.isEmpty ? nil : .object(allRoles), "operations": .object(JSONObject(members)),
        ])
        let comment = "Learned from recorded exchanges by counterfoil. The first matching operation is used."
        var files = [
            ImportFile("\(name)/bank.yaml", YAMLText.document(bank, schema: YAMLText.bankSchema, comment: comment)),
            dialect(operations),
        ]
        files += tables.map { ImportFile("\(name)/\($0.name).json", JSON.array($0.rows.map(JSON.object)).pretty + "\n") } + bodies
        let views = JSONObject(
            logins.compactMap { login in
                let name = login.isEmpty ? "anyone" : login
                let own = self.roles(operations.compactMap { $0.examples[login] == nil ? nil : described($0, for: login) })
                return own.expected([name])?[name].map { (key: name, value: $0) }
            })
        if !views.members.isEmpty {
            let comment = "The expected results. Written by counterfoil from recorded responses, based on common member names: check them."
            files.append(
                ImportFile("\(name)/expected.yaml", YAMLText.document(.object(views), schema: YAMLText.expectedSchema, comment: comment)))
        }
        let rules = delays(operations)
        if !rules.isEmpty {
            files.append(PlanText.file("outages/\(name).yaml", about: "The recorded response times of \(name).", rules: rules))
        }
        return (files, rules.count, roles.choices)
    }

    /// Who can sign in, and how, for people; nil for a bank without tokens, or if its operations are for another bank.
    var signIn: String? {
        guard learner.signIn.hasTokens, !learner.isPart else { return nil }
        let call = learner.operations.first { $0.role == .login }?.requestLine
        return Imported.signIn(to: name, by: call, learner.customers.map { (login: $0.login, password: $0.password) })
    }

    /// Those with the fewest parameters and the most conditions first.
    private var ordered: [LearnedOperation] {
        learner.operations.enumerated().sorted { a, b in
            let (x, y) = (a.element, b.element)
            return (x.path.parameters.count, -x.conditions, a.offset) < (y.path.parameters.count, -y.conditions, b.offset)
        }.map(\.element)
    }

    // MARK: operations

    private func definition(_ operation: LearnedOperation, _ bodies: inout [ImportFile]) -> JSON {
        var object = JSONObject([("request", .string("\(operation.method) \("\(operation.path)".dropFirst(learner.base.count))"))])
        if !operation.when.members.isEmpty { object["when"] = .object(operation.when) }
        if learner.signIn.hasTokens, operation.isOpen, operation.details["open"] == nil { object["open"] = true }
        for member in operation.details.members where member != (key: "key", value: "dialect") || keyHeader != nil {
            object[member.key] = member.value
        }
        if operation.status != 200 { object["status"] = .int(operation.status) }
        if !operation.headers.isEmpty {
            object["headers"] = CannedBank.headers(operation.headers.map { ($0.name, .string($0.value)) })
        }
        switch operation.response {
        case .none: break
        case .template(let template): object["reply"] = jitter.map { $0.changed(template) } ?? template
        case .file(let bytes, let type):
            let json = try? JSON(parsing: bytes)
            let suffix = json != nil ? "json" : String(validUTF8: bytes) != nil ? "txt" : "bin"
            let path = "bodies/\(operation.name).\(suffix)"
            bodies.append(ImportFile("\(name)/\(path)", jitter.map { $0.changed(bytes) } ?? bytes))
            object["reply"] = ["file": .string(path), "content_type": type.map(JSON.string) ?? .null]
        }
        return .object(object)
    }

    /// The roles of recorded reads; the rows are those of the responses, so none are made.
    private func roles(_ reads: [DescribedOperation]) -> DescribedRoles {
        var tables = DescribedTables(contentType: "application/json")
        tables.collect(reads)
        return DescribedRoles(reads, tables: tables, owned: OwnedRows(tables, customers: []))
    }

    /// - Parameter customer: whose response is the example; another one's if none is known.
    private func described(_ operation: LearnedOperation, for customer: String) -> DescribedOperation? {
        guard operation.method == "GET", case .template(let response) = operation.response,
            let recorded = operation.examples[customer] ?? operation.examples.min(by: { $0.key < $1.key })?.value
        else { return nil }
        let example = jitter?.changed(recorded) ?? recorded
        let node = LocatedNode(node: Node(.mapping([]), at: SourcePosition()), pointer: "#", item: operation.requestLine)
        var described = DescribedOperation(node: node, name: operation.name, method: operation.method, path: operation.path)
        described.body = DescribedBody(type: "application/json", json: example, bytes: example.bytes)
        described.response = response
        return described
    }

    /// The arguments of a payment: those that were recorded.
    private func payment(_ operation: LearnedOperation) -> JSON? {
        guard let exchange = operation.exchanges.first, let body = exchange.requestJSON, let move = operation.details["move"] else {
            return nil
        }
        func value(_ source: JSON?) -> JSON? {
            source?["body"]?.string.flatMap { body.at($0) } ?? source?["path"]?.string.flatMap { exchange.parameters[$0].map(JSON.string) }
        }
        let to = move["to"]?.object?.members.first?.value
        return .object(known: [
            "from": value(move["from"]?.object?.members.first?.value), "to": value(to) ?? to?.string.map(JSON.string),
            "currency": value(move["currency"]) ?? move["currency"],
        ])
    }

    // MARK: tables, dialect, delays

    private func definition(_ table: LearnedTable) -> JSON {
        .object(known: [
            "file": .string("\(table.name).json"), "key": .string(table.key), "order": table.order.map(JSON.string),
            "belongs": table.belongs, "holds": table.holds?.json,
        ])
    }

    /// Whether it is an amount with more digits than its currency.
    private static func isOddAmount(_ object: JSONObject) -> Bool {
        guard let currency = object["currency"]?.string.flatMap(Currency.init) else { return false }
        if let units = object["minorUnits"], units.int == nil { return true }
        switch object["amount"] {
        case .string(let text)?: return (try? Money(major: text, currency: currency)) == nil
        case .number(let number)?: return (try? Money(major: number, currency: currency)) == nil
        default: return false
        }
    }

    private func dialect(_ operations: [LearnedOperation]) -> ImportFile {
        let type = operations.lazy.flatMap(\.exchanges).first { $0.isSuccess && $0.json != nil }?.contentType ?? "application/json"
        var dialect = JSONObject([
            ("dialect", .string(name)), ("about", .string("The error responses of \(name), as far as they were recorded.")),
            ("content_type", .string(type)),
        ])
        if learner.jsonLayout != .compact { dialect["json_layout"] = .string(learner.jsonLayout.rawValue) }
        let keys = operations.compactMap { $0.details["key"] }
        if let key = keys.first(where: { $0.object != nil }) ?? (keys.isEmpty ? nil : keyHeader.map { ["header": .string($0)] }) {
            dialect["idempotency"] = [
                "key": key, "required": false, "quoted": "either", "longest": 255, "stored": "executed", "window": "24h",
            ]
        }
        let headers = operations.lazy.flatMap(\.exchanges).flatMap(\.exchange.responseHeaders)
        dialect["request_id"] = headers.first { TrafficLearner.requestIDs.contains($0.name.lowercased()) }.map { .string($0.name) }
        dialect["replies"] = learner.dialect.all()
        let comment = "Learned by counterfoil. Responses marked `invented` were not recorded: replace them with the bank's own."
        return ImportFile("dialects/\(name).yaml", YAMLText.document(.object(dialect), schema: YAMLText.dialectSchema, comment: comment))
    }

    /// A delay for each operation whose median response time is noticeable.
    private func delays(_ operations: [LearnedOperation]) -> [JSON] {
        operations.compactMap { operation in
            let times = operation.exchanges.compactMap { $0.exchange.duration.map { Duration.microseconds($0) } }.sorted()
            guard !times.isEmpty, times[times.count / 2] >= LearnedBank.noticeable else { return nil }
            let median = min(times[times.count / 2], .seconds(60))
            let text = Duration.milliseconds(Int64(median / .milliseconds(1))).shortText
            return ["fault": ["delay": ["at_point": "head", "fixed": .string(text)]], "on": ["operation": .string(operation.name)]]
        }
    }
}
