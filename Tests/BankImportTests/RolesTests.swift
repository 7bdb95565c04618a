import BankCore
import BankFiles
import BankImport
import BankModel
import Testing

/// A bank that was just made has roles, defaults and expected views, as far as they can be known.
@Suite struct RolesTests {
    /// Checked with its files: an expected view of what the bank does not have, or a default that names nothing, is an error.
    private func loaded(_ imported: Imported, _ name: String) throws -> LoadedBank { try imported.bank(name) }

    /// A bank with one account and payments, whose member `source` names the account.
    private func payer(source: String, account: String = "", paid: String = "{type: object}") throws -> Imported {
        try DescriptionCorpus.imported(
            paths: """
                  /accounts:
                    get:
                      responses:
                        "200":
                          content:
                            application/json:
                              example: [{id: a1, name: Everyday, balance: {amount: "100.00", currency: GBP}\(account)}]
                  /payments:
                    post:
                      requestBody:
                        required: true
                        content:
                          application/json:
                            schema:
                              type: object
                              required: [\(source), amount, currency]
                              properties: {\(source): {type: string}, amount: {type: string}, currency: {type: string}}
                      responses: {"201": {content: {application/json: {schema: \(paid)}}}}
                """)
    }

    @Test func `the template has expected views of each customer`() throws {
        let bank = try loaded(BankSkeleton(name: "b").made, "b")
        let expected = try #require(bank.expected)

        #expect(bank.warnings == [])
        for login in bank.bank.customers.map(\.login) {
            for operation in ["accounts", "transactions"] {
                let view = expected.view(customer: login, operation: operation, start: Instant(seconds: 0)) { _ in 0 }
                #expect(view?[operation]?.array?.isEmpty == false, "\(login), \(operation)")
            }
        }
    }

    /// A payment needs two accounts, for each customer.
    @Test func `the template's customers have an account to pay from and one to pay to`() throws {
        let bank = try loaded(BankSkeleton(name: "b").made, "b").bank

        #expect(bank.customers.count > 1)
        for customer in bank.customers { #expect(bank.unfilledDefaults(of: "pay", for: customer.login) == []) }
    }

    @Test(arguments: BankSkeleton.SignIn.allCases)
    func `a payment at the template's bank can be looked up by its customer alone`(_ signIn: BankSkeleton.SignIn) throws {
        let bank = try loaded(BankSkeleton(name: "b", signIn: signIn).made, "b").bank
        var caller = try SignedIn(bank)
        let order = #"{"from": "a1", "to": "a2", "amount": "10.00"}"#

        let paid = caller.send("POST", "/api/payments", ["Content-Type": "application/json", "Idempotency-Key": "k-1"], body: order)
        let id = try JSON(parsing: paid.body)["id"]?.string ?? ""
        let found = caller.send("GET", "/api/payments/\(id)")
        try caller.change(to: "ben")
        let strangers = [caller.send("GET", "/api/payments/\(id)"), caller.send("GET", "/api/payments/none")]

        #expect(paid.status == 201)
        #expect(found.status == 200 && found.text == paid.text, "\(found.text)")
        #expect(strangers.map(\.status) == [404, 404])
    }

    /// The template's views were written by hand; the bank's responses, read by the usual names, are the second opinion.
    @Test func `the template's expected accounts are those of its fixtures`() throws {
        let made = BankSkeleton(name: "b").made
        let bank = try loaded(made, "b")
        let rows = try JSON(parsing: Array(try #require(made.text("b/accounts.json")).utf8)).array ?? []
        for customer in bank.bank.customers {
            let own = rows.compactMap(CommonMembers.account).filter { customer.owns["accounts"]?.contains($0.id) ?? false }
            let view = bank.expected?.view(customer: customer.login, operation: "accounts", start: Instant(seconds: 0)) { _ in 0 }
            let shown = view?["accounts"]?.array ?? []

            #expect(shown.compactMap { $0["id"]?.string } == own.map(\.id))
            #expect(shown.compactMap { $0["balance"]?.string } == own.compactMap { $0.balance?.major })
        }
    }

    @Test func `a description's reads get roles, a client's operations, defaults and views`() throws {
        let bank = try loaded(DescriptionCorpus.imported("starry.yaml"), "it")
        let view = bank.expected?.view(customer: "ben", operation: "balance", start: Instant(seconds: 0)) { _ in 0 }

        let operations = ["login", "status", "accounts", "balance", "transactions", "authorize_begin", "authorize_finish"]
        #expect(bank.bank.clientOperations == operations)
        #expect(bank.bank.operations(of: .accounts).map(\.name) == ["getAccounts"])
        #expect(bank.bank.operations(of: .transactions).map(\.name) == ["settledFeed"])
        #expect(bank.bank.defaults["balance"]?["account"] == "bbccbbcc-1111-4111-8111-000000000001")
        #expect(view == ["balance": "112.23", "available": "112.23", "currency": "GBP"])
    }

    @Test(arguments: [
        ("{type: object, required: [id, state], properties: {id: {type: string}, state: {type: string}}}", "id"),
        ("{type: object, properties: {data: {type: object, properties: {paymentId: {type: string, format: uuid}}}}}", "data.paymentId"),
    ])
    func `each payment at a described bank has an id of its own`(_ schema: String, _ location: String) throws {
        let imported = try payer(source: "sourceAccountId", paid: schema)
        let bank = try loaded(imported, "it").bank
        let account = try #require(bank.defaults["pay"]?["from"]?.string)
        var caller = try SignedIn(bank)

        var ids: [String] = []
        for _ in 0..<2 {
            let order = #"{"sourceAccountId": "\#(account)", "amount": "1.00", "currency": "GBP"}"#
            let response = caller.send("POST", "/payments", ["Content-Type": "application/json"], body: order)
            #expect(response.status == 201, "\(response.text)")
            ids.append(try JSON(parsing: response.body).at(location)?.string ?? "")
        }

        #expect(Set(ids).count == 2 && !ids.contains(""), "\(ids)")
        #expect(!imported.files.contains { $0.path.hasPrefix("it/replies/") })
    }

    @Test(arguments: [
        ("", "from: {accounts: {body: fromAccount}}"), (", iban: GB33BUKB20201555555555", "from: {accounts: {customer: account}}"),
    ])
    func `a plain account pays by its id unless accounts have another number`(_ number: String, _ from: String) throws {
        let imported = try payer(source: "fromAccount", account: number)

        #expect(imported.text("it/bank.yaml")?.contains(from) == true, "\(imported.text("it/bank.yaml") ?? "")")
    }

    @Test func `what cannot be read gets no role and no view`() throws {
        let imported = try DescriptionCorpus.imported("pocket.yaml")
        let bank = try loaded(imported, "it")

        #expect(bank.bank.clientOperations == [])
        #expect(bank.expected == nil)
        #expect(imported.text("it/bank.yaml")?.contains("login: [signIn]") == true)
    }

    @Test func `a bank without tokens has the views of anyone`() throws {
        let bank = try loaded(
            DescriptionCorpus.imported(
                yaml: """
                    openapi: 3.1.0
                    info: {title: It, version: "1"}
                    paths:
                      /accounts:
                        get:
                          responses:
                            "200":
                              content:
                                application/json:
                                  example: [{id: a1, name: Everyday, currency: GBP, balance: "1.00"}]
                    """), "it")

        let view = bank.expected?.view(customer: "anyone", operation: "accounts", start: Instant(seconds: 0)) { _ in 0 }

        #expect(bank.bank.clientOperations == ["accounts"])
        #expect(view?["accounts"]?.array?.count == 1)
    }
}
