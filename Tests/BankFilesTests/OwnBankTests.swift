import BankCore
import BankFiles
import BankModel
import Testing

/// A seventh bank, in files of the tests' own: adding one requires no Swift.
@Suite struct OwnBankTests {
    private static let body = """
        {"Data": {"Initiation": {"InstructedAmount": {"Amount": "10.20", "Currency": "GBP"},
        "DebtorAccount": {"Identification": "gh-1"}, "CreditorAccount": {"Identification": "gh-2"}}}}
        """

    private func caller(_ login: String? = "ava") throws -> Caller { try Caller(Shipped.withOwnBank.load("guildhall").bank, login: login) }

    private func pay(_ caller: inout Caller, key: String?, body: String = Self.body) -> BankResponse {
        let headers = key.map { [JournalEntry.Header("x-idempotency-key", $0)] } ?? []
        return caller.send("POST", "/open-banking/v4.0/pisp/domestic-payments", headers: headers, body: body)
    }

    @Test func `is valid and listed beside the shipped ones`() throws {
        let check = Shipped.withOwnBank.check()

        #expect(check.complaints.map(\.description) == [])
        #expect(check.banks.map(\.bank.name).contains("guildhall"))
        #expect(check.banks.map(\.bank.name).contains("roundup"))
    }

    @Test func `speaks its dialect`() throws {
        var nobody = try caller(nil)
        var ava = try caller()

        let rejected = nobody.send("GET", "/open-banking/v4.0/aisp/accounts", headers: [.init("x-fapi-interaction-id", "echo-me")])
        let other = ava.send("GET", "/open-banking/v4.0/aisp/accounts/gh-3/balances")

        #expect(rejected.status == 401)
        #expect(rejected.body.isEmpty)
        #expect(other.status == 400)
        #expect(other.json["Errors"]?.array?.isEmpty == false)
    }

    @Test func `responses have the shape of its files`() throws {
        var ava = try caller()

        let accounts = ava.json("/open-banking/v4.0/aisp/accounts")
        let balance = ava.json("/open-banking/v4.0/aisp/accounts/gh-2/balances")

        #expect(accounts.at("Data.Account")?.array?.compactMap { $0["AccountId"]?.string } == ["gh-1", "gh-2"])
        #expect(accounts.at("Links.Self")?.string == "http://bank/open-banking/v4.0/aisp/accounts")
        #expect(!accounts.text.contains("Balance"))
        #expect(balance.at("Data.Balance")?.array?.first?["Amount"] == ["Amount": "3.00", "Currency": "GBP"])
    }

    @Test func `payments follow the dialect's idempotency`() throws {
        var ava = try caller()

        let first = pay(&ava, key: "k1")
        let again = pay(&ava, key: "k1")
        let other = pay(&ava, key: "k1", body: Self.body.replacing("10.20", with: "10.21"))

        #expect(first.status == 201)
        #expect(first.json.at("Data.Status")?.string == "RCVD")
        #expect(again.status == 201)
        #expect(again.body == first.body)
        #expect(other.status == 400)
        #expect(ava.json("/open-banking/v4.0/aisp/accounts/gh-2/balances").text.contains("\"13.20\""), "moved once")
        #expect(pay(&ava, key: nil).status == 400)
        #expect(pay(&ava, key: String(repeating: "k", count: 41)).status == 400)
    }
}
