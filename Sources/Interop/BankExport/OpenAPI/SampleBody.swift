import BankCore
import BankModel

/// The body of a request for an operation, made of what the bank's fixtures have.
struct SampleBody {
    let operation: Operation
    let tables: TableShapes
    let session: SampleSession
    /// The values of the path's parameters.
    let path: [String: String]

    /// The body; nil where the operation takes none.
    var body: JSONObject? {
        guard let rule = operation.body else { return nil }
        var object = JSONObject()
        for condition in operation.when where condition.part == .form || condition.part == .body {
            if case .value(let value) = condition.wanted { object.set(value, at: condition.name) }
        }
        let wanted = rule.required + rule.kinds.map(\.path).filter { path in !rule.required.contains(path) }
        for path in wanted where JSON.object(object).at(path) == nil {
            if rule.kind(of: path) == .object, wanted.contains(where: { $0.hasPrefix(path + ".") }) { continue }
            if let value = value(path, rule.form) { object.set(value, at: path) }
        }
        return object
    }

    private func value(_ path: String, _ form: Operation.BodyRule.Form) -> JSON? {
        let source: ValueSource = form == .form ? .form(path) : .body(path)
        switch operation.grant {
        case .password(source, _, _)?: return session.customer.map { .string($0.login) }
        case .password(_, source, _)?: return session.customer?.password.map(JSON.string)
        case .refresh(source, _)?: return session.refresh.map(JSON.string)
        case .revoke(source)?: return session.access.map(JSON.string)
        default: break
        }
        if let move = operation.move, let value = value(source, of: move) { return value }
        if form == .json, let value = inserted(path) { return value }
        if path.split(separator: ".").last == "currency" { return "GBP" }
        return operation.body?.kind(of: path)?.example ?? "Example"
    }

    // MARK: money

    private func value(_ source: ValueSource, of move: Operation.Move) -> JSON? {
        let payer = row(of: move.from, not: nil)
        let currency = payer.flatMap { payer in tables.bank.tables[payer.table]?.holds.flatMap { self.currency($0, payer.row) } }
        if source == move.amount, let currency { return (try? Money(major: "1", currency: currency)).map { move.unit.json($0) } }
        if source == move.currency { return currency.map { .string($0.code) } }
        if let payer, move.from.contains(where: { $0.key == source }) { return .string(payer.key) }
        if move.to.contains(where: { $0.key == source }) { return row(of: move.to, not: payer?.key).map { .string($0.key) } }
        return nil
    }

    private func row(of sides: [Operation.Parent], not other: String?) -> (table: String, key: String, row: JSON)? {
        for side in sides {
            guard let table = tables.bank.tables[side.table] else { continue }
            var wanted: String?
            if case .path(let name) = side.key { wanted = path[name] }
            let found = session.row(of: side.table) { row in
                let key = row.at(table.key)?.plainText
                return key != other && (wanted == nil || key == wanted)
            }
            if let found, let key = found.at(table.key)?.plainText { return (side.table, key, found) }
        }
        return nil
    }

    private func currency(_ holds: Table.Holds, _ row: JSON) -> Currency? {
        holds.currency.flatMap { row.at($0)?.string }.flatMap { Currency($0) } ?? holds.fixedCurrency
    }

    // MARK: rows

    /// A fixture's value in the column into which the operation inserts the value at that path.
    private func inserted(_ path: String) -> JSON? {
        guard let insert = operation.insert, case .object(let members) = insert.row else { return nil }
        for member in members {
            guard case .value(let source) = member.value else { continue }
            for whole in source.parts.compactMap(\.bodyPath) where path == whole || path.hasPrefix(whole + ".") {
                let inner = path == whole ? member.key : member.key + path.dropFirst(whole.count)
                if let value = session.row(of: insert.table, where: { $0.at(inner) != nil })?.at(inner) { return value }
            }
        }
        return nil
    }
}

/// A request for an operation, made of what the bank's fixtures have.
struct SampleRequest {
    var draft: RequestDraft
    /// The body in the order in which the operation names its fields; nil where the operation takes none.
    var body: JSON?
    /// The bank's own response; nil if the operation rejected the request.
    var response: BankResponse?

    /// A key that stands in examples.
    static let key = "3f0e7a52-4c1d-4b6e-9a00-5d2c8e1f7b10"

    init(_ operation: Operation) { draft = RequestDraft(method: operation.method, path: operation.path) }

    /// Takes a text for a location of the request.
    mutating func set(_ text: String, at location: RequestDraft.Location) { draft[location] = RequestDraft.Value(.string(text)) }

    /// The request as the core takes it; what is unknown in its path is made up.
    func request(_ operation: Operation, token: String?) -> BankRequest {
        var sent = self
        for name in operation.path.parameters where draft[.path(name)] == nil { sent.set("example", at: .path(name)) }
        if let token, operation.access != .open { sent.set("Bearer \(token)", at: .header("Authorization")) }
        return sent.draft.request()
    }
}
