import BankCore
import BankFiles
import BankModel
import TestBanks
import Testing

/// Banks whose requests carry a credential elsewhere than in a bearer token.
@Suite struct CredentialLocationTests {
    private func bank(_ auth: String, token: String? = "ann-key-1") throws -> Bank {
        var files = TestFiles().replacing("till/bank.yaml", "auth: {lifetime: 10m,", with: "auth: {\(auth), lifetime: 10m,")
        if let token {
            files = files.replacing(
                "till/bank.yaml", "{login: ann, password: apple,", with: "{login: ann, password: apple, token: \(token),")
        }
        return try files.library.load("till").bank
    }

    private func status(_ bank: Bank, _ target: String = "/v1/accounts", _ headers: [JournalEntry.Header] = []) throws -> Int {
        var caller = try Caller(bank, login: nil)
        return caller.send("GET", target, headers: headers).status
    }

    @Test func `a key in a header is a customer's`() throws {
        let bank = try bank("scheme: api-key, in: {header: X-Api-Key}")
        var caller = try Caller(bank, login: nil)

        let response = caller.send("GET", "/v1/accounts", headers: [.init("x-api-key", "ann-key-1")])
        #expect(response.json["accounts"]?.array?.count == 2)
        #expect(try status(bank) == 401)
        #expect(try status(bank, "/v1/accounts", [.init("X-Api-Key", "another")]) == 401)
        #expect(try status(bank, "/v1/accounts", [.init("Authorization", "Bearer ann-key-1")]) == 401)
    }

    @Test func `a key in the query or a cookie`() throws {
        let query = try bank("scheme: api-key, in: {query: api_key}")
        #expect(try status(query, "/v1/accounts?api_key=ann-key-1") == 200)
        #expect(try status(query, "/v1/accounts?api_key=") == 401)
        let cookie = try bank("scheme: api-key, in: {cookie: sid}")
        #expect(try status(cookie, "/v1/accounts", [.init("Cookie", "a=b; sid=ann-key-1")]) == 200)
        #expect(try status(cookie, "/v1/accounts", [.init("Cookie", "other=ann-key-1")]) == 401)
    }

    @Test func `basic credentials are a login and its password`() throws {
        let bank = try bank("scheme: basic", token: nil)

        #expect(try status(bank, "/v1/accounts", [.init("Authorization", "Basic \(Base64.encoded(Array("ann:apple".utf8)))")]) == 200)
        #expect(try status(bank, "/v1/accounts", [.init("Authorization", "Basic \(Base64.encoded(Array("ann:berry".utf8)))")]) == 401)
        #expect(try status(bank) == 401)
    }

    @Test func `a fixed key survives a reset and a restored image, and can be revoked`() throws {
        let bank = try bank("scheme: api-key, in: {header: X-Api-Key}")
        let start = Instant(seconds: 1_763_553_600)
        var state = SessionState(id: "it", seed: 7, prepared: PreparedBank(bank), baseURL: "http://bank", startedAt: start)
        let request = BankRequest("GET", "/v1/accounts", headers: [.init("X-Api-Key", "ann-key-1")])
        let image = state.image
        try state.restore(image: image)
        #expect(state.answer(request, at: start).response.status == 200)
        #expect(state.tokens.tokens.count == 1)
        try state.revokeTokens()
        #expect(state.answer(request, at: start).response.status == 401)
        state.reset(at: start)
        #expect(state.answer(request, at: start).response.status == 200)
    }

    @Test(arguments: [
        ("scheme: api-key", "`in` is missing in auth"), ("in: {header: X}", "with `scheme: api-key` only"),
        ("scheme: api-key, in: {}", "one of header, query and cookie"),
    ])
    func `a credential without a location is an error`(_ auth: String, _ message: String) {
        let error = #expect(throws: ComplaintsError.self) { try bank(auth) }

        #expect(error?.complaints.contains { $0.message.contains(message) } == true, "\(error?.complaints.map(\.message) ?? [])")
    }
}
