@testable import BankClient
import BankModel
import Testing

/// The sign-in at `berlin`: the page returns without a code, and the bank's answer about the consent counts.
struct ConsentPageTests {
    private static let home = "counterfoil-app:/callback"
    private static let asked = ScriptedTransport.Outcome.json(
        201, #"{"consentStatus":"received","consentId":"c/1","_links":{"scaRedirect":{"href":"http://bank/authorize?consent=c%2F1"}}}"#)

    private func bank(
        _ consent: ScriptedTransport.Outcome = Self.asked, state: String = "valid", signedIn: Bool = false
    ) async throws -> Bank {
        try await Bank("berlin", signedIn: signedIn) { request, _ in
            if request.method == "POST" { return consent }
            return request.url.hasSuffix("/status") ? .json(200, #"{"consentStatus":"\#(state)"}"#) : .json(200, #"{"accounts":[]}"#)
        }
    }

    @Test func `the app asks for a consent of 90 days, and opens the page that the bank names`() async throws {
        let bank = try await bank()

        let page = try await bank.client.beginSignIn()

        #expect(page == "http://bank/authorize?consent=c%2F1")
        let sent = try #require(bank.payments.first)
        #expect(bank.payments.map(\.url) == ["http://bank/v1/consents"])
        #expect(sent.headers["TPP-Redirect-URI"] == Self.home)
        #expect(sent.headers["X-Request-ID"] != nil)
        #expect(sent.headers["Consent-ID"] == nil)
        let body = try JSON(parsing: sent.body ?? [])
        #expect(body["access"] == ["accounts": [], "balances": [], "transactions": []])
        let lastDay = (bank.clock.began + .seconds(90 * 86_400)).date.description
        #expect(body["validUntil"]?.string == lastDay)
        #expect(try await !bank.client.status().signedIn)
    }

    @Test func `a stored token that cannot be read keeps nobody from signing in`() async throws {
        let bank = try await Bank("berlin", store: DamagedStore(), signedIn: false) { _, _ in Self.asked }

        let page = try await bank.client.beginSignIn()

        #expect(page == "http://bank/authorize?consent=c%2F1")
    }

    @Test func `an authorised consent signs in, and its id is the credential`() async throws {
        let bank = try await bank()
        _ = try await bank.client.beginSignIn()

        try await bank.client.finishSignIn(Self.home)
        _ = try await bank.client.accounts()

        let (status, read) = (bank.transport.requests.dropLast().last, bank.transport.requests.last)
        #expect(status?.url == "http://bank/v1/consents/c%2F1/status")
        #expect(status?.headers["Consent-ID"] == nil)
        #expect(read?.headers["Consent-ID"] == "c/1")
        #expect(await bank.error { try await $0.finishSignIn(Self.home) } == .unauthorized)
    }

    @Test(arguments: [("rejected", ClientError.cancelled), ("revokedByPsu", .consentExpired), ("expired", .consentExpired)])
    func `a consent that the customer has not given signs nobody in`(_ state: String, _ expected: ClientError) async throws {
        let bank = try await bank(state: state, signedIn: true)
        _ = try await bank.client.beginSignIn()

        #expect(await bank.error { try await $0.finishSignIn(Self.home) } == expected)
        #expect(try await !bank.client.status().signedIn)
        #expect(await bank.error { try await $0.finishSignIn(Self.home) } == .unauthorized, "the attempt has ended")
    }

    @Test(arguments: [("received", ClientError.rejected), ("newState", .decode)])
    func `while the customer has not decided, the attempt goes on, and no one is signed out`(
        _ state: String, _ expected: ClientError
    ) async throws {
        let bank = try await bank(state: state, signedIn: true)
        _ = try await bank.client.beginSignIn()

        #expect(await bank.error { try await $0.finishSignIn(Self.home) } == expected)
        #expect(await bank.error { try await $0.finishSignIn(Self.home) } == expected)
        #expect(try await bank.client.status().signedIn)
    }

    @Test(arguments: ["other-app:/callback", "https://app.invalid/callback", "counterfoil-app:/callback/2", ""])
    func `an address that is not the app's own asks the bank nothing`(_ address: String) async throws {
        let bank = try await bank()
        _ = try await bank.client.beginSignIn()

        #expect(await bank.error { try await $0.finishSignIn(address) } == .rejected)
        #expect(bank.count("/status") == 0)
        try await bank.client.finishSignIn(Self.home + "?x=1")
        #expect(try await bank.client.status().signedIn)
    }

    @Test(
        arguments: [
            (ScriptedTransport.Outcome.lost, ClientError.offline), (.json(500, "{}"), .unavailable), (.json(200, "{}"), .decode),
            (.json(201, #"{"consentId":"c"}"#), .decode),
            (.json(201, #"{"consentId":"c","_links":{"scaRedirect":{"href":"javascript:1"}}}"#), .decode),
        ])
    func `without a consent there is no page, and the request for one is not repeated`(
        _ consent: ScriptedTransport.Outcome, _ expected: ClientError
    ) async throws {
        let bank = try await bank(consent)

        #expect(await bank.error { try await $0.beginSignIn() } == expected)
        #expect(bank.count("/v1/consents") == 1)
        #expect(await bank.error { try await $0.finishSignIn(Self.home) } == .unauthorized)
    }

    @Test(
        arguments: [
            ("valid", .authorised, ["a1"]), ("terminatedByTpp", .revoked, []), ("expired", .expired, []),
        ] as [(String, GivenConsent.State, [String])])
    func `the app shows the consent with whose id it reads, and ends it`(
        _ word: String, _ state: GivenConsent.State, _ accounts: [String]
    ) async throws {
        let bank = try await Bank("berlin") { request, _ in
            if request.method == "DELETE" { return .success(HTTPResponse(status: 204, headers: HTTPHeaders(), body: [])) }
            return request.url.hasSuffix("/accounts")
                ? .json(200, #"{"accounts":[{"resourceId":"a1","currency":"EUR"}]}"#)
                : .json(200, #"{"consentStatus":"\#(word)","validUntil":"2026-02-17"}"#)
        }

        let listing = try await bank.client.consents()
        try await bank.client.revokeConsent("token")

        let end = CivilDate("2026-02-17").map { Instant($0, nanosecondsOfDay: Instant.nanosecondsPerDay - 1) }
        #expect(listing.rows == [GivenConsent(id: "token", state: state, accounts: accounts, expires: end)])
        let first = try #require(bank.transport.requests.first)
        #expect(first.url == "http://bank/v1/consents/token")
        #expect(first.headers["Consent-ID"] == nil)
        #expect(bank.payments.map { "\($0.method) \($0.url)" } == ["DELETE http://bank/v1/consents/token"])
    }

    @Test func `a consent's id is in no description`() {
        let consent = OpenedConsent(id: "secret-id", page: "http://bank/authorize?consent=secret-id")
        let headers: HTTPHeaders = ["Consent-ID": "secret-id"]
        var dumped = ""
        dump(consent, to: &dumped)

        for text in ["\(consent)", dumped, "\(headers)"] { #expect(!text.contains("secret-id")) }
    }
}

/// A store whose content cannot be read.
private struct DamagedStore: TokenStore {
    func load() throws(StorageError) -> Token? { throw StorageError("damaged", kind: .damaged) }
    func save(_ token: Token) throws(StorageError) {}
    func clear() throws(StorageError) {}
}
