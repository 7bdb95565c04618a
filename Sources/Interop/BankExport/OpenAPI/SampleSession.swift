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
        state = SessionState(
            id: "example", seed: 7, prepared: PreparedBank(bank), baseURL: base, startedAt: SampleSession.start)
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
