import BankClient
import BankModel
import Testing

/// A bank that the client was not written for: it knows the calls by their roles.
struct OwnBankTests {
    @Test(
        arguments: [
            ("POST", "/v1/logout", ["POST http://bank/v1/logout Bearer new "]),
            ("DELETE", "/v1/session", ["DELETE http://bank/v1/session Bearer new "]),
            (
                "POST", "/oauth/revoke",
                [
                    "POST http://bank/oauth/revoke  token=old&token_type_hint=refresh_token",
                    "POST http://bank/oauth/revoke  token=new&token_type_hint=access_token",
                ]
            ),
            // Which session it is, the client does not know.
            ("DELETE", "/v1/sessions/{id}", []),
        ] as [(String, String, [String])])
    func `a sign-out ends the token at the bank`(_ method: String, _ path: String, _ expected: [String]) async throws {
        let login: JSON = ["method": "POST", "path": "/v1/login"]
        let logout: JSON = ["method": .string(method), "path": .string(path)]
        let calls = try #require(OwnCalls(["login": [login], "logout": [logout]]))
        let transport = ScriptedTransport(.json(200, #"{"token":"new","refresh_token":"old"}"#))
        let client = BankClient(
            ClientParts(
                adapter: OwnLoginBank("own", calls, Reading()), baseURL: "http://bank", transport: transport, store: MemoryTokenStore(),
                outbox: MemoryOutbox(), clock: TestClock(), random: RandomSource(SeededGenerator(seed: 1))))

        try await client.signIn(user: "ava", password: "correct-horse")
        try await client.signOut()

        let sent = transport.requests.dropFirst().map { request in
            "\(request.method) \(request.url) \(request.headers["Authorization"] ?? "") \(String(decoding: request.body ?? [], as: UTF8.self))"
        }
        #expect(sent == expected)
        #expect(try await !client.status().signedIn)
    }

    @Test func `a sign-out ends a token that came from elsewhere, too`() async throws {
        let calls = try #require(OwnCalls(["logout": [["method": "POST", "path": "/v1/logout"]]]))
        let transport = ScriptedTransport(.json(200, "{}"))
        let client = BankClient(
            ClientParts(
                adapter: OwnBank("own", calls, usesTokens: true, Reading()), baseURL: "http://bank", transport: transport,
                store: MemoryTokenStore(), outbox: MemoryOutbox(), clock: TestClock(), random: RandomSource(SeededGenerator(seed: 1))))

        try await client.signIn(token: "new", of: "ava")
        try await client.signOut()

        #expect(transport.requests.map { "\($0.method) \($0.url)" } == ["POST http://bank/v1/logout"])
        #expect(transport.requests.first?.headers["Authorization"] == "Bearer new")
        #expect(try await !client.status().signedIn)
    }
}
