import BankCore
import BankFiles
import BankModel
import Testing

@testable import BankImport

/// Descriptions with the shapes of the field: what is found in each, and that what is served fits the description.
@Suite struct FieldTests {
    static let names = [
        "adyen-like", "berlin-group", "mambu-like", "monzo", "n26-like", "nordigen", "openbanking-uk", "plaid", "revolut-business",
        "starling",
        "stripe-like", "tink", "truelayer", "wise", "yapily",
    ]

    /// Each role of each description that is bound once everything is confirmed; `-` before those that are not, with the first words of why.
    static let roles: [(String, [String])] = [
        ("adyen-like", ["-accounts its path has 1 parameter", "-pay neither the rows of balanceAccounts", "key POST /transfers"]),
        (
            "berlin-group",
            [
                "accounts GET /v1/accounts", "balance GET /v1/accounts/{account-id}/balances",
                "transactions GET /v1/accounts/{account-id}/transactions",
                "pay POST /v1/payments/sepa-credit-transfers", "key POST /v1/payments/sepa-credit-transfers",
            ]
        ),
        (
            "mambu-like",
            [
                "transactions GET /deposits/{depositAccountId}/transactions", "pay POST /deposits/{depositAccountId}/transfer-transactions",
                "key POST /deposits/{depositAccountId}/transfer-transactions",
            ]
        ),
        (
            "monzo",
            ["accounts GET /accounts", "balance GET /balance", "transactions GET /transactions", "key PUT /pots/{pot_id}/deposit"]
        ),
        ("n26-like", ["-accounts its example is not a list", "-transactions its rows have no time"]),
        (
            "nordigen",
            ["balance GET /accounts/{id}/balances/", "transactions GET /accounts/{id}/transactions/", "-login its body has no field"]
        ),
        (
            "openbanking-uk",
            [
                "accounts GET /accounts", "balance GET /accounts/{AccountId}/balances",
                "transactions GET /accounts/{AccountId}/transactions",
                "-pay its path has consent", "pay POST /domestic-payments", "key POST /domestic-payment-consents",
                "key POST /domestic-payments",
            ]
        ),
        (
            "plaid",
            [
                "accounts POST /accounts/get", "transactions POST /transactions/sync", "pay POST /transfer/create",
                "key POST /transfer/create",
            ]
        ),
        (
            "revolut-business",
            [
                "accounts GET /accounts", "-transactions its rows have no amount", "balance GET /accounts/{account_id}", "pay POST /pay",
                "key POST /pay",
            ]
        ),
        (
            "starling",
            [
                "accounts GET /api/v2/accounts", "balance GET /api/v2/accounts/{accountUid}/balance",
                "-transactions its path has 2 parameters",
                "pay PUT /api/v2/account/{accountUid}/savings-goals/{savingsGoalUid}/add-money/{transferUid}",
                "key PUT /api/v2/account/{accountUid}/savings-goals/{savingsGoalUid}/add-money/{transferUid}",
            ]
        ),
        (
            "stripe-like",
            [
                "-balance its example has no balance", "-transactions its rows have no time", "-pay it takes no JSON body",
                "key POST /v1/payouts",
            ]
        ),
        ("tink", ["accounts GET /data/v2/accounts", "transactions GET /data/v2/transactions", "-login its body has no field"]),
        (
            "truelayer",
            [
                "accounts GET /data/v1/accounts", "balance GET /data/v1/accounts/{account_id}/balance",
                "transactions GET /data/v1/accounts/{account_id}/transactions",
                "pay POST /v3/payments", "key POST /v3/payments",
            ]
        ),
        (
            "wise",
            [
                "-balance its list may have the balances", "-transactions its path has 2 parameters",
                "-pay no field of its body is an amount",
                "key POST /v1/transfers",
            ]
        ),
        (
            "yapily",
            ["accounts GET /accounts", "transactions GET /accounts/{accountId}/transactions", "pay POST /payments", "key POST /payments"]
        ),
    ]

    @Test(arguments: roles)
    func `roles are bound by evidence, or the reason is given`(_ name: String, _ wanted: [String]) throws {
        let imported = try DescriptionCorpus.imported("field/\(name).yaml", confirmed: Set(RoleChoice.Confirmation.allCases))

        try #require(imported.choices.count == wanted.count, "\(imported.choices.map(\.description))")
        for (choice, wanted) in zip(imported.choices, wanted) {
            let text = choice.state == .bound ? "\(choice.role) \(choice.operation)" : "-\(choice.role) \(choice.reason)"
            #expect(choice.state == .bound ? text == wanted : text.hasPrefix(wanted), "\(choice.description)")
        }
    }

    @Test(arguments: names)
    func `loads, confirmed or not, and assigns no role that is only proposed`(_ name: String) throws {
        let plain = try DescriptionCorpus.imported("field/\(name).yaml")
        let confirmed = try DescriptionCorpus.imported("field/\(name).yaml", confirmed: Set(RoleChoice.Confirmation.allCases))

        #expect(try plain.bank("it").bank.operations(of: .pay).isEmpty)
        #expect(plain.text("it/bank.yaml")?.contains("move:") == false)
        let bank = try confirmed.bank("it").bank
        #expect(bank.operations(of: .pay).count == confirmed.choices.count { $0.role == "pay" && $0.state == .bound })
        #expect(
            plain.choices.count { $0.state == .proposed } == confirmed.choices.count { $0.state == .bound }
                - plain.choices.count { $0.state == .bound })
    }

    @Test(arguments: names)
    func `no bank is open that its description closes`(_ name: String) throws {
        let bank = try DescriptionCorpus.imported("field/\(name).yaml").bank("it").bank

        #expect(bank.auth != nil)
        #expect(
            bank.operations.filter { $0.roles.isEmpty == false }.allSatisfy {
                $0.access != .open || $0.roles == [.login] || $0.roles == [.refresh]
            })
    }

    @Test(arguments: names)
    func `what is served fits the description`(_ name: String) throws {
        let node = try DescriptionCorpus.node("field/\(name).yaml")
        let description = Description(node, notes: ImportNotes())
        var caller = try SignedIn(DescriptionCorpus.imported("field/\(name).yaml").bank("it").bank)
        let base = DescribedServer.base(description)
        var read = 0
        for (path, item) in description.root["paths"]?.members ?? [] {
            guard let operation = item["get"], let target = caller.filled(path) else { continue }
            let response = caller.send("GET", base + target)
            guard response.status == 200 else { continue }
            let json = try JSON(parsing: response.body)
            let schema = description.media(operation["responses"]?["200"]?["content"])?.node["schema"]
            #expect(description.examples.fitted(json, schema, at: operation) == json, "\(path): \(json.text)")
            read += 1
        }
        #expect(read > 0 || name == "plaid")
        #expect(description.notes.warnings.filter { $0.reason.contains("example") } == [])
    }
}

/// What imports make of parts of descriptions.
@Suite struct FieldShapeTests {
    private func signedIn(_ name: String, login: String = "ava") throws -> SignedIn {
        try SignedIn(
            DescriptionCorpus.imported("field/\(name).yaml", confirmed: Set(RoleChoice.Confirmation.allCases)).bank("it").bank, login: login
        )
    }

    @Test func `each customer has accounts, and another's or an unknown one is not found`() throws {
        var ava = try signedIn("openbanking-uk")
        var ben = try signedIn("openbanking-uk", login: "ben")
        func ids(_ json: JSON) -> [String] { json.at("Data.Account")?.array?.compactMap { $0["AccountId"]?.string } ?? [] }
        let (mine, theirs) = (ids(try ava.json("/open-banking/v3.1/accounts")), ids(try ben.json("/open-banking/v3.1/accounts")))

        #expect(mine.count == 2 && theirs.count == 2)
        #expect(Set(mine).isDisjoint(with: theirs))
        for path in ["", "/balances", "/transactions"] {
            #expect(ava.send("GET", "/open-banking/v3.1/accounts/\(mine[1])\(path)").status == 200)
            #expect(ava.send("GET", "/open-banking/v3.1/accounts/\(theirs[0])\(path)").status == 404)
            #expect(ava.send("GET", "/open-banking/v3.1/accounts/none\(path)").status == 404)
        }
        let rows = try ava.json("/open-banking/v3.1/accounts/\(mine[1])/transactions").at("Data.Transaction")?.array ?? []
        #expect(rows.count == 1)
        #expect(rows.allSatisfy { $0["AccountId"] == .string(mine[1]) })
    }

    @Test func `the id of a transaction is not its account's`() throws {
        let bank = try DescriptionCorpus.imported("field/openbanking-uk.yaml").bank("it")

        #expect(bank.bank.tables["Transaction"]?.key == "TransactionId")
        let view = bank.expected?.view(customer: "ava", operation: "transactions", start: Instant(seconds: 0)) { _ in 0 }
        #expect(view?["transactions"]?.array?.first?["id"] == "TransactionId-1")
    }

    @Test func `payout links are no transactions`() throws {
        let imported = try DescriptionCorpus.imported("field/revolut-business.yaml")

        #expect(try imported.bank("it").bank.operations(of: .transactions).isEmpty)
        #expect(imported.choices.contains { $0.role == "transactions" && $0.operation == "GET /transactions" && $0.state == .declined })
        #expect(!imported.choices.contains { $0.operation == "GET /payout-links" })
    }

    @Test func `a payment moves money, and its key makes a retry safe`() throws {
        var caller = try signedIn("revolut-business")
        let account = try caller.json("/api/1.0/accounts").array?.first ?? .null
        let id = account["id"]?.string ?? ""
        let body =
            #"{"request_id": "r1", "account_id": "\#(id)", "receiver": {"counterparty_id": "anyone"}, "amount": 1000.89, "currency": "GBP"}"#

        let first = caller.send("POST", "/api/1.0/pay", body: body)
        #expect(first.status == 200)
        #expect(caller.send("POST", "/api/1.0/pay", body: body).body == first.body)
        #expect(account["balance"]?.number?.digits == "3171.89")
        #expect(try caller.json("/api/1.0/accounts/\(id)")["balance"]?.number?.digits == "2171.00")
        #expect(caller.send("POST", "/api/1.0/pay", body: body.replacing("1000.89", with: "1")).status == 400)
    }

    @Test func `a payment beyond the balance is rejected, and moves nothing`() throws {
        var caller = try signedIn("revolut-business")
        let id = try caller.json("/api/1.0/accounts").array?.first?["id"]?.string ?? ""
        let body =
            #"{"request_id": "r1", "account_id": "\#(id)", "receiver": {"counterparty_id": "anyone"}, "amount": 3171.90, "currency": "GBP"}"#

        #expect((400...499).contains(caller.send("POST", "/api/1.0/pay", body: body).status))
        #expect(try caller.json("/api/1.0/accounts/\(id)")["balance"]?.number?.digits == "3171.89")
        let whole = body.replacing("r1", with: "r2").replacing("3171.90", with: "3171.89")
        #expect(caller.send("POST", "/api/1.0/pay", body: whole).status == 200)
    }

    @Test func `a required X-Request-ID is a key once it is confirmed`() throws {
        let body =
            #"{"instructedAmount": {"currency": "GBP", "amount": "1.00"}, "debtorAccount": {"iban": "x"}, "creditorAccount": {"iban": "y"}, "creditorName": "z"}"#
        var caller = try signedIn("berlin-group")
        let target = "/psd2/v1/payments/sepa-credit-transfers"

        #expect(caller.send("POST", target, body: body).status == 400)
        #expect(caller.send("POST", target, ["X-Request-ID": "not-a-uuid"], body: body).status == 400)
        #expect(caller.send("POST", target, ["X-Request-ID": "3f0e7a52-4c1d-4b6e-9a00-5d2c8e1f7b10"], body: body).status == 201)
        let plain = try DescriptionCorpus.imported("field/berlin-group.yaml")
        #expect(try plain.bank("it").bank.dialect.idempotency == nil)
        #expect(plain.choices.first { $0.role == "key" }?.state == .proposed)
    }

    @Test func `pages in a body, with the next cursor and whether there is more`() throws {
        var caller = try signedIn("plaid")
        let first = caller.send("POST", "/transactions/sync", body: #"{"access_token": "t", "count": 1}"#).json
        #expect(first["added"]?.array?.count == 1)
        #expect(first["has_more"] == true)
        let last = caller.send(
            "POST", "/transactions/sync", body: #"{"access_token": "t", "count": 1, "cursor": "\#(first["next_cursor"]?.string ?? "")"}"#
        ).json
        #expect(last["has_more"] == false)
        #expect(last["next_cursor"] == "")
    }

    @Test func `a range by instants has a start and an end`() throws {
        var caller = try signedIn("openbanking-uk")
        let account = try caller.json("/open-banking/v3.1/accounts").at("Data.Account")?.array?.first?["AccountId"]?.string ?? ""
        func count(_ query: String) throws -> Int? {
            try caller.json("/open-banking/v3.1/accounts/\(account)/transactions?\(query)").at("Data.Transaction")?.array?.count
        }

        #expect(try count("fromBookingDateTime=2026-01-12T00:00:00Z&toBookingDateTime=2026-01-13T00:00:00Z") == 1)
        #expect(try count("toBookingDateTime=2026-01-11T00:00:00Z") == 0)
        #expect(try count("fromBookingDateTime=2026-01-13T00:00:00Z") == 0)
    }

    @Test func `a range of dates, a listed value and an offset filter rows`() throws {
        var caller = try signedIn("yapily")
        let account = try caller.json("/accounts")["data"]?.array?.first?["id"]?.string ?? ""
        let path = "/accounts/\(account)/transactions"

        #expect(try caller.json(path)["data"]?.array?.count == 1)
        #expect(try caller.json(path + "?from=2026-01-13")["data"] == [])
        #expect(try caller.json(path + "?from=2026-01-12&before=2026-01-12")["data"]?.array?.count == 1)
        #expect(try caller.json(path + "?offset=1")["data"] == [])
        #expect(try caller.json(path).at("meta.pagination.totalCount") == 1)
    }

    @Test func `the query may say whose rows are wanted`() throws {
        var caller = try signedIn("monzo")
        let accounts = try caller.json("/accounts")["accounts"]?.array ?? []

        #expect(accounts.count == 2)
        let ids = accounts.compactMap { $0["id"]?.string }
        let lists = try ids.map { try caller.json("/transactions?account_id=\($0)")["transactions"]?.array?.compactMap { $0["id"] } ?? [] }
        #expect(lists.map(\.count) == [2, 2])
        #expect(Set(lists[0]).isDisjoint(with: lists[1]))
        #expect(try caller.json("/transactions?account_id=none")["transactions"] == [])
    }
}
