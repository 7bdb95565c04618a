import BankCore
import BankFiles
import BankModel
import Testing

/// Magic amounts, payees and passwords, with which testers provoke a rejection.
@Suite struct MagicTests {
    /// Outcomes by amount and payee, from the guide's table.
    private func guide() throws -> [(amount: Int64, payee: String, outcome: String)] {
        let text = String(decoding: try FileReader.disk.read(named: "\(Shipped.stubs)/../docs/bank-language.md"), as: UTF8.self)
        return text.split(separator: "\n").filter { $0.contains("`magic-") && $0.hasPrefix("| `") }.compactMap {
            (line: Substring) -> (amount: Int64, payee: String, outcome: String)? in
            let pieces = line.split(separator: "`").map(String.init)
            let cells = stride(from: 1, to: pieces.count, by: 2).map { pieces[$0] }
            guard cells.count == 3, let amount = Int64(cells[0]) else { return nil }
            return (amount, cells[1], cells[2])
        }
    }

    @Test(arguments: ["problem-json", "starling", "openbanking-uk", "nextgenpsd2", "monzo"])
    func `all dialects with payments have those of the guide`(_ name: String) throws {
        let magic = try #require(Shipped.library.check().dialects.first { $0.name == name }).magic
        let guide = try guide()
        func outcome(_ name: String) -> MagicOutcome? {
            name == "rejected" ? .rejected : DialectResponseName(rawValue: name).map(MagicOutcome.errorResponse)
        }

        #expect(guide.count == 9)
        #expect(magic.amounts.count == guide.count)
        #expect(magic.payees.count == guide.count)
        for row in guide {
            #expect(magic.amounts[row.amount] == outcome(row.outcome), "\(row)")
            #expect(outcome(row.outcome) != nil, "\(row)")
            #expect(magic.payees[row.payee] == outcome(row.outcome), "\(row)")
        }
    }

    @Test(arguments: KeyedDialect.all)
    func `a magic amount is rejected in the dialect's words and moves nothing`(_ row: KeyedDialect) throws {
        var caller = try row.caller()
        for (number, (amount, _, outcome)) in try guide().enumerated() where outcome != "rejected" {
            let isMinor = !row.amounts.some.contains(".")

            let response = row.pay(&caller, key: KeyedDialect.key(number), isMinor ? "\(amount)" : "\(amount / 100).0\(amount % 100)")

            let usual = caller.dialectResponse(try #require(response.name))
            #expect(response.name?.rawValue == outcome)
            #expect(response.status == usual.status)
        }
        #expect(caller.state.ledger.movements.isEmpty)
    }

    @Test(arguments: [("rate-limited", false), ("maintenance", false), ("step-up", false), ("internal-error", true), ("not-found", true)])
    func `a key stores only responses that a bank sends after it has processed the request`(_ outcome: String, _ isStored: Bool) throws {
        let row = KeyedDialect.all[0]
        var caller = try row.caller()
        let amount = try #require(guide().first { $0.outcome == outcome }).amount

        let responses = (1...2).map { _ in row.pay(&caller, key: "k-1", "\(amount / 100).0\(amount % 100)") }

        #expect(responses.map(\.name?.rawValue) == [outcome, outcome])
        #expect(responses[1].replayed == isStored, "Stripe stores a 500 and no 429")
    }

    @Test func `a magic payee is meant by its key without a row`() throws {
        var caller = try Caller(Shipped.library.load("counterfoil").bank, login: "ava")
        let body = #"{"from": "ava-gbp", "to": "magic-step-up", "amount": {"amount": "1.00", "currency": "GBP"}}"#

        let response = caller.send("POST", "/v1/payments", headers: [.init("Idempotency-Key", "k1")], body: body)

        #expect(response.status == 403)
        #expect(response.name == .stepUp)
        #expect(caller.send("GET", "/v1/accounts").status == 200, "the token stays good")
    }

    @Test func `a magic payee is meant by a text of its row`() throws {
        var caller = try Caller(Shipped.library.load("roundup").bank, login: "ava")
        let account = "/api/v2/account/5f1c0a10-0000-4000-8000-000000000a01/savings-goals"
        let new = caller.send("PUT", account, body: #"{"name": "magic-insufficient-funds", "currency": "GBP"}"#).json
        let goal = try #require(new["savingsGoalUid"]?.string)

        let response = caller.send(
            "PUT", "\(account)/\(goal)/add-money/\(KeyedDialect.key(1))", body: #"{"amount": {"currency": "GBP", "minorUnits": 1}}"#)

        #expect(response.name == .insufficientFunds)
        #expect(response.json["success"] == false)
        #expect(caller.state.ledger.movements.isEmpty)
    }

    static let passwords: [(bank: String, password: String, status: Int, name: DialectResponseName?, text: String)] = [
        ("counterfoil", "error_rate-limited", 429, .rateLimited, "urn:counterfoil:problem:rate-limited"),
        ("counterfoil", "error_maintenance", 503, .maintenance, "urn:counterfoil:problem:maintenance"),
        ("counterfoil", "error_step-up", 403, .stepUp, "urn:counterfoil:problem:step-up"),
        ("counterfoil", "error_locked", 400, nil, "The account is locked"),
        ("counterfoil", "error_wrong-login", 400, nil, "invalid_grant"),
        ("counterfoil", "error_invalid-scope", 400, nil, "invalid_scope"),
        ("counterfoil", "error_nonsense", 400, nil, "The user name or the password is wrong"),
        ("counterfoil", "error_", 400, nil, "The user name or the password is wrong"),
        ("login", "error_locked", 423, nil, "AUTH-003"), ("login", "error_wrong-login", 401, nil, "AUTH-001"),
        ("login", "error_internal-error", 500, .internalError, "SRV-500"), ("login", "error_x", 401, nil, "AUTH-001"),
    ]

    @Test(arguments: passwords)
    func `a magic password is answered with its response`(
        _ bank: String, _ password: String, _ status: Int, _ name: DialectResponseName?, _ text: String
    ) throws {
        var caller = try Caller(Shipped.library.load(bank).bank, login: nil)

        for user in ["ava", "nobody"] {
            let response =
                bank == "login"
                ? caller.send("POST", "/login", body: #"{"username": "\#(user)", "password": "\#(password)"}"#)
                : caller.send("POST", "/oauth/token", body: "grant_type=password&username=\(user)&password=\(password)")

            #expect(response.status == status)
            #expect(response.name == name)
            #expect(String(decoding: response.body, as: UTF8.self).contains(text))
        }
        #expect(caller.state.tokens.tokens.isEmpty)
    }
}
