import BankCore
import BankModel

/// Puts described operations together as a bank's folder.
struct DescribedBank {
    let name: String
    let about: String
    let base: String
    /// How many operations the bank has.
    private(set) var count = 0

    /// What was decided for each role, and why.
    private(set) var choices: [RoleChoice] = []
    /// The request that takes a customer's name and password; nil if the bank has none.
    private(set) var signInCall: String?

    /// The bank's files and its dialect's.
    ///
    /// - Parameter confirmed: the proposals that become part of the bank.
    mutating func files(
        _ described: [DescribedOperation], security: DescribedSecurity, dialect: DescribedDialect, confirmed: Set<RoleChoice.Confirmation>,
        description: Description
    ) -> [ImportFile] {
        let contentType = DescribedBank.contentType(described)
        let logins = security.hasTokens ? DescribedSecurity.logins.map(\.0) : []
        let flow = security.location == .bearer ? security.signIn(base: base) : []
        // The sign-in's own responses are the better ones.
        let answered = Set(flow.filter { $0.definition["when"] == nil }.compactMap { $0.definition["request"]?.string })
        var operations = described.filter { !answered.contains("\($0.method) \($0.path)") }
        // A parameter such as `charset` means nothing for JSON (RFC 8259 §11), and descriptions have it at some operations only.
        for index in operations.indices where operations[index].body.map({ DescribedBank.isJSON($0, like: contentType) }) ?? false {
            operations[index].body?.type = contentType
        }
        var tables = DescribedTables(contentType: contentType)
        tables.collect(operations)
        var owned = OwnedRows(tables, customers: logins)
        tables.found = owned.found
        let responses = DescribedResponses(tables: tables, owned: owned, description: description)
        for index in operations.indices { responses.fill(&operations[index], index) }
        var bodies: [ImportFile] = []
        for index in operations.indices where operations[index].response == nil {
            operations[index].response = file(operations[index], &bodies)
        }

        let keys = DescribedKeys(&operations, confirmed: confirmed.contains(.key))
        let signIn = DescribedSignIn(
            &operations, hasTokens: security.hasTokens && security.location == .bearer, hasFlow: flow.contains { $0.role == "login" },
            hasRefresh: security.hasRefresh,
            confirmed: confirmed.contains(.login))
        let found = DescribedRoles(operations, tables: tables, owned: owned)
        let accounts =
            owned.found.firstIndex { $0.isOwned && $0.thing.contains("account") }
            ?? owned.found.firstIndex { $0.isOwned && DescribedHoldings.holds($0) != nil }
        let payments = DescribedPayments(
            &operations, tables: tables, owned: &owned, accounts: accounts, keys: keys, confirmed: confirmed.contains(.pay))
        for index in operations.indices where operations[index].name == payments.operation {
            renew(&operations[index], responses, contentType, &bodies)
        }
        choices = found.choices + signIn.choices + payments.choices + keys.choices
        for operation in operations { description.noteUnused(operation) }
        let login = operations.first { $0.name == signIn.operation }.map { "\($0.method) \($0.path)" }
        signInCall = (flow.first { $0.role == "login" }?.definition["request"]?.string ?? login)?.replacing(" ", with: " \(base)")

        var members = flow.map { (key: $0.name, value: $0.definition) }
        for operation in DescribedBank.ordered(operations) {
            members.append((operation.name, definition(operation, security)))
        }
        count = members.count
        let client = found.clientOperations + (payments.operation == nil ? [] : ["pay", "resume"])
        let signsIn = security.hasTokens ? ["login", "status"] : []
        // With them a client gets the password that the page asks for.
        let onPage = security.hasPage ? ["authorize_begin", "authorize_finish"] : []
        var defaults = found.defaults
        defaults["pay"] = payments.defaults
        var definitions = owned.found.indices.map { (key: owned.found[$0].name, value: owned.definition($0)) }
        if payments.operation != nil {
            definitions.append((payments.payees, ["file": .string("\(payments.payees).json"), "key": "id"]))
            bodies.append(ImportFile("\(name)/\(payments.payees).json", "[{\"id\": \"anyone\"}]\n"))
        }
        let customers = customers(security, owned, hasSignIn: !flow.isEmpty || signIn.operation != nil, accounts: accounts)
        let app: JSON = ["name": "My app", "redirects": ["app:/callback", "http://127.0.0.1/callback"]]
        var roles = JSONObject(flow.compactMap { call in call.role.map { (key: $0, value: .array([.string(call.name)])) } })
        if let operation = signIn.operation { roles["login"] = .array([.string(operation)]) }
        for member in found.roles.members { roles[member.key] = member.value }
        roles["pay"] = payments.operation.map { .array([.string($0)]) }
        let bank = JSON.object(known: [
            "bank": .string(name), "about": .string(about), "base": .string(base), "dialect": .string(name),
            "operations_of_a_client": client.isEmpty ? nil : .array((signsIn + client + onPage).map(JSON.string)),
            "defaults": defaults.members.isEmpty ? nil : .object(defaults),
            "tables": definitions.isEmpty ? nil : .object(JSONObject(definitions)),
            "customers": security.hasTokens ? customers : nil, "auth": security.hasTokens ? security.auth : nil,
            "sign_in": security.hasPage ? ["clients": ["app": app]] : nil, "roles": roles.members.isEmpty ? nil : .object(roles),
            "operations": .object(JSONObject(members)),
        ])
        let requestID = operations.lazy.compactMap(\.requestID).first
        let comment = "Written by counterfoil new bank. The first matching operation is used; docs/bank-language.md describes every key."
        return [ImportFile("\(name)/bank.yaml", YAMLText.document(bank, schema: YAMLText.bankSchema, comment: comment))]
            + [
                dialect.file(
                    about: "The error responses of \(name).", contentType: contentType, key: keys.policy, location: security.location,
                    requestID: requestID)
            ]
            + owned.found.map { ImportFile("\(name)/\($0.name).json", JSON.array($0.rows.map(JSON.object)).pretty + "\n") } + bodies
            + expected(found, logins.isEmpty ? ["anyone"] : logins)
    }

    private func customers(_ security: DescribedSecurity, _ owned: OwnedRows, hasSignIn: Bool, accounts: Int?) -> JSON {
        .array(
            security.customers(hasSignIn: hasSignIn).map { customer in
                var customer = customer
                let owns = owned.owns[customer["login"]?.string ?? ""] ?? [:]
                let tables = owned.found.compactMap { table in
                    owns[table.name].map { (key: table.name, value: JSON.array($0.map(JSON.string))) }
                }
                if !tables.isEmpty { customer["owns"] = .object(JSONObject(tables)) }
                if let accounts, let first = owns[owned.found[accounts].name]?.first { customer["profile"] = ["account": .string(first)] }
                return .object(customer)
            })
    }

    private func expected(_ found: DescribedRoles, _ customers: [String]) -> [ImportFile] {
        guard let views = found.expected(customers) else { return [] }
        let comment =
            "The expected results. Written by counterfoil new bank from the description's examples, based on common member names: check them."
        let text = YAMLText.document(views, schema: YAMLText.expectedSchema, comment: comment)
        return [ImportFile("\(name)/expected.yaml", text)]
    }

    // MARK: operations

    private func definition(_ operation: DescribedOperation, _ security: DescribedSecurity) -> JSON {
        .object(known: [
            "request": .string("\(operation.method) \(operation.path)"), "open": security.hasTokens && operation.isOpen ? true : nil,
            "scope": security.hasTokens && !operation.isOpen ? operation.scope.map(JSON.string) : nil,
            "parent": operation.parents.members.isEmpty ? nil : .object(operation.parents), "takes": operation.takes,
            "key": operation.key, "grant": operation.grant, "move": operation.move, "insert": operation.insert,
            "status": operation.status == 200 ? nil : .int(operation.status),
            "headers": operation.headers.members.isEmpty ? nil : .object(operation.headers), "reply": operation.response,
        ])
    }

    /// Gives the response of the operation that pays a new id for each payment; its file, if it had one, is no longer needed.
    private func renew(
        _ operation: inout DescribedOperation, _ responses: DescribedResponses, _ contentType: String, _ bodies: inout [ImportFile]
    ) {
        guard operation.body?.type == contentType, let response = responses.paid(operation) else { return }
        if let file = operation.response?["file"]?.string { bodies.removeAll { $0.path == "\(name)/\(file)" } }
        operation.response = response
    }

    private func file(_ operation: DescribedOperation, _ bodies: inout [ImportFile]) -> JSON? {
        guard let body = operation.body else { return nil }
        let path = "replies/\(operation.name).\(body.json == nil ? "txt" : "json")"
        bodies.append(ImportFile("\(name)/\(path)", body.bytes))
        return ["file": .string(path), "content_type": .string(body.type)]
    }

    /// In the order of the description, except that an exact path comes before a template that would hide it.
    private static func ordered(_ operations: [DescribedOperation]) -> [DescribedOperation] {
        var known = CoverIndex()
        // The position of each: an operation inserted before another has that one's position, followed by the number of its insertion.
        var positions: [[Int]] = []
        var before: [Int] = []
        for (index, operation) in operations.enumerated() {
            let mine = Operation(name: "", method: operation.method, path: operation.path)
            if let hider = known.covering(mine).min(by: { positions[$0].lexicographicallyPrecedes(positions[$1]) }) {
                positions.append(positions[hider].dropLast() + [before[hider], .max])
                before[hider] += 1
            } else {
                positions.append([index, .max])
            }
            before.append(0)
            known.add(mine, as: index)
        }
        return operations.indices.sorted { positions[$0].lexicographicallyPrecedes(positions[$1]) }.map { operations[$0] }
    }

    private static func isJSON(_ body: DescribedBody, like type: String) -> Bool {
        body.json != nil && body.type.prefix { $0 != ";" } == type.prefix { $0 != ";" }
    }

    /// The JSON type that most responses have.
    private static func contentType(_ operations: [DescribedOperation]) -> String {
        var counts: [String: Int] = [:]
        for body in operations.compactMap(\.body) where body.json != nil { counts[body.type, default: 0] += 1 }
        return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? "application/json"
    }
}
