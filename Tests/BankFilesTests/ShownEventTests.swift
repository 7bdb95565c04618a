import BankModel
import TestBanks
import Testing

@testable import BankCore

/// Events at the shipped banks of the standards: their rows look as the other rows of the same list do.
@Suite struct ShownEventTests {
    private static let accounts = ["berlin": "3dc3d5b3-7023-4848-9853-f5400a64e80f", "openbanking": "22289"]

    private func event(_ kind: BankEvent.Kind, _ bank: String, _ amount: String? = nil) -> BankEvent {
        var event = BankEvent(kind)
        if amount != nil { (event.account, event.amount, event.name) = (Self.accounts[bank], amount, "Acme") }
        return event
    }

    /// The rows that events have added and that are there now, oldest first.
    private func added(_ app: App) -> [JSONObject] {
        (app.state.rows.added["transactions"]?.rows ?? []).filter { $0.isThere(at: app.now) }.map(\.fields)
    }

    /// The fields of a row, its state, and whether the account pays.
    private struct Form: Hashable {
        let fields: Set<String>
        let state: JSON?
        let isDebit: Bool

        init(_ row: JSONObject) {
            fields = Set(row.members.map { $0.key })
            state = row["Status"] ?? row["_status"]
            isDebit = row["CreditDebitIndicator"] == "Debit" || row.at("transactionAmount.amount")?.string?.hasPrefix("-") == true
        }
    }

    @Test(arguments: ["berlin", "openbanking"])
    func `each row that an event adds has the fields of the fixture's rows`(_ bank: String) throws {
        var app = try App(of: bank)
        let fixtures = try #require(app.state.bank.tables["transactions"]).rows
        let forms = Set(fixtures.map { Form($0) })

        for next in [
            event(.paymentIn, bank, "5.00"), event(.directDebit, bank, "4.00"), event(.paymentReturns, bank),
            event(.cardAuthorised, bank, "3.00"), event(.cardCaptured, bank), event(.cardRefunded, bank),
            event(.cardAuthorised, bank, "2.00"),
        ] { _ = try app.state.happen(next, at: app.now) }

        let rows = added(app)
        #expect(rows.count == 6)
        for row in rows { #expect(forms.contains(Form(row)), "\(JSON.object(row))") }
    }

    @Test func `at berlin a row names who is paid, or who has paid`() throws {
        var app = try App(of: "berlin")
        _ = try app.state.happen(event(.paymentIn, "berlin", "5.00"), at: app.now)
        _ = try app.state.happen(event(.directDebit, "berlin", "4.00"), at: app.now)
        _ = try app.state.happen(event(.paymentReturns, "berlin"), at: app.now)

        let rows = added(app)
        #expect(rows.map { $0.at("transactionAmount.amount") } == ["5.00", "-4.00", "4.00"])
        #expect(rows.map { $0["debtorName"] } == ["Acme", nil, "Acme"])
        #expect(rows.map { $0["creditorName"] } == [nil, "Acme", nil])
    }

    @Test(arguments: [("berlin", "status", "deleted"), ("openbanking", "Status", "Deleted")])
    func `a closed account shows it, and takes no money`(_ bank: String, _ field: String, _ word: String) throws {
        var app = try App(of: bank)
        var closing = BankEvent(.accountClosed)
        closing.account = Self.accounts[bank]

        _ = try app.state.happen(closing, at: app.now)

        let shown = (app.state.rows.added["accounts"]?.rows ?? []).last?.fields
        #expect(shown?[field] == .string(word))
        #expect(throws: EventError.self) { try app.state.happen(event(.paymentIn, bank, "5.00"), at: app.now) }
    }
}
