import BankCore
import BankFiles
import BankModel
import Testing

@testable import BankImport

/// Whose data is learned, and what a client of the learned bank is expected to show.
@Suite struct TrafficCustomerTests {
    private static let signInOfBen = HAREntry(
        5000, "POST", "/oauth/token", body: "grant_type=password&username=benedict&password=hunter3-hunter3", sends: Traffic.form,
        gets: Traffic.json, response: #"{"access_token":"tok-bbbbbbbbbbbb"}"#)

    private static func account(_ id: String, _ balance: String) -> String {
        #"{"id":"\#(id)","name":"Account \#(id)","currency":"GBP","balance":"\#(balance)"}"#
    }

    private static func get(_ at: Int, _ path: String, _ response: String, ben: Bool) -> HAREntry {
        Traffic.get(at, path, response, token: ben ? "tok-bbbbbbbbbbbb" : "tok-aaaaaaaaaaaa")
    }

    private func view(_ bank: LoadedBank, _ customer: Int, _ operation: String) -> JSON? {
        bank.expected?.view(customer: bank.bank.customers[customer].login, operation: operation, start: Instant(seconds: 0)) { _ in 0 }
    }

    // MARK: tokens without a sign-in

    @Test func `tokens are of two customers if the same request lists other rows, and of one if it lists the same`() throws {
        func get(_ at: Int, _ token: String, _ ids: String...) -> HAREntry {
            Traffic.get(
                at, "/v1/cards", #"{"cards":[\#(ids.map { #"{"id":"\#($0)","kindId":"k-1"}"# }.joined(separator: ","))]}"#, token: token)
        }
        let bank = try Traffic.learned([
            get(0, "tok-aaaaaaaaaaaa", "a1", "a2"), get(100, "tok-bbbbbbbbbbbb", "b1", "b2"), get(200, "tok-rotated-of-a", "a1", "a2"),
        ]).imported.bank("b").bank

        #expect(bank.customers.map(\.login) == ["customer", "customer2"])
        #expect(bank.customers.map { $0.owns["cards"] ?? [] } == [["a1", "a2"], ["b1", "b2"]])
    }

    @Test func `the import names who can sign in, or who can get a token`() throws {
        let accounts = Traffic.get(100, "/v1/accounts", Traffic.accounts)
        let imported = try Traffic.learned([Traffic.signIn, accounts, TrafficCustomerTests.signInOfBen]).imported
        let customers = try imported.bank("b").bank.customers

        #expect(customers.count == 2)
        let names = customers.map { "\($0.login) (password \($0.password ?? ""))" }.joined(separator: ", ")
        #expect(imported.signIn == "POST /oauth/token signs in \(names)")
        #expect(
            try Traffic.learned([accounts]).imported.signIn
                == "no operation signs in; `counterfoil tokens issue --login LOGIN --session b` issues a token of customer")
    }

    @Test func `the steps on the bank's sign-in page are listed, and do not become operations`() throws {
        let learned = try Traffic.learned([
            HAREntry(0, "GET", "/start?response_type=code&client_id=app", 302, gets: ["Location": "/page"]),
            HAREntry(
                10, "POST", "/page", 302, body: "username=ava&password=hunter2-hunter2", sends: Traffic.form, gets: ["Location": "/next"]),
            HAREntry(
                20, "POST", "/consent", 303, body: "share=yes", sends: Traffic.form,
                gets: ["Location": "app:/back?code=code-123456&state=state-1"]),
            HAREntry(30, "GET", "/old", 301, gets: ["Location": "/v1/countries?code=GB"]),
            Traffic.get(100, "/v1/accounts", Traffic.accounts),
        ])

        #expect(try learned.imported.bank("b").bank.operations.map(\.name).sorted() == ["getAccounts", "getOld"])
        let listed = learned.imported.warnings.filter { $0.reason.hasPrefix("a step on the bank's sign-in page") }
        #expect(listed.map(\.item) == ["exchange 1", "exchange 2", "exchange 3"])
    }

    @Test func `a customer's number signs in, and the response has a lifetime as a text and a refresh token in an object`() throws {
        let response =
            #"{"data":{"accessToken":"tok-aaaaaaaaaaaa","refreshToken":"ref-aaaaaaaaaaaa","expiresIn":"600"},"customerNo":"10023456"}"#
        let imported = try Traffic.learned([
            HAREntry(
                0, "POST", "/login", body: #"{"customerNumber":"10023456","pin":"471199"}"#, sends: Traffic.json, gets: Traffic.json,
                response: response),
            Traffic.get(100, "/v1/accounts", Traffic.accounts),
        ]).imported
        let bank = try imported.bank("b").bank
        var caller = Caller(bank)

        let body = #"{"customerNumber":"\#(bank.customers[0].login)","pin":"\#(bank.customers[0].password ?? "")"}"#
        let data = caller.send("POST", "/login", headers: Traffic.json, body: body).response.json["data"]
        #expect(data?["accessToken"]?.string?.isEmpty == false && data?["refreshToken"]?.string?.isEmpty == false)
        #expect(data?["expiresIn"] == "600")
        #expect(imported.files.allSatisfy { !String(decoding: $0.bytes, as: UTF8.self).contains("10023456") })
    }

    @Test func `a sign-in whose response is a redirect is listed with that reason`() throws {
        let learned = try Traffic.learned([
            HAREntry(
                0, "POST", "/login", 302, body: "username=ava&password=hunter2-hunter2", sends: Traffic.form, gets: ["Location": "/home"]),
            Traffic.get(100, "/v1/accounts", Traffic.accounts),
        ])

        #expect(Traffic.lists(learned, "no response is JSON with a success status"))
    }

    // MARK: what differs between customers

    @Test func `an object that differs between customers is each customer's own`() throws {
        let responses = [#"{"points":1,"cards":[{"id":"a1"}]}"#, #"{"points":2,"cards":[{"id":"b1"}]}"#]
        let learned = try Traffic.learned([
            Traffic.signIn, TrafficCustomerTests.get(100, "/v1/me", responses[0], ben: false), TrafficCustomerTests.signInOfBen,
            TrafficCustomerTests.get(6000, "/v1/me", responses[1], ben: true),
        ])
        let bank = try learned.imported.bank("b").bank
        var caller = Caller(bank)

        #expect(bank.customers.count == responses.count)
        for (customer, response) in zip(bank.customers, responses) {
            #expect(try caller.get("/v1/me", as: customer.login).text == response)
        }
        #expect(!Traffic.lists(learned, "the response differs"))
    }

    @Test func `objects below the accounts of two customers are rows that only their owners see`() throws {
        var entries = [Traffic.signIn, TrafficCustomerTests.signInOfBen]
        for (id, ben, at) in [("a1", false, 100), ("b1", true, 6000)] {
            entries += [
                TrafficCustomerTests.get(at, "/v1/accounts", "[\(TrafficCustomerTests.account(id, "1.00"))]", ben: ben),
                TrafficCustomerTests.get(at + 50, "/v1/accounts/\(id)/limits", #"{"daily":"\#(id)0.00"}"#, ben: ben),
            ]
        }
        let bank = try Traffic.learned(entries).imported.bank("b").bank
        var caller = Caller(bank)
        let logins = bank.customers.map(\.login)

        #expect(try caller.get("/v1/accounts/a1/limits", as: logins[0]).text == #"{"daily":"a10.00"}"#)
        #expect(try caller.get("/v1/accounts/b1/limits", as: logins[1]).text == #"{"daily":"b10.00"}"#)
        #expect(try caller.get("/v1/accounts/b1/limits", as: logins[0]).status == 404)
    }

    // MARK: periods

    private static let dated = [("t3", "2026-03-03T10:00:00Z"), ("t2", "2026-02-02T10:00:00Z"), ("t1", "2026-01-01T10:00:00Z")]

    private func list(_ rows: ArraySlice<(String, String)>) -> String {
        #"{"items":[\#(rows.map { #"{"id":"\#($0.0)","at":"\#($0.1)"}"# }.joined(separator: ","))]}"#
    }

    @Test func `two dates in a query choose rows by their date`() throws {
        let rows = TrafficCustomerTests.dated
        let learned = try Traffic.learned([
            Traffic.get(0, "/v1/items?from=2026-02-01&to=2026-03-31", list(rows[..<2]), token: nil),
            Traffic.get(100, "/v1/items?from=2026-01-01&to=2026-01-31", list(rows[2...]), token: nil),
        ])
        var caller = Caller(try learned.imported.bank("b").bank)

        #expect(caller.send("GET", "/v1/items?from=2026-01-01&to=2026-02-02").response.text == list(rows[1...]))
        #expect(caller.send("GET", "/v1/items?from=2026-03-01").response.text == list(rows[..<1]))
        #expect(caller.send("GET", "/v1/items").response.text == list(rows[...]))
    }

    @Test func `dates that do not hold for the rows are no period`() throws {
        let rows = TrafficCustomerTests.dated
        let learned = try Traffic.learned([Traffic.get(0, "/v1/items?from=2026-02-01&to=2026-03-31", list(rows[...]), token: nil)])

        #expect(learned.imported.text("b/bank.yaml")?.contains("between") == false)
        #expect(learned.imported.text("b/items.json") != nil)
    }

    // MARK: expected results

    private func twoCustomers() throws -> LoadedBank {
        func transactions(_ id: String) -> String {
            #"[{"id":"\#(id)","date":"2026-01-02","amount":"1.00","currency":"GBP","description":"Tea"}]"#
        }
        let account = TrafficCustomerTests.account
        return try Traffic.learned([
            Traffic.signIn,
            TrafficCustomerTests.get(100, "/v1/accounts", "[\(account("a1", "1.00")),\(account("a2", "2.00"))]", ben: false),
            TrafficCustomerTests.get(110, "/v1/accounts/a2/transactions", transactions("t2"), ben: false),
            TrafficCustomerTests.get(120, "/v1/accounts/a1/transactions", transactions("t1"), ben: false),
            TrafficCustomerTests.get(130, "/v1/accounts/a1", account("a1", "1.00"), ben: false), TrafficCustomerTests.signInOfBen,
            TrafficCustomerTests.get(6000, "/v1/accounts", "[\(account("b1", "3.00"))]", ben: true),
            TrafficCustomerTests.get(6010, "/v1/accounts/b1/transactions", transactions("t3"), ben: true),
            HAREntry(7000, "POST", "/oauth/revoke", body: "token=tok-bbbbbbbbbbbb", sends: Traffic.form),
        ]).imported.bank("b")
    }

    @Test func `each customer has expected results, those of lists for the first account`() throws {
        let bank = try twoCustomers()

        #expect((0..<2).map { view(bank, $0, "accounts")?["accounts"]?.array?.map { $0["id"]?.string } } == [["a1", "a2"], ["b1"]])
        #expect((0..<2).map { view(bank, $0, "transactions")?["transactions"]?.array?.map { $0["id"]?.string } } == [["t1"], ["t3"]])
        #expect(bank.bank.defaults["transactions"]?["account"] == "a1")
    }

    @Test func `an account's row is its balance, and a sign-out is an operation of a client`() throws {
        let bank = try twoCustomers()

        #expect(bank.bank.operations(of: .balance).map(\.name) == ["getAccount"])
        #expect(view(bank, 0, "balance") == ["balance": "1.00", "currency": "GBP"])
        #expect(bank.bank.clientOperations.contains("logout"))
    }

    @Test func `a list named accounts has the role, whatever its path is`() throws {
        let response = #"{"since":"2020","accounts":[\#(TrafficCustomerTests.account("a1", "1.00"))]}"#
        let bank = try Traffic.learned([Traffic.signIn, TrafficCustomerTests.get(100, "/v1/profile", response, ben: false)]).imported.bank(
            "b")

        #expect(bank.bank.operations(of: .accounts).map(\.name) == ["getProfile"])
        #expect(view(bank, 0, "accounts")?["accounts"]?.array?.count == 1)
    }

    @Test func `an object that differs with and without a token is no customer's row`() throws {
        let learned = try Traffic.learned([
            Traffic.signIn, Traffic.get(100, "/v1/offers", #"{"offer":"yours","rate":1}"#),
            Traffic.get(200, "/v1/offers", #"{"offer":"everybody's","rate":2}"#, token: nil),
        ])

        #expect(try learned.imported.bank("b").bank.operations.contains { $0.name == "getOffers" })
    }

    // MARK: errors, headers and names

    @Test func `an operation for one address is named without the ids in it`() throws {
        let bank = try Traffic.learned([Traffic.get(0, "/v1/cards/a1b2c3d4e5f60718/pin", "[1]", token: nil)]).imported.bank("b").bank

        #expect(bank.operations.map(\.name) == ["getCardsPin"])
    }

    @Test func `403 with invalid_token is a rejected token, and no other rejection has its body`() throws {
        let learned = try Traffic.learned([
            Traffic.signIn, Traffic.get(100, "/v1/accounts", Traffic.accounts),
            Traffic.get(200, "/v1/accounts", #"{"error":"invalid_token"}"#, status: 403, token: "tok-other-token"),
        ])
        let responses = try learned.imported.bank("b").bank.dialect.responses

        #expect(responses[.tokenRejected]?.status == 403)
        #expect(learned.imported.text("dialects/b.yaml")?.ranges(of: "invalid_token").count == 3)
        #expect(responses[.scopeRefused]?.status == 403)
    }

    @Test func `--keep path keeps ids in addresses`() throws {
        let entry = Traffic.get(0, "/bins/1a30k8", #"[{"id":"r1"}]"#, token: nil)
        var caller = Caller(try Traffic.learned([entry]) { $0.keep = ["path"] }.imported.bank("b").bank)

        #expect(caller.send("GET", "/bins/1a30k8").response.text == #"[{"id":"r1"}]"#)
        #expect(try Traffic.learned([entry]).imported.text("b/bins.json")?.contains("1a30k8") == false)
    }

    @Test func `the id of a response is a new one each time`() throws {
        let learned = try Traffic.learned([
            HAREntry(0, gets: ["Content-Type": "application/json", "X-Request-Id": "req-0a1b", "X-Kind": "k"], response: #"{"a":1}"#)
        ])
        let text = try #require(learned.imported.text("b/bank.yaml"))

        #expect(text.contains("X-Kind"))
        #expect(!text.contains("X-Request-Id"))
        #expect(learned.imported.text("dialects/b.yaml")?.contains("request_id: X-Request-Id") == true)
    }
}
