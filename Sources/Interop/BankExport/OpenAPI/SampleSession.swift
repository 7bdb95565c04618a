import BankCore
import BankModel

/// A bank session for examples: always the same, with one customer signed in, and no socket.
struct SampleSession {
    /// When the session starts; its clock stands still.
    static let start = Instant(seconds: 1_768_219_200)  // 2026-01-12T12:00:00Z

    let bank: Bank
    /// The first customer who may sign in; nil where there are none.
    let customer: Customer?
    private var state: SessionState
    private(set) var access: String?
    private(set) var refresh: String?
    /// Rows that responses contained, by table.
    private var answered: [String: JSON] = [:]

    /// - Parameter base: put before absolute addresses in responses.
    init(_ bank: Bank, base: String) {
        self.bank = bank
        customer = bank.customers.first { !$0.locked }
        state = SessionState(id: "example", seed: 7, prepared: PreparedBank(bank), baseURL: base, startedAt: SampleSession.start)
        signIn()
    }

    /// Signs the customer in again: what was revoked or used is replaced.
    mutating func signIn() {
        guard bank.auth != nil, let customer else { return }
        guard let issued = try? state.issueTokens(login: customer.login, at: SampleSession.start) else { return }
        access = issued.access.text
        refresh = issued.refresh?.text
    }

    /// Sends a request to the bank; returns its response, and the operation that answered.
    mutating func send(_ request: BankRequest) -> (operation: String?, response: BankResponse) {
        let answer = state.answer(request, at: SampleSession.start)
        let response = answer.response
        if answer.isExecuted, response.isSuccess, let insert = answer.match?.operation.insert, let row = try? JSON(parsing: response.body) {
            answered[insert.table] = row
        }
        return (answer.match?.name, response)
    }

    // MARK: rows

    /// The first row of a table that the customer may see and that fits; a row that was added only if there is no other.
    func row(of table: String, where fits: (JSON) -> Bool = { _ in true }) -> JSON? {
        guard let definition = bank.tables[table] else { return nil }
        for fields in definition.rows {
            let row = JSON.object(fields)
            if isVisible(row, of: definition), fits(row) { return row }
        }
        return answered[table].flatMap { fits($0) ? $0 : nil }
    }

    private func isVisible(_ row: JSON, of table: Table) -> Bool {
        guard let belongs = table.belongs else { return true }
        guard let customer else { return false }
        switch belongs {
        case .owner: return customer.owns[table.name]?.contains(row.at(table.key)?.plainText ?? "") ?? false
        case .customer(let field): return row.at(field)?.plainText == customer.login
        case .row(let field, let parent):
            guard let key = row.at(field)?.plainText, let table = bank.tables[parent] else { return false }
            return self.row(of: parent) { $0.at(table.key)?.plainText == key } != nil
        }
    }
}

/// Makes a request for each of a bank's operations, and has it answered by the core.
struct Sampler {
    private var session: SampleSession
    private let tables: TableShapes

    init(_ tables: TableShapes, base: String) {
        self.tables = tables
        session = SampleSession(tables.bank, base: base)
    }

    /// One sample for each operation, in order. An operation that needs a row of another one is retried at the end.
    mutating func samples() -> [SampleRequest] {
        var samples = tables.bank.operations.map { answered($0) }
        for (index, operation) in tables.bank.operations.enumerated() where samples[index].response == nil {
            samples[index] = answered(operation)
        }
        return samples
    }

    private mutating func answered(_ operation: Operation) -> SampleRequest {
        if session.access == nil || operation.grant != nil { session.signIn() }
        var sample = request(for: operation)
        let (name, response) = session.send(sample.request(operation, token: session.access))
        if operation.grant != nil { session.signIn() }
        if name == operation.name, response.status == operation.status, response.name == nil { sample.response = response }
        return sample
    }

    // MARK: parts

    private func request(for operation: Operation) -> SampleRequest {
        var sample = SampleRequest(operation)
        var path = pathValues(operation)
        for condition in operation.when {
            guard case .value(let wanted) = condition.wanted else { continue }
            switch condition.part {
            case .path: path[condition.name] = wanted.plainText
            case .query: sample.set(wanted.plainText, at: .query(condition.name))
            case .header: sample.set(wanted.plainText, at: .header(condition.name))
            default: break
            }
        }
        for (name, text) in path { sample.set(text, at: .path(name)) }
        for between in operation.lists.compactMap(\.between) where between.required {
            for (source, value) in [(between.from, "2025-10-01T00:00:00.000Z"), (between.to, SampleSession.start.rfc3339(.milliseconds))] {
                if case .query(let name)? = source { sample.set(value, at: .query(name)) }
            }
        }
        if case .header(let name)? = operation.key { sample.set(SampleRequest.key, at: .header(name)) }
        guard let body = SampleBody(operation: operation, tables: tables, session: session, path: path).body else { return sample }
        sample.body = .object(body)
        sample.draft.form = operation.body?.form
        if sample.draft.form == .json { sample.draft[.body("")] = RequestDraft.Value(.object(body)) }
        for (name, value) in body.members where sample.draft.form == .form { sample.set(value.plainText, at: .form(name)) }
        return sample
    }

    private func pathValues(_ operation: Operation) -> [String: String] {
        var values: [String: String] = [:]
        if case .path(let name)? = operation.key { values[name] = SampleRequest.key }
        for side in operation.namedRows {
            guard case .path(let name) = side.key, values[name] == nil, let table = tables.bank.tables[side.table] else { continue }
            values[name] = session.row(of: side.table)?.at(table.key)?.plainText
        }
        for (table, filters) in operation.template?.queries ?? [] {
            let known = values
            let row = session.row(of: table) { row in
                filters.allSatisfy { filter in
                    switch filter.value {
                    case .path(let name): known[name].map { row.at(filter.field)?.plainText == $0 } ?? true
                    case .literal(let value): row.at(filter.field)?.plainText == value.plainText
                    default: true
                    }
                }
            }
            for filter in filters {
                if case .path(let name) = filter.value, values[name] == nil { values[name] = row?.at(filter.field)?.plainText }
            }
        }
        if case .folder(let files, .path(let name)) = operation.response { values[name] = files.keys.sorted().first }
        return values
    }
}
