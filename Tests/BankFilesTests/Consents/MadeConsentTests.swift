import BankCore
import BankModel
import TestBanks
import Testing

/// A bank whose sign-ins make consents, and what is wrong in `consents`.
@Suite struct MadeConsentTests {
    private static let row = "    row: {id: {uuid: \"consent-\"}, state: awaiting, accounts: [], created_at: {now: seconds}}\n"

    private func access(_ app: inout App) throws -> String {
        let code = try app.code()
        return try #require(app.token(App.exchange(code)).json["access_token"]?.string)
    }

    @Test func `each sign-in makes a consent that ends by the clock`() throws {
        var app = try App()
        let token = try access(&app)
        #expect(app.state.consents.map(\.state) == [.authorised])
        #expect(app.state.consents.first?.customer == "ava")
        #expect(app.state.consents.first?.expiresAt == app.now + .seconds(90 * 86_400))
        #expect(app.status(token) == 200)
        app.now = app.now + .seconds(90 * 86_400)
        #expect(app.state.consents.isEmpty == false)
        #expect(app.get("/v1/accounts", [JournalEntry.Header("Authorization", "Bearer \(token)")]).name == .consentExpired)
        #expect(app.state.consents.map(\.state) == [.expired])
    }

    @Test func `a stream ends with the consent of its token`() throws {
        var app = try App(changing: [("auth: {lifetime: 15m", "auth: {lifetime: 100d")])
        let token = try access(&app)
        let stream = try #require(app.get("/v1/stream", bearer(token)).stream)
        let end = app.now + .seconds(90 * 86_400)

        #expect(app.state.end(of: stream) == end)
        #expect(app.state.authorizes(stream, at: app.now))
        var later = app.state
        later.settle(at: end)
        #expect(!later.authorizes(stream, at: end))
        _ = try app.state.happen(BankEvent(.consentRevoked), at: app.now)
        #expect(!app.state.authorizes(stream, at: app.now))
    }

    @Test func `a bank without consents has none to revoke`() throws {
        var app = try App(of: "login")
        #expect(throws: EventError.self) { _ = try app.state.happen(BankEvent(.consentRevoked), at: app.now) }
    }

    @Test func `a customer without accounts signs in, too`() throws {
        var app = try App()
        let response = try app.decide(app.open(), login: "Mia.O+Dahl@Example.org", password: "p&q+r%41 =ü;#")
        #expect(response.redirected["code"] != nil)
        #expect(app.state.consents.map(\.accounts) == [[]])
    }

    private func bearer(_ token: String) -> [JournalEntry.Header] { [JournalEntry.Header("Authorization", "Bearer \(token)")] }

    @Test func `an app lists its customer's consents, and ends one`() throws {
        var app = try App()
        let first = try access(&app)
        let second = try access(&app)
        let listed = app.get("/v1/consents", bearer(first)).json["consents"]?.array ?? []
        #expect(listed.compactMap { $0["state"] } == ["authorised", "authorised"])
        #expect(listed.first?["accounts"] == ["ava-gbp", "ava-eur", "ava-jpy", "ava-bhd", "ava-clf"])
        #expect(listed.first?["expires_at"] == .string((app.now + .seconds(90 * 86_400)).rfc3339(.seconds)))
        let id = try #require(listed.first?["id"]?.string)

        let others = try App.exchange(#require(app.decide(app.open(), login: "ben", password: "battery-staple").redirected["code"]))
        let ben = try #require(app.token(others).json["access_token"]?.string)
        #expect(app.get("/v1/consents", bearer(ben)).json["consents"]?.array?.count == 1, "each customer's own")
        #expect(app.send("DELETE", "/v1/consents/\(id)", bearer(ben), "").name == .notFound)

        #expect(app.send("DELETE", "/v1/consents/\(id)", bearer(first), "").status == 204)
        #expect(app.get("/v1/consents", bearer(first)).name == .consentExpired)
        let states = app.get("/v1/consents", bearer(second)).json["consents"]?.array?.compactMap { $0["state"] }
        #expect(states == ["revoked", "authorised"])
        #expect(app.send("DELETE", "/v1/consents/\(id)", bearer(second), "").status == 204, "one that has ended stays so")
        #expect(app.status(second) == 200)
    }

    @Test func `an app ends no consent that the customer gave to another`() throws {
        var app = try App()
        let address = "https://web.example/callback"
        let code = try app.code(App.asked.with("client_id", "web").with("redirect_uri", address))
        let form = App.exchange(code).with("client_id", nil).with("redirect_uri", address)
        let web = try #require(app.token(form, basic("web", "web-secret")).json["access_token"]?.string)
        let own = try access(&app)
        let id = try #require(app.state.consents.first?.id.key)

        #expect(app.send("DELETE", "/v1/consents/\(id)", bearer(own), "").name == .notFound)
        #expect(app.status(web) == 200)
        #expect(app.send("DELETE", "/v1/consents/\(id)", bearer(web), "").status == 204)
        #expect(app.status(own) == 200)
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

    @Test func `a sign-in's consent is announced when it is authorised, and once when it expires`() throws {
        var app = try App()
        _ = try app.state.register(WebhookPolicy.Receiver(url: "http://127.0.0.1:9/hook"))
        _ = try access(&app)
        let authorised = try #require(app.state.webhooks.deliveries.first?.event)
        #expect(app.state.webhooks.deliveries.count == 1)
        #expect(authorised.kind.rawValue == "consent.authorised")
        #expect(authorised.object["state"] == "authorised")
        #expect(authorised.object["accounts"] == ["ava-gbp", "ava-eur", "ava-jpy", "ava-bhd", "ava-clf"])

        var restarted = app.state
        try restarted.restore(image: app.state.image)
        app.now = app.now + .seconds(90 * 86_400)
        for var state in [app.state, restarted] {
            state.settle(at: app.now)
            _ = state.announceEnded()
            #expect(state.webhooks.deliveries.map(\.event.kind.rawValue) == ["consent.authorised", "consent.expired"])
            #expect(state.webhooks.deliveries.last?.event.object["id"] == authorised.object["id"])

            let image = state.image
            try state.restore(image: image)
            state.settle(at: app.now + .seconds(86_400))
            let isAgain = state.announceEnded()
            #expect(!isAgain)
        }
    }

    @Test func `what ends by itself is announced in order and at its time, whatever the size of the clock's steps`() throws {
        let body = #"{"from": "ava-gbp", "to": "payee-lark", "amount": {"amount": "10.00", "currency": "GBP"}}"#
        var runs: [[Delivery]] = []
        for steps in [1, 2, 120] {
            var app = try App()
            let receiver = WebhookPolicy.Receiver(url: "http://127.0.0.1:9/hook", types: [.settled, .consentExpired])
            _ = try app.state.register(receiver)
            let expiry = app.now + .seconds(90 * 86_400)
            _ = try access(&app)
            app.now = app.now + .seconds(60)
            _ = try access(&app)
            app.now = expiry + .seconds(-30)
            let token = try app.state.issueTokens(login: "ava", scopes: nil, at: app.now).access.text
            let paid = app.send("POST", "/v1/payments", bearer(token) + [JournalEntry.Header("Idempotency-Key", "k1")], body)
            #expect(paid.status == 201)
            let start = app.now
            for step in 1...steps {
                app.now = start + .seconds(120 * step / steps)
                app.state.settle(at: app.now)
                app.state.announceEnded()
            }
            let events = app.state.webhooks.deliveries.map(\.event)
            #expect(events.map(\.kind) == [.consentExpired, .settled, .consentExpired])
            #expect(events.map(\.created) == [expiry, expiry + .seconds(30), expiry + .seconds(60)])
            runs.append(app.state.webhooks.deliveries)
        }
        #expect(runs[1] == runs[0])
        #expect(runs[2] == runs[0])
    }

    @Test func `a webhook that is registered after a consent has expired is not told of it`() throws {
        var app = try App()
        _ = try access(&app)
        app.now = app.now + .seconds(90 * 86_400)
        app.state.settle(at: app.now)
        _ = try app.state.register(WebhookPolicy.Receiver(url: "http://127.0.0.1:9/hook"))
        app.now = app.now + .seconds(86_400)
        app.state.settle(at: app.now)
        let isNew = app.state.announceEnded()
        #expect(!isNew)
        #expect(app.state.nextDue.map { $0 > app.now } ?? true)
    }

    @Test func `a consent with which no account is shared is announced as rejected`() throws {
        var app = try App()
        _ = try app.state.register(WebhookPolicy.Receiver(url: "http://127.0.0.1:9/hook"))
        _ = app.open()
        let number = try #require(app.state.authorizations.all.last?.number)

        _ = try app.state.decide(number, .approve, login: "ava", accounts: [], at: app.now)

        #expect(app.state.webhooks.deliveries.map(\.event.kind) == [.consentRejected])
    }

    @Test func `consents have their own bodies of webhooks, with a value by their state`() throws {
        let shape = "{ended: {consent: {revoked: by-customer, terminated: by-app}}, about: {body: data.object.id}}"
        let more = "    words: {terminated: closed}\n    bodies: {consent.revoked: \(shape)}\n"
        var app = try App(changing: [(Self.row, more + Self.row)])
        _ = try app.state.register(WebhookPolicy.Receiver(url: "http://127.0.0.1:9/hook"))
        let token = try access(&app)
        let id = try #require(app.state.consents.first?.id.key)

        let ended = app.send("DELETE", "/v1/consents/\(id)", bearer(token), "")

        #expect(ended.status == 204)
        let delivery = try #require(app.state.webhooks.deliveries.last)
        let message = try #require(app.state.message(of: delivery, at: app.now))
        let body = try JSON(parsing: message.body)
        let expected: JSON = ["ended": "by-app", "about": .string(id)]
        #expect(body == expected)
        var restored = app.state
        try restored.restore(image: app.state.image)
        #expect(restored.message(of: delivery, at: app.now)?.body == message.body)
        #expect(restored.webhooks.deliveries == app.state.webhooks.deliveries)
    }

    @Test func `bodies of consents need webhooks`() throws {
        let bodies = "    bodies: {consent.expired: {id: 1}}\n" + Self.row
        var text = ""
        do {
            _ = try App(changing: [(old: "webhooks: {sign: timestamped}\n", new: ""), (old: Self.row, new: bodies)])
        } catch { text = "\(error)" }
        #expect(text.contains("found `bodies` in `consents`, expected `webhooks` in the bank"), "\(text)")
    }

    @Test(arguments: [
        (row, "    bodies: {consent.revokd: {id: 1}}\n" + row, "did you mean `consent.revoked`?"),
        (row, "    bodies: {payment.settled: {id: 1}}\n" + row, "found `payment.settled`"),
        (row, "    parameter: a\n    redirect: r\n" + row, "found `redirect`"),
        (row, "    parameter: a\n    credential: true\n", "found `credential`"),
        (row, "    parameter: a\n    changed: {a: day, b: day}\n", "expected one field and its format"),
        (row, "    parameter: a\n    words: {gone: x}\n", "found `gone`"),
        (row, "", "found neither `parameter` nor `row`"),
        ("    covers: accounts\n", "    covers: atms\n", "belongs: owner"),
        ("    covers: accounts\n", "    asked: {at: $.a, field: b}\n", "`covers` beside it"),
        ("    covers: accounts\n    label: name\n", "", "found `accounts`, expected `covers` beside it"),
        ("    label: name\n", "    label: nmae\n", "found the field `nmae`"),
        ("  consents:\n    state: state\n", "  atms:\n    state: state\n", "one without: consents are added by operations"),
    ])
    func `an error in consents is reported`(old: String, new: String, words: String) throws {
        var text = ""
        do { _ = try App(changing: [(old: old, new: new)]) } catch { text = "\(error)" }
        #expect(text.contains(words), "\(text)")
    }
}
