import BankClient
import BankModel
import Testing

/// The bank with name, password and a profile.
struct LoginBankTests {
    private let profile =
        #"{"name":"Ava","customerNumber":"C","accounts":[{"id":"1","name":"Current","currency":"GBP","balance":2410.50},{"id":"2","name":"Crédit","currency":"EUR","balance":-131200.07},{"id":"3","name":"Yen","currency":"JPY","balance":9007199254740993},{"id":"4","name":"Odd","currency":"GBP","balance":0.001},{"id":"5"}]}"#

    @Test func `name and password are sent as JSON, without a token; the request for the profile carries the token`() async throws {
        let bank = try await signedIn()

        _ = try await bank.client.accounts()

        let (login, read) = (bank.transport.requests[0], bank.transport.requests[1])
        #expect(login.method == "POST")
        #expect(login.url == "http://bank/login")
        #expect(try JSON(parsing: login.body ?? []) == ["username": "ava", "password": "pass\"word"])
        #expect(login.headers["Content-Type"] == "application/json")
        #expect(login.headers["Authorization"] == nil)
        #expect(read.url == "http://bank/profile")
        #expect(read.headers["Authorization"] == "Bearer new")
    }

    @Test
    func `accounts with exact balances; one with an unreadable balance is listed without it, one without a name set aside`() async throws {
        let listing = try await signedIn().client.accounts()

        #expect(listing.rows.map(\.balance?.major) == ["2410.50", "-131200.07", "9007199254740993", nil])
        #expect(listing.setAside == 1)
    }

    @Test func `the balance is the named account's, or the first's; an unknown account is not found`() async throws {
        let bank = try await signedIn()

        #expect(try await bank.client.balance().balance.major == "2410.50")
        #expect(try await bank.client.balance(of: "2").balance.description == "-131200.07 EUR")
        #expect(await bank.error { try await $0.balance(of: "9") } == .notFound)
        #expect(await bank.error { try await $0.balance(of: "4") } == .decode)
    }

    @Test(
        arguments: [
            (401, #"{"code":"AUTH-001","message":"wrong"}"#, ClientError.unauthorized),
            (423, #"{"code":"AUTH-003","message":"locked"}"#, .rejected),
            (400, #"{"code":"REQ-400","message":"malformed"}"#, .rejected), (429, "{}", .rateLimited), (503, "", .unavailable),
            (200, #"{"accessToken":"","tokenType":"Bearer"}"#, .decode), (200, #"{"accessToken":"t","tokenType":"MAC"}"#, .decode),
            (200, #"{"tokenType":"Bearer"}"#, .decode), (200, "[]", .decode),
        ])
    func `each rejection is distinguished, and nobody is signed in`(_ status: Int, _ body: String, _ expected: ClientError) async throws {
        let bank = try await Bank("login") { _, _ in .json(status, body, headers: ["Content-Type": "application/json"]) }
        try await bank.client.signOut()

        #expect(await bank.error { try await $0.signIn(user: "ava", password: "no") } == expected)
        #expect(try await !bank.client.status().signedIn)
    }

    @Test(
        arguments: [
            (401, "AUTH-002", ClientError.unauthorized, false), (403, "AUTH-010", .forbidden, true), (403, "AUTH-011", .forbidden, true),
            (403, "AUTH-012", .consentExpired, true),
        ])
    func `a rejected token is removed and not refreshed; scope and consent preserve it`(
        _ status: Int, _ code: String, _ expected: ClientError, _ staysIn: Bool
    ) async throws {
        let bank = try await Bank("login") { _, _ in .json(status, #"{"code":"\#(code)","message":"m"}"#) }

        #expect(await bank.error { try await $0.accounts() } == expected)
        #expect(try await bank.client.status().signedIn == staysIn)
        #expect(bank.transport.requests.count == 1)
    }

    @Test func `signing out asks the bank nothing, as it has no call for it`() async throws {
        let bank = try await Bank("login") { _, _ in .lost }

        try await bank.client.signOut()

        #expect(bank.transport.requests.isEmpty)
        #expect(try await !bank.client.status().signedIn)
    }

    private func signedIn() async throws -> Bank {
        let profile = profile
        let bank = try await Bank("login") { request, _ in
            .json(200, request.url.hasSuffix("/login") ? #"{"accessToken":"new","tokenType":"bearer","expiresIn":900}"# : profile)
        }
        try await bank.client.signIn(user: "ava", password: "pass\"word")
        return bank
    }
}
