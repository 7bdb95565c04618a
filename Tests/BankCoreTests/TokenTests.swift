import BankModel
import TestBanks
import Testing

@testable import BankCore

@Suite struct TokenTests {
    @Test func `a sign-in gives tokens of the session`() throws {
        var till = try Till()

        let response = till.send("POST", "/v1/token", body: "grant_type=password&username=ann&password=apple").json

        let access = try #require(response["access"]?.string)
        #expect(access.hasPrefix("cf_till_0_"))
        #expect(response["seconds"]?.int == 600)
        #expect(response["scope"]?.string == "read pay")
        #expect(till.send("GET", "/v1/accounts", token: access).status == 200)
    }

    @Test func `the response to a sign-in may show its customer`() throws {
        let shown = "seconds: {token: lifetime}, name: {customer: name}, accounts: {rows: accounts, only: [id]}"
        var till = try Till(TestFiles().replacing("till/bank.yaml", "seconds: {token: lifetime}", with: shown))

        let response = till.send("POST", "/v1/token", body: "grant_type=password&username=bob&password=berry").json

        #expect(response["name"]?.string == "Bob")
        #expect(response["accounts"]?.array?.compactMap { $0["id"]?.string } == ["b1"])
    }

    @Test(arguments: [
        ("username=ann&password=pear", 401, "wrong"), ("username=zoe&password=apple", 401, "wrong"),
        ("username=cat&password=cherry", 423, "locked"),
        ("username=ann", 400, "bad-request"),
    ])
    func `a failed sign-in is answered with the reason`(_ form: String, _ status: Int, _ error: String) throws {
        var till = try Till()

        let response = till.send("POST", "/v1/token", body: "grant_type=password&" + form)

        #expect(response.status == status)
        #expect(response.error == error)
        #expect(till.state.tokens.tokens.isEmpty)
    }

    @Test func `a token ends with its lifetime by the session clock`() throws {
        var till = try Till()
        let ann = try till.token()

        till.now = till.now + .seconds(599)
        #expect(till.send("GET", "/v1/accounts", token: ann).status == 200)
        till.now = till.now + .seconds(1)
        #expect(till.send("GET", "/v1/accounts", token: ann).error == "token-expired")
    }

    @Test func `other credentials are distinguished from tokens`() throws {
        var till = try Till()
        let ann = try till.token()
        let readOnly = try till.token(scopes: ["read"])

        #expect(till.send("GET", "/v1/accounts").error == "no-credentials")
        #expect(till.send("GET", "/v1/accounts", token: "").error == "token-rejected")
        #expect(till.send("GET", "/v1/accounts", token: "cf_till_0_none").error == "token-rejected")
        #expect(till.pay("1.00", key: "k", token: readOnly).error == "scope-refused")
        try till.state.revokeTokens(id: "token#1")
        #expect(till.send("GET", "/v1/accounts", token: ann).error == "token-rejected")
    }

    @Test func `a refresh token opens nothing but a refresh`() throws {
        var till = try Till()
        let refresh = try #require(try till.state.issueTokens(login: "ann", at: till.now).refresh?.text)

        #expect(till.send("GET", "/v1/accounts", token: refresh).error == "token-rejected")
        #expect(till.send("POST", "/v1/token", body: "grant_type=refresh_token&refresh_token=\(refresh)").status == 200)
    }

    @Test func `a refresh token used twice ends its family`() throws {
        var till = try Till()
        let first = try #require(try till.state.issueTokens(login: "ann", at: till.now).refresh?.text)
        let renewed = till.send("POST", "/v1/token", body: "grant_type=refresh_token&refresh_token=\(first)").json
        let access = try #require(renewed["access"]?.string)
        #expect(till.send("GET", "/v1/accounts", token: access).status == 200)

        let again = till.send("POST", "/v1/token", body: "grant_type=refresh_token&refresh_token=\(first)")

        #expect(again.error == "invalid_grant")
        #expect(till.send("GET", "/v1/accounts", token: access).error == "token-rejected")
        let second = try #require(renewed["refresh"]?.string)
        #expect(till.send("POST", "/v1/token", body: "grant_type=refresh_token&refresh_token=\(second)").error == "invalid_grant")
    }

    @Test func `revoking an unknown token is no error`() throws {
        var till = try Till()
        let ann = try till.token()

        #expect(till.send("POST", "/v1/revoke", body: "token=nothing").status == 200)
        #expect(till.send("GET", "/v1/accounts", token: ann).status == 200)
        #expect(till.send("POST", "/v1/revoke", body: "token=\(ann)").status == 200)
        #expect(till.send("GET", "/v1/accounts", token: ann).error == "token-rejected")
    }

    @Test func `no token outlives a reset`() throws {
        var till = try Till()
        let ann = try till.token()

        till.state.reset(at: till.now)

        #expect(till.send("GET", "/v1/accounts", token: ann).error == "token-rejected")
        #expect(try till.token() != ann)
    }

    @Test func `the same seed gives the same tokens`() throws {
        var (a, b, c) = (try Till(seed: 1), try Till(seed: 1), try Till(seed: 2))

        #expect(try a.token() == b.token())
        #expect(try a.token() != c.token())
    }

    @Test func `a clock never goes back`() throws {
        var clock = VirtualClock()
        let machine = Instant(seconds: 1000)
        try clock.set(to: Instant(seconds: 2000), machine: machine)

        #expect(throws: ClockError.self) { try clock.set(to: Instant(seconds: 1999), machine: machine) }
        #expect(throws: ClockError.self) { try clock.advance(by: .seconds(-1), machine: machine) }
        #expect(clock.now(machine: machine + .seconds(5)) == Instant(seconds: 2005))
        clock.setMode(.frozen, machine: machine)
        #expect(clock.now(machine: machine + .seconds(5)) == Instant(seconds: 2000))
        clock.setMode(.running, machine: machine + .seconds(5))
        #expect(clock.now(machine: machine + .seconds(7)) == Instant(seconds: 2002))
    }
}

@Suite struct ClockBeginningTests {
    @Test func `a session can begin before the real now and begins there again after a reset`() throws {
        let machine = Instant(seconds: 1_763_553_600)
        let past = machine + .seconds(-86_400 * 300)
        let prepared = try Till().state.prepared
        var state = SessionState(
            id: "s", seed: 7, prepared: prepared, baseURL: "", startedAt: machine, beginning: .init(now: past, mode: .frozen))
        try state.setClock { clock throws(ClockError) in try clock.advance(by: .seconds(60), machine: machine) }

        var new = state
        new.reset(at: machine + .seconds(5))

        #expect(state.startedAt == past)
        #expect(state.clock.now(machine: machine) == past + .seconds(60))
        #expect(new.clock.now(machine: machine + .seconds(9)) == past)
        #expect(new.clock.mode == .frozen)
        #expect(new.startedAt == past)
    }

    @Test func `a running clock can begin at the first instant there is, more than 292 years before the real now`() throws {
        let machine = Instant(seconds: 1_763_553_600)
        let prepared = try Till().state.prepared
        let first = Instant(nanoseconds: .min)
        let state = SessionState(
            id: "s", seed: 7, prepared: prepared, baseURL: "", startedAt: machine, beginning: .init(now: first, mode: .running))

        let again = try SessionState(id: "s", opening: state.opening, prepared: prepared, baseURL: "", machineNow: machine)

        #expect(state.startedAt == first)
        for session in [state, again] { #expect(session.clock.now(machine: machine + .seconds(9)) == first + .seconds(9)) }
    }

    @Test func `a skew from the beginning is there after a restart and after a reset`() throws {
        let machine = Instant(seconds: 1_763_553_600)
        let prepared = try Till().state.prepared
        let state = SessionState(
            id: "s", seed: 7, prepared: prepared, baseURL: "", startedAt: machine,
            beginning: .init(now: machine, mode: .running, skew: .seconds(-30)))

        var again = try SessionState(id: "s", opening: state.opening, prepared: prepared, baseURL: "", machineNow: machine)

        #expect(again.clock.skew == .seconds(-30))
        again.reset(at: machine)
        #expect(again.clock.skew == .seconds(-30))
    }
}
