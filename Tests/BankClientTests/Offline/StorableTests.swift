import BankModel
import Testing

@testable import BankClient

/// A stored value is decoded completely: a property that is added and not stored fails here.
struct StorableTests {
    @Test func `rows come back exactly, with all their properties`() throws {
        let account = Account(id: "a", name: "Ünïcode \"quoted\"\n", currency: currency("CLF"), balance: money(.min, "CLF"))
        let transaction = Transaction(
            id: "t", date: try #require(CivilDate("2024-02-29")), description: "a\nb", amount: money(-220, "BHD"), statesCurrency: false,
            pending: true, atm: "m")
        let atm = ATM(
            id: "m", name: "Quay", latitude: try #require(JSONNumber("-33.8600")), longitude: try #require(JSONNumber("1.5121e2")))

        try check(account)
        try check(transaction)
        try check(atm)
        #expect(ATM(stored: atm.stored)?.latitude.digits == "-33.8600")
    }

    @Test func `values that are not stated remain so`() throws {
        let account = Account(id: "a", name: "n", currency: currency("JPY"))
        #expect(Account(stored: account.stored) == account)
        let transaction = Transaction(id: "t", date: CivilDate(daysSinceEpoch: 0), description: "", amount: money(1, "JPY"))
        #expect(Transaction(stored: transaction.stored) == transaction)
        #expect(Balance(stored: Balance(balance: money(1, "GBP")).stored) == Balance(balance: money(1, "GBP")))
    }

    @Test func `a list comes back in its order with its count of rows set aside; one row that cannot be read spoils it`() throws {
        let list = Listing(
            [Account(id: "b", name: "", currency: currency("GBP")), Account(id: "a", name: "", currency: currency("GBP"))], setAside: 3)
        #expect(Listing(stored: list.stored) == list)
        #expect(Listing<Account>(stored: ["rows": [["id": "x"]], "set_aside": 0]) == nil)
        #expect(Listing<Account>(stored: ["rows": []]) == nil)
        #expect(Balance(stored: "x") == nil)
    }

    private func check<Row: StorableRow>(_ row: Row) throws {
        let stored = try JSON(parsing: row.stored.bytes)
        #expect(Row(stored: stored) == row)
        #expect(stored.object?.members.count == Mirror(reflecting: row).children.count)
        #expect(stored.object?.members.contains { $0.value == .null } == false)
    }

    private func money(_ units: Int64, _ code: String) -> Money { Money(minorUnits: units, currency: currency(code)) }
}
