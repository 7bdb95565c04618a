import BankCore
import BankFiles
import BankModel
import Testing

/// Each dialect's rules for keys, a test for each rule; they are in ``KeyedDialect/all``.
@Suite struct KeyTableTests {
    @Test(arguments: KeyedDialect.all)
    func `a rejected token has the status of the bank`(_ row: KeyedDialect) throws {
        var caller = try row.caller()
        caller.token = "unknown"

        let response = row.pay(&caller, key: KeyedDialect.key(1))

        #expect(response.status == row.tokenRejected.status)
        let body = String(decoding: response.body, as: UTF8.self)
        #expect(row.tokenRejected.body.isEmpty ? body.isEmpty : body.contains(row.tokenRejected.body))
    }

    @Test(arguments: KeyedDialect.all)
    func `the key is where the bank wants it`(_ row: KeyedDialect) throws {
        var caller = try row.caller()

        let response = row.pay(&caller, key: KeyedDialect.key(1))

        #expect(response.status == row.replay.status)
        #expect(response.committed)
        #expect(caller.state.ledger.movements.map(\.key) == [KeyedDialect.key(1)])
        #expect(caller.state.bank.dialect.idempotency?.key == row.keyIsIn)
    }

    @Test(arguments: KeyedDialect.all)
    func `a key is required where the guide demands it`(_ row: KeyedDialect) throws {
        var caller = try row.caller()

        let response = row.pay(&caller, key: "")

        // If the key is a part of the path, an address without it does not exist.
        let isInPath = if case .path = row.keyIsIn { true } else { false }
        #expect(response.name == (isInPath ? .notFound : .keyMissing))
        #expect((400...404).contains(response.status))
        #expect(caller.state.ledger.movements.isEmpty)
    }

    @Test(arguments: KeyedDialect.all.filter { $0.quoted != "–" })
    func `a key is quoted where the guide demands it`(_ row: KeyedDialect) throws {
        var caller = try row.caller()
        _ = row.pay(&caller, key: "k-1")

        let response = row.pay(&caller, key: "\"k-1\"")

        if row.quoted == "either" {
            #expect(response.replayed)
        } else {
            #expect(response.status == 400)
            #expect(response.name == .badRequest)
        }
    }

    @Test(arguments: KeyedDialect.all)
    func `the longest key is that of the guide`(_ row: KeyedDialect) throws {
        var caller = try row.caller()
        let (good, bad): (String, [String]) =
            switch row.longest {
            case .characters(let count):
                (String(repeating: "k", count: count), [count + 1, 10_240].map { String(repeating: "k", count: $0) })
            case .uuid: (KeyedDialect.key(1), ["k-1", KeyedDialect.key(1) + "0", String(repeating: "k", count: 10_240)])
            }

        for key in bad {
            let response = row.pay(&caller, key: key)
            #expect(response.status == 400, "\(key.count) characters")
            #expect(response.name == .badRequest, "\(key.count) characters")
        }

        #expect(row.pay(&caller, key: good).committed)
        #expect(caller.state.ledger.movements.count == 1)
    }

    @Test func `a UUID is one key however it is written`() throws {
        let row = try #require(KeyedDialect.all.first { $0.longest == .uuid })
        var caller = try row.caller()
        let first = row.pay(&caller, key: "9ABCDEF0-0000-4000-8000-00000000000A")

        for key in ["9abcdef0-0000-4000-8000-00000000000a", "9abcdef0%2D0000-4000-8000-00000000000A"] {
            let again = row.pay(&caller, key: key)
            #expect(again.replayed, "\(key)")
            #expect(again.body == first.body, "\(key)")
        }

        #expect(caller.state.ledger.movements.map(\.key) == ["9abcdef0-0000-4000-8000-00000000000a"])
        #expect(row.pay(&caller, key: "9abcdef0-0000-4000-8000-00000000000A", row.amounts.other).name == .keyMismatch)
    }

    @Test(arguments: ["{}", #"{"amount": {"currency": "GBP", "minorUnits": 100}}"#])
    func `a UUID stands in the journal as the bank compares it, whether the request is accepted or rejected`(body: String) throws {
        let row = try #require(KeyedDialect.all.first { $0.longest == .uuid })
        var caller = try row.caller()
        let goal = "/api/v2/account/5f1c0a10-0000-4000-8000-000000000a01/savings-goals/90a10a10-0000-4000-8000-000000000a11"

        let key = caller.journalKey("PUT", goal + "/add-money/9ABCDEF0-0000-4000-8000-00000000000A", body: body)

        #expect(key == "9abcdef0-0000-4000-8000-00000000000a")
    }

    @Test(arguments: KeyedDialect.all)
    func `the window is that of the guide`(_ row: KeyedDialect) throws {
        var caller = try row.caller()
        _ = row.pay(&caller, key: KeyedDialect.key(1))

        caller.now = caller.start + .seconds((row.window ?? 400 * 86_400) - 1)
        try caller.signIn("ava")
        let late = row.pay(&caller, key: KeyedDialect.key(1))
        caller.now = caller.now + .seconds(1)
        let later = row.pay(&caller, key: KeyedDialect.key(1))

        #expect(late.replayed)
        #expect(later.replayed == (row.window == nil))
        #expect(caller.state.ledger.movements.count == (row.window == nil ? 1 : 2))
    }

    @Test(arguments: KeyedDialect.all)
    func `a stored response is that of the guide`(_ row: KeyedDialect) throws {
        var caller = try row.caller()

        let rejected = row.pay(&caller, key: KeyedDialect.key(1), row.amounts.tooMuch)
        let again = row.pay(&caller, key: KeyedDialect.key(1), row.amounts.tooMuch)
        let corrected = row.pay(&caller, key: KeyedDialect.key(1))

        #expect(rejected.name == .insufficientFunds)
        #expect(again.status == rejected.status)
        #expect(again.replayed == row.storesRejections)
        #expect(corrected.committed == !row.storesRejections, "a key whose result is not stored is free again")
    }

    @Test(arguments: KeyedDialect.all)
    func `a replay is that of the guide`(_ row: KeyedDialect) throws {
        var caller = try row.caller()
        let first = row.pay(&caller, key: KeyedDialect.key(1))
        caller.now = caller.now + .seconds(60)

        let again = row.pay(&caller, key: KeyedDialect.key(1))

        #expect(again.status == row.replay.status)
        #expect(again.replayed)
        // The payment has settled meanwhile: a bank that reports the current status shows it.
        let (before, after) = (String(decoding: first.body, as: UTF8.self), String(decoding: again.body, as: UTF8.self))
        #expect(after == (row.replay.isCurrent ? before.replacing("RCVD", with: "ACSC") : before))
        #expect((after == before) == !row.replay.isCurrent)
        let added = again.headers.filter { !first.headers.contains($0) }.map { "\($0.name): \($0.value)" }
        #expect(added == [row.replay.marker].compactMap(\.self))
        #expect((caller.state.bank.dialect.idempotency?.replay == .current) == row.replay.isCurrent)
        #expect(caller.state.ledger.movements.count == 1)
    }

    @Test(arguments: KeyedDialect.all)
    func `another payload is answered as the guide defines`(_ row: KeyedDialect) throws {
        var caller = try row.caller()
        let first = row.pay(&caller, key: KeyedDialect.key(1))

        let other = row.pay(&caller, key: KeyedDialect.key(1), row.amounts.other)

        #expect(other.status == row.otherPayload)
        #expect(other.name == .keyMismatch)
        #expect(row.pay(&caller, key: KeyedDialect.key(1)).body == first.body, "the first payment stands")
        #expect(caller.state.ledger.movements.count == 1)
    }

    @Test func `another payload at Starling is rejected in the body`() throws {
        let row = try #require(KeyedDialect.all.first { $0.dialect == "starling" })
        var caller = try row.caller()
        _ = row.pay(&caller, key: KeyedDialect.key(1))

        #expect(row.pay(&caller, key: KeyedDialect.key(1), row.amounts.other).json["success"] == false)
    }

    @Test(arguments: KeyedDialect.all)
    func `a key in flight is answered as the guide defines`(_ row: KeyedDialect) throws {
        var caller = try row.caller()
        guard case .ready = row.begin(&caller, key: KeyedDialect.key(1)) else {
            Issue.record("the first request was not admitted")
            return
        }

        let response = row.pay(&caller, key: KeyedDialect.key(1))

        #expect(response.status == row.inFlight)
        #expect(response.name == .keyInFlight)
        #expect(caller.state.ledger.movements.isEmpty)
    }

    /// The last row: `plain` has no keyed writes, and no bank can have one in it.
    @Test func `plain has no keys`() throws {
        var login = try Caller(Shipped.library.load("login").bank, login: nil)
        login.token = "unknown"

        let response = login.send("GET", "/profile")

        #expect(response.status == 401)
        #expect(response.json["code"] == "AUTH-002")
        #expect(response.json["message"]?.string?.isEmpty == false)
        #expect(login.state.bank.dialect.idempotency == nil)
        #expect(login.state.bank.operations.allSatisfy { $0.key == nil })
    }
}

/// Facts of the table outside its cells.
@Suite struct DialectRejectionTests {
    private func response(_ name: DialectResponseName, of bank: String) throws -> BankResponse {
        var caller = try Caller(Shipped.withOwnBank.load(bank).bank, login: nil)
        return caller.dialectResponse(name)
    }

    @Test func `Starling rejects a scope as it rejects a token but for the error`() throws {
        var caller = try Caller(Shipped.library.load("roundup").bank, login: nil)
        try caller.signIn("ava", scopes: ["account:read"])
        let target = "/api/v2/accounts/5f1c0a10-0000-4000-8000-000000000a01/balance"

        let scope = caller.send("GET", target)
        caller.token = nil
        let nobody = caller.send("GET", target)

        #expect(scope.status == 403)
        #expect(scope.json["error"] == "insufficient_scope")
        #expect(nobody.status == 403)
        #expect(nobody.json["error"] == "invalid_token")
        #expect(nobody.json["error_description"]?.string == "No access token provided in request. `Header: Authorization` must be set")
    }

    @Test func `Open Banking has a body with an expired token only`() throws {
        #expect(try response(.noCredentials, of: "guildhall").body.isEmpty)
        #expect(try response(.tokenRejected, of: "guildhall").body.isEmpty)
        #expect(try response(.tokenExpired, of: "guildhall").json["Errors"]?.array?.count == 1)
    }

    @Test func `Monzo's step-up is 403 and of another kind than a rejected token`() throws {
        let stepUp = try response(.stepUp, of: "feed")

        #expect(stepUp.status == 403)
        #expect(stepUp.json["code"]?.string?.hasPrefix("forbidden.") == true)
        #expect(stepUp.header("WWW-Authenticate") == nil)
    }
}
