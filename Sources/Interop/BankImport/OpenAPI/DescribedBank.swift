import BankCore
import BankModel

/// Puts described operations together as a bank's folder.
struct DescribedBank {
    let name: String
    let about: String
    let base: String
    /// How many operations the bank has.
    private(set) var count = 0

    init(name: String, about: String, base: String) {
        self.name = name
        self.about = about
        self.base = base
    }

    /// The bank's files and its dialect's.
    mutating func files(
        _ described: [DescribedOperation], security: DescribedSecurity, key: DescribedKey?, dialect: DescribedDialect
    ) -> [ImportFile] {
        let contentType = DescribedBank.contentType(described)
        var tables = DescribedTables(contentType: contentType)
        var operations = described
        for index in operations.indices { operations[index].reply = tables.list(operations[index]) }
        var bodies: [ImportFile] = []
        for index in operations.indices where operations[index].reply == nil {
            operations[index].reply = tables.row(operations[index]) ?? file(operations[index], &bodies)
        }
        let signIn = security.signIn(base: base)
        var members = signIn.map { (key: $0.name, value: $0.definition) }
        for operation in DescribedBank.ordered(operations) { members.append((operation.name, definition(operation, security))) }
        count = members.count

        let found = DescribedRoles(operations, hasTokens: security.hasTokens)
        var bank = JSONObject([("bank", .string(name)), ("about", .string(about)), ("base", .string(base)), ("dialect", .string(name))])
        if !found.clientOperations.isEmpty { bank["operations_of_a_client"] = .array(found.clientOperations) }
        if !found.defaults.members.isEmpty { bank["defaults"] = .object(found.defaults) }
        if !tables.found.isEmpty {
            let members = tables.found.map { found in
                (key: found.table, value: ["file": .string("\(found.table).json"), "key": .string(found.key)] as JSON)
            }
            bank["tables"] = .object(JSONObject(members))
        }
        if security.hasTokens {
            bank["customers"] = .array(
                DescribedBank.customers.map { login, password in
                    signIn.isEmpty ? ["login": .string(login)] : ["login": .string(login), "password": .string(password)]
                })
            bank["auth"] = security.auth
        }
        var roles = JSONObject(zip(["login", "refresh"], signIn).map { (key: $0, value: .array([.string($1.name)])) })
        for member in found.roles.members { roles[member.key] = member.value }
        if !roles.members.isEmpty { bank["roles"] = .object(roles) }
        bank["operations"] = .object(JSONObject(members))
        let requestID = operations.lazy.compactMap(\.requestID).first
        let comment = "Written by counterfoil new bank. The first operation that fits answers; docs/bank-language.md has the rest."
        return [ImportFile("\(name)/bank.yaml", YAMLText.document(.object(bank), schema: YAMLText.bankSchema, comment: comment))]
            + [dialect.file(about: "The error responses of \(name).", contentType: contentType, key: key, requestID: requestID)]
            + tables.found.map { ImportFile("\(name)/\($0.table).json", JSON.array($0.rows).pretty + "\n") } + bodies
            + expected(found, hasTokens: security.hasTokens)
    }

    private static let customers = [("ava", "correct-horse"), ("ben", "battery-staple")]

    private func expected(_ found: DescribedRoles, hasTokens: Bool) -> [ImportFile] {
        guard let views = found.expected(hasTokens ? DescribedBank.customers.map(\.0) : ["anyone"]) else { return [] }
        let comment =
            "The expected results. Written by counterfoil new bank from the description's examples, based on common member names: check them."
        let text = YAMLText.document(views, schema: YAMLText.expectedSchema, comment: comment)
        return [ImportFile("\(name)/expected.yaml", text)]
    }

    // MARK: operations

    private func definition(_ operation: DescribedOperation, _ security: DescribedSecurity) -> JSON {
        var object = JSONObject([("request", .string("\(operation.method) \(operation.path)"))])
        if security.hasTokens, operation.isOpen { object["open"] = true }
        if security.hasTokens, !operation.isOpen { object["scope"] = operation.scope.map(JSON.string) }
        object["takes"] = operation.takes
        if operation.hasKey { object["key"] = "dialect" }
        if operation.status != 200 { object["status"] = .int(operation.status) }
        if !operation.headers.members.isEmpty { object["headers"] = .object(operation.headers) }
        object["reply"] = operation.reply
        return .object(object)
    }

    private func file(_ operation: DescribedOperation, _ bodies: inout [ImportFile]) -> JSON? {
        guard let body = operation.body else { return nil }
        let path = "replies/\(operation.name).\(body.json == nil ? "txt" : "json")"
        bodies.append(ImportFile("\(name)/\(path)", body.bytes))
        return ["file": .string(path), "content_type": .string(body.type)]
    }

    /// As in the description, but what is told exactly stands before what would hide it.
    private static func ordered(_ operations: [DescribedOperation]) -> [DescribedOperation] {
        var known = CoverIndex()
        // The position of each: an operation inserted before another has that one's position, followed by the number of its insertion.
        var places: [[Int]] = []
        var before: [Int] = []
        for (index, operation) in operations.enumerated() {
            let mine = Operation(name: "", method: operation.method, path: operation.path)
            if let hider = known.covering(mine).min(by: { places[$0].lexicographicallyPrecedes(places[$1]) }) {
                places.append(places[hider].dropLast() + [before[hider], .max])
                before[hider] += 1
            } else {
                places.append([index, .max])
            }
            before.append(0)
            known.add(mine, as: index)
        }
        return operations.indices.sorted { places[$0].lexicographicallyPrecedes(places[$1]) }.map { operations[$0] }
    }

    /// The JSON type that most responses have.
    private static func contentType(_ operations: [DescribedOperation]) -> String {
        var counts: [String: Int] = [:]
        for body in operations.compactMap(\.body) where body.json != nil { counts[body.type, default: 0] += 1 }
        return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? "application/json"
    }
}
