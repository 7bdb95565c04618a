import BankCore
import BankFiles
import BankModel
import Testing

@testable import BankImport

/// The bank made of the corpus answers as WireMock would.
@Suite struct LedgerTests {
    private let imported: Imported

    init() throws { imported = try WireMockImport(name: "ledger").convert(Corpus.ledger()) }

    private func caller() throws -> Caller { Caller(try imported.bank("ledger").bank) }

    @Test func `loads without a complaint and lists where it differs`() throws {
        #expect(try imported.bank("ledger").warnings == [])
        #expect(
            imported.warnings.map { "\($0.file) \($0.path) \($0.effect.rawValue)" } == [
                "mappings/accounts.json $.mappings[0].response.jsonBody.accounts[0].limit approximate"
            ])
        #expect(imported.operations == 26)
        #expect(imported.rules == 8)
    }

    @Test(arguments: [
        // url wants just that query; urlPath takes any.
        ("/v1/transactions?from=2026-01-01&to=2026-02-01", "exact-query"),
        ("/v1/transactions?to=2026-02-01&from=2026-01-01", "transactions"),
        ("/v1/transactions", "transactions"),
        ("/v1/transactions?page=2", "transactions-page-2"),
        ("/v1/transactions?page=2&q=", "transactions"),
        ("/v1/transactions?kind=cards&text=green%20tea&page=2", "card-transactions"),
        ("/v1/transactions?kind=cards", "transactions"),
        ("/v1/statements/2026.pdf", "statement"),
        ("/v1/statements/2026xpdf", nil),
        ("/v1/statements/2026.pdf?a=b", nil),
        ("/v1/accounts/a1", "one-account"),
        ("/v1/accounts/a9", "closed-account"),
        ("/v1/accounts/a1/balance", "balance"),
        ("/v1/accounts/sav7/balance", "savings-balance"),
        ("/v1/accounts/a/b/balance", nil),
        ("/v1/accounts", "accounts-without-a-token"),
        ("/v1/accounts?x=y", "accounts-without-a-token"),
        ("/v2/accounts", nil),
    ])
    func `an address meets the mapping that wins`(_ target: String, _ operation: String?) throws {
        var caller = try caller()

        #expect(caller.send("GET", target).operation == operation)
    }

    @Test(arguments: [
        ("{}", "payment"), ("no JSON", "payment"),
        (#"{"currency": "JPY", "amount": 500}"#, "payment-in-yen"), (#"{"currency": "JPY", "amount": 501}"#, "payment"),
        (#"{"to": {"account": "9", "name": "A"}}"#, "payment-to-a-closed-account"),
        (#"{"to": {"account": 9, "name": "A"}}"#, "payment-to-a-closed-account"),
        (#"{"to": {"account": "9"}}"#, "payment"), (#"{"to": {"account": "9", "name": null}}"#, "payment"),
        (#"{"to": [1, 2], "amount": 1}"#, "payment-known-by-heart"), (#"{"to": [2, 1], "amount": 1}"#, "payment"),
        (#"{"to": [1, 2], "amount": 1, "more": 1}"#, "payment"),
        (#"{"more": [], "note": {"urgent": true, "ref": "R1", "x": 1}}"#, "payment-with-a-reference"),
        (#"{"note": {"ref": "R1"}}"#, "payment"),
        ("<?xml?><Pay></Pay>", "payment-in-xml"), ("<Pay></Pay> ", "payment"),
    ])
    func `a body meets the mapping that wins`(_ body: String, _ operation: String) throws {
        var caller = try caller()

        #expect(caller.send("POST", "/v1/payments", body: body).operation == operation)
    }

    @Test func `headers and forms distinguish operations`() throws {
        var caller = try caller()
        let basic = "Basic YXBwOnMzY3JldA=="

        #expect(caller.send("GET", "/v1/accounts", ["authorization": "Bearer ava"]).operation == "accounts-of-ava")
        #expect(caller.send("GET", "/v1/accounts", ["Authorization": "Bearer ben"]).operation == "accounts-without-a-token")
        #expect(caller.send("GET", "/v1/icons/tea.png", ["Accept": "image/png"]).operation == "icon")
        #expect(caller.send("GET", "/v1/icons/.png", ["Accept": "image/png"]).operation == nil)
        #expect(caller.send("GET", "/v1/icons/tea.png", ["Accept": "text/html"]).operation == nil)
        #expect(caller.send("POST", "/oauth/token", ["Authorization": basic], body: "a=b&grant_type=password").operation == "token")
        #expect(caller.send("POST", "/oauth/token", ["Authorization": basic], body: "grant_type=other").operation == nil)
    }

    @Test func `responses are byte for byte what the mappings say`() throws {
        var caller = try caller()

        let accounts = caller.send("GET", "/v1/accounts", ["Authorization": "Bearer ava"]).response
        let rejected = caller.send("GET", "/v1/accounts").response
        let file = caller.send("GET", "/v1/transactions").response
        let statement = caller.send("GET", "/v1/statements/2026.pdf").response
        let icon = caller.send("GET", "/v1/icons/a.png", ["Accept": "image/png"]).response
        let created = caller.send("POST", "/v1/payments").response

        #expect(accounts.text == #"{"accounts":[{"id":"a1","balance":{"amount":"12.30","currency":"GBP"},"limit":12.00}]}"#)
        #expect(accounts.headers.filter { $0.name.lowercased() == "cache-control" }.map(\.value) == ["no-store", "private"])
        #expect(accounts.header("Content-Type") == "application/json")
        #expect(rejected.status == 401)
        #expect(rejected.text == #"{"error":"unauthorized"}"#)
        #expect(rejected.header("WWW-Authenticate") == "Bearer")
        #expect(file.text == "{ \"transactions\" : [ {\"id\":\"t1\", \"amount\": -12.00} ] }\n")
        #expect(statement.body.suffix(2) == [0xFF, 0xFE])
        #expect(statement.header("Content-Type") == "application/pdf")
        #expect(icon.body == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        #expect(icon.header("Content-Length") == nil)
        #expect(created.status == 201)
        #expect(created.body.isEmpty)
        #expect(created.headers == [.init("Location", "/v1/payments/p1")])
        #expect(caller.send("GET", "/v1/accounts/a1").response.headers == [], "no header that the mapping does not say")
        #expect(caller.send("GET", "/nowhere").response.status == 404)
    }

    @Test func `faults and delays are rules of a plan`() throws {
        let rules = try imported.rules("outages/ledger.yaml")

        #expect(
            Set(rules) == [
                #"{"fault":{"close":{}},"on":{"operation":"empty"}}"#,
                #"{"fault":{"bad-chunk":{"how":"size"}},"on":{"operation":"malformed"}}"#,
                #"{"fault":{"garbage":{"random":100}},"on":{"operation":"garbage"}}"#,
                #"{"fault":{"reset":{},"after":"250ms"},"on":{"operation":"late-reset"}}"#,
                #"{"fault":{"delay":{"at_point":"head","fixed":"300ms"}},"on":{"operation":"slow-head"}}"#,
                #"{"fault":{"delay":{"at_point":"head","uniform":{"from":"10ms","to":"2s"}}},"on":{"operation":"uniform"}}"#,
                #"{"fault":{"delay":{"at_point":"head","lognormal":{"median":"90ms","sigma":0.4}}},"on":{"operation":"lognormal"}}"#,
                #"{"fault":{"slow":{"chunks":5,"over":"1s"}},"on":{"operation":"lognormal"}}"#,
            ])
    }

    @Test func `a folder that itself holds the mappings will do`() throws {
        let files = [
            ImportFile("a.json", #"{"request": {"method": "GET", "url": "/a"}, "response": {"bodyFileName": "b.json"}}"#),
            ImportFile("__files/b.json", "[]"),
        ]
        var caller = Caller(try WireMockImport(name: "b").convert(files).bank("b").bank)

        #expect(caller.send("GET", "/a").response.text == "[]")
        #expect(try WireMockImport(name: "b").convert(files).text("outages/b.yaml") == nil, "no fault, no plan")
    }
}
