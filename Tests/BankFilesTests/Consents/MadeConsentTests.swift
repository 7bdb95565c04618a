import BankCore
import BankModel
import TestBanks
import Testing

/// A bank whose sign-ins make consents, and what is wrong in `consents`.
@Suite struct MadeConsentTests {
    private static let edits = [
        (
            old: "  payments: {key: id, belongs: {_customer: customer}}\n",
            new: "  payments: {key: id, belongs: {_customer: customer}}\n  consents: {key: id}\n"
        ),
        (
            old: "roles:\n  login:",
            new:
                "consents: {consents: {state: state, lifetime: 180d, covers: accounts, row: {id: {uuid: \"consent-\"}, state: new}}}\nroles:\n  login:"
        ),
    ]

    private func access(_ app: inout App) throws -> String {
        let code = try app.code()
        return try #require(app.token(App.exchange(code)).json["access_token"]?.string)
    }

    @Test func `each sign-in makes a consent that ends by the clock`() throws {
        var app = try App(changing: Self.edits)
        let token = try access(&app)
        #expect(app.state.consents.map(\.state) == [.authorised])
        #expect(app.state.consents.first?.customer == "ava")
        #expect(app.state.consents.first?.expiresAt == app.now + .seconds(180 * 86_400))
        #expect(app.status(token) == 200)
        app.now = app.now + .seconds(180 * 86_400)
        #expect(app.state.consents.isEmpty == false)
        #expect(app.get("/v1/accounts", [JournalEntry.Header("Authorization", "Bearer \(token)")]).name == .consentExpired)
        #expect(app.state.consents.map(\.state) == [.expired])
    }

    @Test func `a bank without consents is as before`() throws {
        var app = try App()
        let token = try access(&app)
        #expect(app.state.consents.isEmpty)
        #expect(app.status(token) == 200)
        #expect(throws: EventError.self) { _ = try app.state.happen(BankEvent(.consentRevoked), at: app.now) }
    }

    @Test func `a revoked consent is announced`() throws {
        var app = try App(of: "openbanking")
        _ = try app.state.register(WebhookPolicy.Receiver(url: "http://127.0.0.1:9/hook"))
        let client = app.token([("grant_type", "client_credentials")], basic("tpp", "tpp-secret")).json["access_token"]?.string ?? ""
        let asked = app.send(
            "POST", "/open-banking/v4.0/aisp/account-access-consents", [JournalEntry.Header("Authorization", "Bearer \(client)")],
            #"{"Data": {"Permissions": ["ReadBalances"]}}"#)
        #expect(app.state.webhooks.deliveries.isEmpty)

        _ = app.send(
            "DELETE", "/open-banking/v4.0/aisp/account-access-consents/\(asked.json.at("Data.ConsentId")?.string ?? "")",
            [JournalEntry.Header("Authorization", "Bearer \(client)")], "")

        let events = app.state.webhooks.deliveries.map(\.event)
        #expect(events.map(\.kind.rawValue) == ["consent.revoked"])
        #expect(events.first?.object["id"] == asked.json.at("Data.ConsentId"))
        #expect(events.first?.object["permissions"] == ["ReadBalances"])
    }

    @Test(arguments: [
        ("row: {id: {uuid: \"consent-\"}, state: new}", "parameter: a, redirect: r, row: {id: {uuid: \"consent-\"}}", "found `redirect`"),
        ("row: {id: {uuid: \"consent-\"}, state: new}", "credential: true, parameter: a", "found `credential`"),
        ("row: {id: {uuid: \"consent-\"}, state: new}", "changed: {a: day, b: day}, parameter: a", "expected one field and its format"),
        ("row: {id: {uuid: \"consent-\"}, state: new}", "words: {gone: x}, parameter: a", "found `gone`"),
        (", row: {id: {uuid: \"consent-\"}, state: new}", "", "found neither `parameter` nor `row`"),
        ("covers: accounts", "covers: atms", "belongs: owner"),
        ("covers: accounts", "asked: {at: $.a, field: b}", "`covers` beside it"),
        ("consents: {consents:", "consents: {atms:", "one without: consents are added by operations"),
    ])
    func `an error in consents is reported`(old: String, new: String, words: String) throws {
        let edits = Self.edits + [(old: old, new: new)]
        var text = ""
        do { _ = try App(changing: edits) } catch { text = "\(error)" }
        #expect(text.contains(words), "\(text)")
    }
}
