import BankCore
import BankFiles
import BankModel
import Foundation
import Testing

@testable import BankImport

/// A small bank's traffic, and what is learned of it.
enum Traffic {
    static func exchanges(_ entries: [HAREntry]) throws -> (exchanges: [RecordedExchange], warnings: [ImportWarning]) {
        let har: JSON = ["log": ["creator": ["name": "test"], "entries": .array(entries.map(\.json))]]
        return try HARImport.read([ImportFile("app.har", har.text)])
    }

    static func learned(
        _ entries: [HAREntry], seed: UInt64 = 7, _ change: (inout TrafficImport.Options) -> Void = { _ in }
    ) throws -> TrafficImport.Learned {
        var options = TrafficImport.Options(name: "b", seed: seed)
        change(&options)
        let (exchanges, warnings) = try exchanges(entries)
        return try TrafficImport(options).convert(exchanges, warnings: warnings)
    }

    static let json = ["Content-Type": "application/json"]
    static let form = ["Content-Type": "application/x-www-form-urlencoded"]
    static let accounts =
        #"{"accounts":[{"id":"a1","name":"Main","balance":{"amount":"100.00","currency":"GBP"}},{"id":"a2","name":"Pot","balance":{"amount":"20.50","currency":"GBP"}}]}"#
    static let signIn = HAREntry(
        0, "POST", "/oauth/token", body: "grant_type=password&username=ava&password=hunter2-hunter2", sends: form, gets: json,
        response: #"{"access_token":"tok-aaaaaaaaaaaa","token_type":"Bearer","expires_in":600,"refresh_token":"ref-aaaaaaaaaaaa"}"#)

    static func get(_ at: Int, _ path: String, _ response: String, status: Int = 200, token: String? = "tok-aaaaaaaaaaaa") -> HAREntry {
        HAREntry(at, "GET", path, status, token: token, gets: json, response: response)
    }

    static func pay(_ at: Int, _ body: String, _ status: Int = 201, response: String, key: String? = "key-1") -> HAREntry {
        HAREntry(
            at, "POST", "/v1/payments", status, token: "tok-aaaaaaaaaaaa", key: key, body: body, sends: json, gets: json, response: response
        )
    }

    /// Whether something listed has the text.
    static func lists(_ learned: TrafficImport.Learned, _ text: String) -> Bool {
        learned.imported.warnings.contains { $0.description.contains(text) }
    }
}

extension Imported {
    func json(_ path: String) throws -> JSON { try JSON(parsing: Array(try #require(text(path)).utf8)) }

    /// A session of the bank, signed in as its first customer.
    func caller() throws -> (caller: Caller, token: String) {
        let bank = try bank("b").bank
        let customer = try #require(bank.customers.first)
        var caller = Caller(bank)
        let form = "grant_type=password&username=\(customer.login)&password=\(customer.password ?? "")"
        let response = caller.send("POST", "/oauth/token", headers: Traffic.form, body: form).response
        return (caller, try #require(try JSON(parsing: response.body)["access_token"]?.string, "\(response.text)"))
    }
}

/// What is learned of lists, rows, sign-ins and errors.
@Suite struct TrafficTests {
    private func session() throws -> (imported: Imported, warnings: [ImportWarning]) {
        let learned = try Traffic.learned(
            [
                Traffic.signIn, Traffic.get(1000, "/v1/accounts", Traffic.accounts),
                Traffic.get(1100, "/v1/accounts/a1", #"{"id":"a1","name":"Main","balance":{"amount":"100.00","currency":"GBP"}}"#),
                Traffic.get(1200, "/v1/accounts/a1/limits", #"{"daily":"50.00"}"#),
                Traffic.get(1300, "/v1/accounts/a2/limits", #"{"daily":"70.00"}"#),
                Traffic.get(1400, "/v1/accounts/zz", #"{"error":"no such account"}"#, status: 404),
                Traffic.get(1500, "/v1/rates", #"{ "GBP": 1.10,  "EUR": 1.0e0 }"#, token: nil),
                Traffic.get(1600, "/v1/accounts", #"{"error":"bad token"}"#, status: 401, token: "tok-other-token"),
            ]) { $0.keep = ["name"] }
        return (learned.imported, learned.imported.warnings)
    }

    @Test func `the time of the request in its address chooses no response`() throws {
        let learned = try Traffic.learned([
            Traffic.get(0, "/v1/accounts?_=1770000000123", Traffic.accounts, token: nil),
            Traffic.get(100, "/v1/rates?ts=1770000000&base=GBP", #"{"EUR":1}"#, token: nil),
        ])
        var caller = Caller(try learned.imported.bank("b").bank)

        for target in ["/v1/accounts?_=1900000000000", "/v1/accounts"] {
            #expect(caller.send("GET", target).response.json["accounts"]?.array?.count == 2)
        }
        #expect(caller.send("GET", "/v1/rates?base=GBP&ts=1900000000").response.text == #"{"EUR":1}"#)
        #expect(caller.send("GET", "/v1/rates?base=USD&ts=1770000000").response.status == 404)
        #expect(Traffic.lists(learned, "`ts` in the query is the time of the request"))
    }

    @Test func `a list becomes a table, its rows' operation a row, and objects by path a table of their own`() throws {
        let imported = try session().imported
        var (caller, token) = try imported.caller()
        let headers = ["Authorization": "Bearer \(token)"]

        #expect(caller.send("GET", "/v1/accounts", headers: headers, body: "").response.text == Traffic.accounts)
        #expect(caller.send("GET", "/v1/accounts/a2", headers: headers, body: "").response.text.hasPrefix(#"{"id":"a2","name":"Pot""#))
        #expect(caller.send("GET", "/v1/accounts/a2/limits", headers: headers, body: "").response.text == #"{"daily":"70.00"}"#)
        let bank = try imported.bank("b").bank
        #expect(bank.operations.map(\.requestLine).contains("GET /v1/accounts/{accountId}"))
        #expect(bank.customers[0].owns["accounts"] == ["a1", "a2"])
        #expect(try imported.json("b/accounts.json").array?.count == 2)
    }

    @Test func `a row of one account's list is not found under another account`() throws {
        let learned = try Traffic.learned([
            Traffic.signIn, Traffic.get(1000, "/v1/accounts", Traffic.accounts),
            Traffic.get(1100, "/v1/accounts/a1/notes", #"{"notes":[{"id":"n1","kind":"x"},{"id":"n2","kind":"y"}]}"#),
            Traffic.get(1200, "/v1/accounts/a2/notes", #"{"notes":[{"id":"n3","kind":"z"}]}"#),
            Traffic.get(1300, "/v1/accounts/a1/notes/n1", #"{"id":"n1","kind":"x"}"#),
            Traffic.get(1400, "/v1/accounts/a2/notes/n3", #"{"id":"n3","kind":"z"}"#),
        ])
        var (caller, token) = try learned.imported.caller()
        func status(_ path: String) -> Int {
            caller.send("GET", "/v1/accounts/\(path)", headers: ["Authorization": "Bearer \(token)"], body: "").response.status
        }

        #expect(["a1/notes/n1", "a1/notes/n2", "a2/notes/n3"].map(status) == [200, 200, 200])
        #expect(["a2/notes/n1", "a1/notes/n3", "zz/notes/n1"].map(status) == [404, 404, 404])
    }

    @Test func `a table's key is a member that differs in each row`() throws {
        let rows = #"{"cards":[{"accountId":"acc-1","cardId":"card-1"},{"accountId":"acc-1","cardId":"card-2"}]}"#
        let learned = try Traffic.learned([Traffic.signIn, Traffic.get(1, "/v1/cards", rows)])

        #expect(learned.imported.text("b/bank.yaml")?.contains("key: cardId") == true)
    }

    @Test func `other responses are sent byte for byte, without a token where none was sent`() throws {
        var caller = Caller(try session().imported.bank("b").bank)

        let response = caller.send("GET", "/v1/rates").response
        #expect(response.text == #"{ "GBP": 1.10,  "EUR": 1.0e0 }"#)
        #expect(response.header("content-type") == "application/json")
    }

    @Test func `errors become the dialect's responses`() throws {
        let imported = try session().imported
        var (caller, token) = try imported.caller()

        let unknown = caller.send("GET", "/v1/accounts/zz", headers: ["Authorization": "Bearer \(token)"], body: "").response
        #expect(unknown.status == 404)
        #expect(unknown.text == #"{"error":"no such account"}"#)
        let rejected = caller.send("GET", "/v1/accounts", ["authorization": "Bearer nonsense"]).response
        #expect(rejected.status == 401)
        #expect(rejected.text == #"{"error":"bad token"}"#)
        #expect(try imported.bank("b").bank.dialect.responses[.rateLimited]?.status == 429)
    }

    @Test func `the sign-in grants tokens to the customer whose name was replaced`() throws {
        let imported = try session().imported
        let bank = try imported.bank("b").bank

        #expect(bank.customers.map(\.login) != ["ava"])
        #expect(bank.auth?.lifetime == .seconds(600))
        #expect(bank.operations.first { $0.name == "signIn" }?.roles == [.login])
        #expect(imported.files.allSatisfy { !String(decoding: $0.bytes, as: UTF8.self).contains("hunter2") })
    }

    @Test func `JSON sign-in, refresh and sign-out are recognised, and a code grant is listed`() throws {
        let token = #"{"accessToken":"tok-bbbbbbbbbbbb","expiresIn":900,"refreshToken":"ref-bbbbbbbbbbbb","idToken":"id-bbbbbbbbbbbb"}"#
        let learned = try Traffic.learned([
            HAREntry(
                0, "POST", "/login", 401, body: #"{"email":"ava@bank.example","pin":"493827"}"#, sends: Traffic.json, gets: Traffic.json,
                response: #"{"code":"wrong"}"#),
            HAREntry(
                500, "POST", "/login", body: #"{"email":"ava@bank.example","pin":"493828"}"#, sends: Traffic.json, gets: Traffic.json,
                response: token),
            HAREntry(
                900, "POST", "/refresh", body: #"{"refreshToken":"ref-bbbbbbbbbbbb"}"#, sends: Traffic.json, gets: Traffic.json,
                response: token),
            HAREntry(
                950, "POST", "/token", body: "grant_type=authorization_code&code=code-123456", sends: Traffic.form, gets: Traffic.json,
                response: token),
            HAREntry(960, "POST", "/logout", 200, body: #"{"token":"tok-bbbbbbbbbbbb"}"#, sends: Traffic.json),
            Traffic.get(1000, "/v1/accounts", Traffic.accounts, token: "tok-bbbbbbbbbbbb"),
        ])
        let bank = try learned.imported.bank("b").bank

        #expect(bank.operations.flatMap(\.roles).filter { [.login, .refresh, .logout].contains($0) }.count == 3)
        #expect(Traffic.lists(learned, "a sign-in by `authorization_code` is not supported"))
        #expect(Traffic.lists(learned, "`idToken` is a secret"))
        var caller = Caller(bank)
        let wrong = caller.send("POST", "/login", headers: Traffic.json, body: #"{"email":"x","pin":"y"}"#).response
        #expect(wrong.text == #"{"code":"wrong"}"#)
    }

    @Test(arguments: [
        ("/transactions", #"{"data":{"type":"transaction","id":"71","attributes":{"splits":[{"id":"710","amount":"3.00"}]}}}"#),
        ("/accounts", #"{"id":71,"name":"Main","cards":[{"id":"c1","state":"active"}]}"#),
        ("/accounts", #"{"iban":"71","cards":[{"id":"c1","state":"active"}]}"#),
    ])
    func `a list within the one thing that the path names is a part of it`(_ path: String, _ thing: String) throws {
        let learned = try Traffic.learned([
            Traffic.get(0, "\(path)/71", thing), Traffic.get(100, "\(path)/72", #"{"code":"none"}"#, status: 404),
        ]) { $0.keep = ["name"] }
        var caller = Caller(try learned.imported.bank("b").bank)

        #expect(try caller.get("\(path)/71", as: "customer").text == thing)
        #expect(try caller.get("\(path)/72", as: "customer").text == #"{"code":"none"}"#)
    }

    @Test(arguments: ["DE89370400440532013000", "acc_9f8e7d6c5b4a39281706f5e4d3c2b1a0", "20-00-00:12345678"])
    func `the member that requests name a row by is its key`(_ key: String) throws {
        let rows = #"[{"name":"Main","handle":"\#(key)","kind":"x"},{"name":"Pot","handle":"none-10000","kind":"x"}]"#
        let learned = try Traffic.learned([
            Traffic.get(0, "/v1/accounts", rows), Traffic.get(100, "/v1/accounts/\(key)/limits", #"{"daily":"50.00"}"#),
        ]) { $0.keep = ["name", "handle", "path"] }

        #expect(try #require(learned.imported.text("b/bank.yaml")).contains("accounts: {file: accounts.json, key: handle"))
        var caller = Caller(try learned.imported.bank("b").bank)
        #expect(try caller.get("/v1/accounts", as: "customer").text == rows)
        #expect(try caller.get("/v1/accounts/\(key)/limits", as: "customer").text == #"{"daily":"50.00"}"#)
        #expect(try caller.get("/v1/accounts/other-10000/limits", as: "customer").status == 404)
    }

    @Test func `tokens without a sign-in make customers without passwords`() throws {
        let learned = try Traffic.learned([Traffic.get(0, "/v1/accounts", Traffic.accounts)])
        let bank = try learned.imported.bank("b").bank

        #expect(bank.customers.map(\.login) == ["customer"])
        #expect(bank.customers[0].password == nil)
    }

    @Test func `rows of two customers are each customer's own`() throws {
        let learned = try Traffic.learned([
            Traffic.signIn, Traffic.get(100, "/v1/accounts", #"[{"id":"a1","kind":"x"}]"#),
            HAREntry(
                200, "POST", "/oauth/token", body: "grant_type=password&username=benedict&password=hunter3-hunter3", sends: Traffic.form,
                gets: Traffic.json, response: #"{"access_token":"tok-cccccccccccc"}"#),
            Traffic.get(300, "/v1/accounts", #"[{"id":"b1","kind":"y"}]"#, token: "tok-cccccccccccc"),
        ])
        let bank = try learned.imported.bank("b").bank

        #expect(bank.customers.map { $0.owns["accounts"] ?? [] } == [["a1"], ["b1"]])
        var (caller, token) = try learned.imported.caller()
        let mine = caller.send("GET", "/v1/accounts", headers: ["Authorization": "Bearer \(token)"], body: "").response
        #expect(mine.text == #"[{"id":"a1","kind":"x"}]"#)
    }

    // MARK: pages and queries

    private static let rows = (1...5).map { #"{"id":"r\#($0)","state":"\#($0 < 3 ? "open" : "done")"}"# }

    private func list(_ range: Range<Int>, _ rest: String = "") -> String {
        #"{"items":[\#(TrafficTests.rows[range].joined(separator: ","))]\#(rest)}"#
    }

    @Test(arguments: [
        ("cursor", "?after=c-one", #","next":"c-one""#), ("page-number", "?page=2", ""), ("since-id", "?since=r3", ""),
        ("offset", "?offset=3", ""),
    ])
    func `pages are recognised`(_ style: String, _ query: String, _ next: String) throws {
        let learned = try Traffic.learned([
            Traffic.get(0, "/rows", list(0..<3, next), token: nil), Traffic.get(100, "/rows\(query)", list(3..<5), token: nil),
        ])
        let text = try #require(learned.imported.text("b/bank.yaml"))
        var caller = Caller(try learned.imported.bank("b").bank)

        #expect(text.contains("style: \(style)"), "\(text)")
        #expect(text.contains("size: 3"))
        let first = try JSON(parsing: caller.send("GET", "/rows").response.body)
        #expect(first["items"]?.array?.count == 3)
        let cursor = first["next"]?.string.map { "?after=\($0)" } ?? query
        #expect(try JSON(parsing: caller.send("GET", "/rows\(cursor)").response.body)["items"]?.array?.count == 2)
    }

    @Test func `a Link header names the next page`() throws {
        let first = HAREntry(
            0, "GET", "/rows", gets: ["Content-Type": "application/json", "Link": "<https://bank.example/rows?at=x1>; rel=\"next\""],
            response: list(0..<3))
        let learned = try Traffic.learned([first, Traffic.get(100, "/rows?at=x1", list(3..<5), token: nil)])
        var caller = Caller(try learned.imported.bank("b").bank)

        #expect(try #require(learned.imported.text("b/bank.yaml")).contains("style: link-header"))
        #expect(caller.send("GET", "/rows").response.header("link")?.contains("/rows?at=") == true)
    }

    @Test func `a query that rows have chooses rows, any other has its own response`() throws {
        let learned = try Traffic.learned([
            Traffic.get(0, "/rows", list(0..<5), token: nil), Traffic.get(100, "/rows?state=open", list(0..<2), token: nil),
            Traffic.get(200, "/rows?sort=up", #"{"items":[\#(TrafficTests.rows.reversed().joined(separator: ","))]}"#, token: nil),
        ])
        var caller = Caller(try learned.imported.bank("b").bank)

        #expect(caller.send("GET", "/rows?state=done").response.text == list(2..<5))
        #expect(caller.send("GET", "/rows?sort=up").response.text.hasPrefix(#"{"items":[{"id":"r5""#))
        #expect(caller.send("GET", "/rows").response.text == list(0..<5))
    }

    @Test func `different responses to one request are listed with both numbers, never sent in turn`() throws {
        let learned = try Traffic.learned([
            Traffic.get(0, "/tip", #"{"text":"one"}"#, token: nil), Traffic.get(100, "/tip", #"{"text":"two"}"#, token: nil),
        ])
        var caller = Caller(try learned.imported.bank("b").bank)

        #expect(Traffic.lists(learned, "the response differs from that of exchange 1, also in exchange 2"))
        #expect((0..<2).map { _ in caller.send("GET", "/tip").response.text } == [#"{"text":"one"}"#, #"{"text":"one"}"#])
    }

    @Test func `slow operations get a delay`() throws {
        let learned = try Traffic.learned([
            Traffic.get(0, "/slow", #"{"a":1}"#, token: nil).with("time", 300), Traffic.get(900, "/fast", #"{"a":2}"#, token: nil),
        ])

        #expect(
            try learned.imported.rules("outages/b.yaml") == [
                #"{"fault":{"delay":{"at_point":"head","fixed":"302ms"}},"on":{"operation":"getSlow"}}"#
            ])
    }

    @Test(arguments: JSONLayout.allCases) func `rows are sent with the white space that was recorded`(layout: JSONLayout) throws {
        let recorded = String(decoding: try JSON(parsing: Array(Traffic.accounts.utf8)).bytes(layout), as: UTF8.self)
        let learned = try Traffic.learned([Traffic.get(0, "/v1/accounts", recorded, token: nil)]) { $0.keep = ["name", "id"] }
        var caller = Caller(try learned.imported.bank("b").bank)

        #expect(caller.send("GET", "/v1/accounts").response.text == recorded)
        #expect(!Traffic.lists(learned, "white space"))
    }

    @Test func `operations of which only a 404 was recorded are named`() throws {
        let learned = try Traffic.learned([
            Traffic.get(0, "/v1/accounts", Traffic.accounts, token: nil),
            // The first becomes the dialect's response to what is not there.
            Traffic.get(100, "/v1/gone", #"{"oops":1}"#, status: 404, token: nil),
            Traffic.get(200, "/v1/acounts", #"{"oops":2}"#, status: 404, token: nil),
        ])
        let other = try Traffic.learned([Traffic.get(0, "/v1/accounts", Traffic.accounts, token: nil)])

        #expect(learned.notFound == ["GET /v1/acounts"])
        #expect(other.notFound == [])
    }

    @Test func `other white space than a dialect can describe is listed`() throws {
        let odd = Traffic.accounts.replacingOccurrences(of: ",", with: " ,")
        let learned = try Traffic.learned([Traffic.get(0, "/v1/accounts", odd, token: nil)])

        #expect(Traffic.lists(learned, "rows are sent with other white space"))
    }
}
