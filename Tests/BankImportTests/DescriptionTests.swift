import BankCore
import BankFiles
import BankModel
import Testing

@testable import BankImport

/// Banks made of API descriptions load, and answer as the descriptions say.
@Suite struct DescriptionTests {
    @Test(arguments: DescriptionCorpus.names)
    func `loads without a warning`(_ name: String) throws {
        let bank = try DescriptionCorpus.imported(name).bank("it")

        #expect(bank.warnings == [])
    }

    @Test func `a list is a table and its rows are asked for one by one`() throws {
        var caller = try SignedIn("starry.yaml")

        #expect(try caller.json("/api/v2/accounts").at("accounts")?.array?.count == 2)
        #expect(try caller.json("/api/v2/accounts/bbccbbcc-1111-4111-8111-000000000002")["name"] == "Euro")
        #expect(caller.send("GET", "/api/v2/accounts/bbccbbcc-1111-4111-8111-000000000009").status == 404)
    }

    @Test func `a response without an example is made of its schema`() throws {
        var caller = try SignedIn("starry.yaml")

        let balance = try caller.json("/api/v2/accounts/bbccbbcc-1111-4111-8111-000000000001/balance")
        #expect(
            balance.text
                == #"{"clearedBalance":{"currency":"GBP","minorUnits":11223},"effectiveBalance":{"currency":"GBP","minorUnits":11223}}"#)
        let feed = try caller.json(
            "/api/v2/feed/account/bbccbbcc-1111-4111-8111-000000000001/settled-transactions-between?minTransactionTimestamp=2026-01-01T00:00:00Z"
        )
        #expect(feed["feedItems"]?.array?.first?["counterPartyName"] == "Tea House")
    }

    @Test(arguments: [
        (#"{"amount": {"currency": "GBP", "minorUnits": 5}}"#, 200), (#"{"amount": {"currency": "GBP"}}"#, 400), ("{}", 400),
        (#"{"amount": {"currency": "GBP", "minorUnits": "5"}}"#, 400),
        (#"{"amount": {"currency": "GBP", "minorUnits": 5}, "reference": 1}"#, 400),
    ])
    func `a body must have its fields and their kinds`(_ body: String, _ status: Int) throws {
        var caller = try SignedIn("starry.yaml")

        #expect(
            caller.send("PUT", "/api/v2/account/bbccbbcc-1111-4111-8111-000000000001/savings-goals/g/add-money/t", body: body).status
                == status)
    }

    @Test func `errors are those of the description`() throws {
        let dialect = try DescriptionCorpus.imported("starry.yaml").bank("it").bank.dialect

        var caller = try SignedIn("starry.yaml", scopes: ["account:read"])
        #expect(caller.send("GET", "/api/v2/accounts/bbccbbcc-1111-4111-8111-000000000001/balance").text.contains("invalid_token"))
        #expect(caller.send("PUT", "/api/v2/account/bbccbbcc-1111-4111-8111-000000000001/savings-goals/g/add-money/t").status == 403)
        #expect(dialect.responses[.insufficientFunds]?.invented == false)
        #expect(dialect.responses[.scopeRefused]?.invented == false)
        #expect(dialect.responses[.maintenance]?.invented == true)
        for name in [DialectResponseName.badRequest, .keyMissing, .keyMismatch] {
            #expect(dialect.responses[name]?.invented == true, "the only error is about money")
        }
    }

    @Test func `the body of 4XX is that of each such error without its own, 5XX likewise, and 402 is about money`() throws {
        func body(_ code: String) -> String { "{content: {application/json: {example: {code: \(code)}}}}" }
        let responses =
            "{\"200\": {}, \"4XX\": \(body("client")), 402: \(body("poor")), \"404\": \(body("missing")), 5xx: \(body("server"))}"
        let imported = try DescriptionCorpus.imported(
            yaml: DescriptionCorpus.description(
                operation: "{security: [{it: []}], responses: \(responses)}",
                components: "{securitySchemes: {it: {type: http, scheme: bearer}}}"))
        let bank = try imported.bank("it").bank
        var caller = try SignedIn(bank, isSignedIn: false)

        #expect(caller.send("GET", "/it").json == ["code": "client"])
        #expect(caller.send("GET", "/none").json == ["code": "missing"])
        for name in [DialectResponseName.rateLimited, .maintenance] { #expect(bank.dialect.responses[name]?.invented == false) }
        #expect(bank.dialect.responses[.insufficientFunds]?.status == 402)
        #expect(imported.warnings.isEmpty)
    }

    @Test func `a charset at some responses does not keep their rows out of a table`() throws {
        let imported = try DescriptionCorpus.imported(
            yaml: """
                openapi: 3.1.0
                paths:
                  /a: {get: {responses: {"200": {content: {application/json: {example: {b: 1}}}}}}}
                  /c: {get: {responses: {"200": {content: {application/json: {example: {d: 1}}}}}}}
                  /rows: {get: {responses: {"200": {content: {"application/json; charset=utf-8": {example: [{id: r1, name: One}]}}}}}}
                """)

        #expect(try imported.bank("it").bank.tables["rows"]?.rows.count ?? 0 > 0)
    }

    @Test func `responses have the request ID of the description`() throws {
        let bank = try DescriptionCorpus.imported("open-ledger.json").bank("it").bank

        #expect(bank.dialect.requestID == "x-fapi-interaction-id")
        #expect(try DescriptionCorpus.imported("starry.yaml").bank("it").bank.dialect.requestID == nil)
    }

    @Test func `an open operation wants no token`() throws {
        var caller = try SignedIn("starry.yaml", isSignedIn: false)

        let terms = caller.send("GET", "/api/v2/public/terms.txt")
        #expect(terms.text == "Terms and conditions")
        #expect(terms.header("Content-Type") == "text/plain")
        #expect(caller.send("GET", "/api/v2/accounts").status == 401)
    }

    @Test func `idempotency keys are where the description has them`() throws {
        var caller = try SignedIn("open-ledger.json")
        let body =
            #"{"Data": {"ConsentId": "c", "Initiation": {"InstructionIdentification": "i", "InstructedAmount": {"Amount": "1.00", "Currency": "GBP"}}}, "Risk": {}}"#
        let target = "/open-banking/v3.1/aisp/domestic-payments"

        #expect(caller.send("POST", target, body: body).status == 400)
        let first = caller.send("POST", target, ["x-idempotency-key": "k"], body: body)
        #expect(first.status == 201)
        #expect(first.text.contains("58923-001"))
        #expect(caller.send("POST", target, ["x-idempotency-key": "k"], body: body).body == first.body)
        #expect(caller.send("POST", target, ["x-idempotency-key": String(repeating: "k", count: 41)], body: body).status == 400)
        #expect(caller.send("DELETE", "/open-banking/v3.1/aisp/callbacks").status == 204)
    }

    @Test func `the password flow signs in`() throws {
        var caller = try SignedIn("pocket.yaml", isSignedIn: false)

        let response = caller.send("POST", "/oauth/token", body: "grant_type=password&username=ava&password=correct-horse")
        caller.token = response.json["access_token"]?.string
        #expect(try caller.json("/pots").array?.count == 2)
        #expect(try caller.json("/pots/pot_2")["balance"] == 5)
        let renewed = caller.send(
            "POST", "/oauth/token", body: "grant_type=refresh_token&refresh_token=\(response.json["refresh_token"]?.string ?? "")")
        #expect(renewed.status == 200)
        #expect(caller.send("POST", "/oauth/token", body: "grant_type=password&username=ava&password=no").status == 400)
    }

    @Test func `an exact path stands before one with a parameter`() throws {
        var caller = try SignedIn("pocket.yaml")

        #expect(try caller.json("/pots/all")["count"] == 2)
    }

    @Test func `headers and status of a success are sent`() throws {
        var caller = try SignedIn("pocket.yaml")

        let made = caller.send("POST", "/pots", body: #"{"name": "Tea", "goal": null}"#)
        #expect(made.status == 201)
        #expect(made.header("Location") == "/pots/pot_3")
        #expect(made.json == ["id": "pot_3", "path": "Example path"])
        let rejected = caller.send("POST", "/pots", body: #"{"name": 5}"#)
        #expect(rejected.status == 422)
        #expect(rejected.header("Content-Type") == "application/problem+json")
    }

    @Test func `the small bank serves`() throws {
        let bank = try BankSkeleton(name: "it").made.bank("it")
        var caller = try SignedIn(bank.bank)

        #expect(bank.warnings == [])
        #expect(try caller.json("/api/accounts").at("accounts")?.array?.count == 2)
        let pay = caller.send("POST", "/api/payments", ["Idempotency-Key": "k"], body: #"{"from": "a1", "to": "a2", "amount": "5.00"}"#)
        #expect(pay.status == 201)
        #expect(try caller.json("/api/accounts").at("accounts")?.array?.first?.at("balance.amount") == "1245.00")
    }
}

/// A session of a bank made of a description, whose first customer is signed in.
struct SignedIn {
    private var state: SessionState
    var token: String?
    private let start = Instant(seconds: 1_763_553_600)
    /// How the bank wants the token.
    private let location: AuthPolicy.CredentialLocation

    init(_ name: String, scopes: [String]? = nil, isSignedIn: Bool = true) throws {
        try self.init(DescriptionCorpus.imported(name).bank("it").bank, scopes: scopes, isSignedIn: isSignedIn)
    }

    init(_ bank: Bank, login: String = "ava", scopes: [String]? = nil, isSignedIn: Bool = true) throws {
        location = bank.auth?.location ?? .bearer
        state = SessionState(id: "it", seed: 7, prepared: PreparedBank(bank), baseURL: "http://bank", startedAt: start)
        token = isSignedIn ? try state.issueTokens(login: login, scopes: scopes, at: start).access.text : nil
    }

    mutating func send(
        _ method: String, _ target: String, _ headers: KeyValuePairs<String, String> = [:], body: String = ""
    ) -> BankResponse {
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        let bearer: [JournalEntry.Header] =
            switch (token, location) {
            case (let token?, .header(let name)): [.init(name, token)]
            case (let token?, .basic): [.init("Authorization", "Basic \(token)")]
            case (let token?, _): [.init("Authorization", "Bearer \(token)")]
            case (nil, _): []
            }
        let request = BankRequest(
            method, parts[0], query: parts.count > 1 ? parts[1] : nil, headers: headers.map { .init($0.key, $0.value) } + bearer,
            body: Array(body.utf8))
        return state.answer(request, at: start).response
    }

    /// Sends what follows as another customer.
    mutating func change(to login: String) throws {
        token = try state.issueTokens(login: login, scopes: nil, at: start).access.text
    }

    mutating func json(_ target: String) throws -> JSON {
        let response = send("GET", target)
        try #require(response.status == 200, "\(target): \(response.text)")
        return try JSON(parsing: response.body)
    }
}

extension SignedIn {
    /// A path with the keys of rows that the customer sees; nil if a parameter names no row that is known.
    mutating func filled(_ path: String) -> String? {
        guard let template = PathTemplate(path) else { return nil }
        var target = path
        for parameter in template.parameters {
            let keys = state.bank.operations.flatMap(\.parents).filter { $0.key == .path(parameter) }.map(\.table)
            guard let table = (keys.first ?? state.bank.tables.keys.sorted().first).flatMap({ state.bank.tables[$0] }) else { return nil }
            let own = state.bank.customers.first?.owns[table.name]
            let rows = table.rows.map { $0[table.key]?.plainText ?? "" }
            guard let key = rows.first(where: { own?.contains($0) ?? true }) else { return nil }
            target = target.replacing("{\(parameter)}", with: key)
        }
        return target
    }
}

extension BankResponse {
    var json: JSON { (try? JSON(parsing: body)) ?? .null }
}
