import BankCore
import BankModel
import TestBanks
import Testing

/// The bank `openbanking`: the consent's id in the authorization request, and payments through consents.
@Suite struct OpenBankingTests {
    private static let aisp = "/open-banking/v4.0/aisp"
    private static let pisp = "/open-banking/v4.0/pisp"
    private static let initiation =
        #"{"InstructedAmount": {"Amount": "20.50", "Currency": "GBP"}, "CreditorAccount": {"Identification": "60112231926819"}}"#

    private func bearer(_ token: String, _ more: [(String, String)] = []) -> [JournalEntry.Header] {
        [JournalEntry.Header("Authorization", "Bearer \(token)")] + more.map { JournalEntry.Header($0.0, $0.1) }
    }

    private func clientToken(_ app: inout App, of client: String = "tpp") throws -> String {
        let form: [FormField] = [("grant_type", "client_credentials"), ("scope", "accounts payments")]
        let response = app.token(form, basic(client, client + "-secret"))
        return try #require(response.json["access_token"]?.string)
    }

    private func asked(_ consent: String?, scope: String = "accounts") -> [FormField] {
        App.asked.with("client_id", "tpp").with("redirect_uri", "https://tpp.example/callback").with("scope", scope)
            .with("openbanking_intent_id", consent)
    }

    /// The tokens of a sign-in for a consent.
    private func signIn(_ app: inout App, _ consent: String, scope: String = "accounts") throws -> JSON {
        let code = try app.code(asked(consent, scope: scope))
        let form = App.exchange(code).with("client_id", nil).with("redirect_uri", "https://tpp.example/callback")
        return app.token(form, basic("tpp", "tpp-secret")).json
    }

    private func ask(
        _ app: inout App, permissions: String = #""ReadAccountsDetail", "ReadBalances", "ReadTransactionsDetail""#, more: String = ""
    ) throws -> BankResponse {
        app.send(
            "POST", "\(Self.aisp)/account-access-consents", bearer(try clientToken(&app), [("x-fapi-interaction-id", "i-1")]),
            #"{"Data": {"Permissions": [\#(permissions)]\#(more)}, "Risk": {}}"#)
    }

    private func consent(_ app: inout App) throws -> String { try #require(try ask(&app).json.at("Data.ConsentId")?.string) }

    private func read(_ app: inout App, _ path: String, _ tokens: JSON) -> BankResponse {
        app.get(Self.aisp + path, bearer(tokens["access_token"]?.string ?? ""))
    }

    @Test func `a consent is asked for by the client, authorised by the customer, and carried by the token`() throws {
        var app = try App(of: "openbanking")
        let response = try ask(&app)
        #expect(response.status == 201)
        #expect(response.json.at("Data.Status") == "AWAU")
        let id = try #require(response.json.at("Data.ConsentId")?.string)

        let tokens = try signIn(&app, id)

        let shown = app.get("\(Self.aisp)/account-access-consents/\(id)", bearer(try clientToken(&app))).json
        #expect(shown.at("Data.Status") == "AUTH")
        #expect(shown.at("Data.ExpirationDateTime") == "2026-02-17T12:00:00Z")
        let accounts = read(&app, "/accounts", tokens)
        #expect(accounts.json.at("Data.Account")?.array?.compactMap { $0["AccountId"]?.string } == ["22289", "31820"])
        #expect(accounts.json.at("Data.Account")?.array?.first?["Balance"] == nil)
        #expect(read(&app, "/accounts/22289/balances", tokens).json.at("Data.Balance")?.array?.first?.at("Amount.Amount") == "1230.55")
        let page = read(&app, "/accounts/22289/transactions", tokens).json
        #expect(page.at("Data.Transaction")?.array?.count == 4)
        #expect(page.at("Meta.TotalPages") == 2)
        #expect(page.at("Links.Next")?.string?.contains("page=2") == true)
        #expect(app.get("\(Self.aisp)/accounts", bearer(try clientToken(&app))).name == .scopeRefused, "a client's token has no consent")
    }

    @Test func `a consent of one client is no consent for another`() throws {
        let other = "  clients:\n    other: {secret: other-secret, redirects: [\"https://other.example/callback\"]}\n"
        var app = try App(of: "openbanking", changing: [("  clients:\n", other)])
        let id = try consent(&app)
        let token = try clientToken(&app, of: "other")

        let opened = app.open(asked(id).with("client_id", "other").with("redirect_uri", "https://other.example/callback"))
        let ended = app.send("DELETE", "\(Self.aisp)/account-access-consents/\(id)", bearer(token), "")

        #expect(opened.redirected["error"] == "invalid_request", "\(opened.text)")
        #expect(ended.name == .notFound)
        #expect(try signIn(&app, id)["access_token"] != nil, "its own client may use it")
    }

    @Test func `a sign-in with openid gives an ID token that the published key verifies`() throws {
        var app = try App(of: "openbanking")
        let (first, second) = (try consent(&app), try consent(&app))
        let with = try signIn(&app, first, scope: "openid accounts")
        let without = try signIn(&app, second)

        let token = try IDToken(try #require(with["id_token"]?.string))

        #expect(try token.isSigned(by: app.keys()))
        #expect(token.claims["iss"] == "http://bank")
        #expect(token.claims["sub"] == "ava")
        #expect(token.claims["aud"] == "tpp")
        #expect(without["access_token"] != nil && without["id_token"] == nil)
    }

    @Test(arguments: ["{}", "1", "null", "[]", #""ReadBalances", {}"#])
    func `a permission that is not a text is rejected with the standard's error object`(_ permissions: String) throws {
        var app = try App(of: "openbanking")

        let response = try ask(&app, permissions: permissions)

        #expect(response.status == 400)
        #expect(response.json["Id"]?.string != nil)
        #expect(response.json["Errors"]?.array?.first?["ErrorCode"]?.string != nil)
        #expect(app.state.consents.isEmpty)
    }

    @Test(
        arguments: ["TransactionFromDateTime", "TransactionToDateTime", "ExpirationDateTime"],
        ["5", #""soon""#, #""2027-02-30T00:00:00Z""#])
    func `a wrong date is rejected, and no consent is made`(_ field: String, _ value: String) throws {
        var app = try App(of: "openbanking")

        let response = try ask(&app, more: #", "\#(field)": \#(value)"#)

        #expect(response.status == 400)
        #expect(response.json["Errors"]?.array?.first?["ErrorCode"] == "X400")
        #expect(app.state.consents.isEmpty)
    }

    @Test func `a consent shows the dates that it was asked for with`() throws {
        var app = try App(of: "openbanking")
        let dates = #", "TransactionFromDateTime": "2025-01-01T00:00:00+00:00", "TransactionToDateTime": "2026-01-01""#

        let response = try ask(&app, more: dates)

        #expect(response.status == 201)
        #expect(response.json.at("Data.TransactionFromDateTime") == "2025-01-01T00:00:00+00:00")
        #expect(response.json.at("Data.TransactionToDateTime") == "2026-01-01")
    }

    @Test func `an event type that is not a text registers no receiver`() throws {
        var app = try App(of: "openbanking")
        let subscription =
            #"{"Data": {"CallbackUrl": "https://tpp.example/events", "Version": "v4.0", "EventTypes": [{}]}}"#

        let response = app.send("POST", "/open-banking/v4.0/event-subscriptions", bearer(try clientToken(&app)), subscription)

        #expect(response.status == 400)
        #expect(response.json["Errors"]?.array?.count == 1)
        #expect(app.state.webhooks.webhooks.isEmpty)
    }

    @Test func `an app subscribes to events, and gets notifications until it deletes the subscription`() throws {
        var app = try App(of: "openbanking")
        let token = try clientToken(&app)
        let path = "/open-banking/v4.0/event-subscriptions"
        let revoked = "urn:uk:org:openbanking:events:consent-authorization-revoked"
        func asked(_ type: String) -> String {
            #"{"Data": {"CallbackUrl": "http://127.0.0.1:9/events", "Version": "4.0", "EventTypes": ["\#(type)"]}}"#
        }
        let wrong = app.send("POST", path, bearer(token), asked("urn:example:none"))
        #expect(wrong.name == .badRequest)
        #expect(app.state.webhooks.webhooks.isEmpty)
        let made = app.send("POST", path, bearer(token), asked(revoked))
        #expect(made.status == 201, "\(made.text)")
        let subscription = try #require(made.json.at("Data.EventSubscriptionId")?.string)
        let listed = app.get(path, bearer(token)).json.at("Data.EventSubscription")?.array ?? []
        #expect(listed.compactMap { $0["EventSubscriptionId"]?.string } == [subscription])
        #expect(listed.first?["EventTypes"] == [.string(revoked)])

        let id = try consent(&app)
        _ = app.send("DELETE", "\(Self.aisp)/account-access-consents/\(id)", bearer(token), "")

        let delivery = try #require(app.state.webhooks.deliveries.first)
        let message = try #require(app.state.message(of: delivery, at: app.now))
        #expect(message.url == "http://127.0.0.1:9/events")
        let body = try claims(message)
        #expect(body["jti"] == .string(delivery.event.id))
        #expect(body["iat"] == .int(1_763_553_600))
        #expect(body["sub"]?.string?.hasSuffix("/aisp/account-access-consents/\(id)") == true)
        #expect(body["events"]?[revoked]?["subject"]?["http://openbanking.org.uk/rid"] == .string(id))

        let removed = app.send("DELETE", "\(path)/\(subscription)", bearer(token), "")
        #expect(removed.status == 204)
        #expect(app.state.webhooks.webhooks.isEmpty)
        #expect(!app.state.webhooks.isWaiting)
    }

    /// The claims of a notification, which is a JWT.
    private func claims(_ message: WebhookMessage) throws -> JSON {
        #expect(message.contentType == "application/jwt")
        #expect(message.signature == nil)
        return try #require(JSONWebToken(String(decoding: message.body, as: UTF8.self))).claims
    }

    @Test func `the status of a consent is announced as that of a resource, by its type`() throws {
        var app = try App(of: "openbanking")
        _ = try app.state.register(WebhookPolicy.Receiver(url: "http://127.0.0.1:9/events"))
        let (access, payment) = (try consent(&app), try paymentConsent(&app))
        _ = try signIn(&app, access)
        _ = try app.decide(app.open(asked(payment, scope: "payments")), "deny")
        let removed = app.send("DELETE", "\(Self.aisp)/account-access-consents/\(access)", bearer(try clientToken(&app)), "")
        #expect(removed.status == 204)

        var found: [String] = []
        var subjects: [String] = []
        for delivery in app.state.webhooks.deliveries {
            let message = try #require(app.state.message(of: delivery, at: app.now))
            let body = try claims(message)
            let name = try #require(body["events"]?.object?.keys.first)
            let subject = try #require(body["events"]?[name]?["subject"])
            let type = subject["http://openbanking.org.uk/rty"]?.string ?? ""
            found.append(name.replacing("urn:uk:org:openbanking:events:", with: "") + " " + type)
            #expect(body["sub"] == subject["http://openbanking.org.uk/rlk"]?.array?.first?["link"])
            subjects.append(body["sub"]?.string ?? "")
        }
        #expect(
            found == [
                "resource-update account-access-consent", "resource-update domestic-payment-consent",
                "consent-authorization-revoked account-access-consent",
            ])
        let consents = [
            "http://bank\(Self.aisp)/account-access-consents/\(access)", "http://bank\(Self.pisp)/domestic-payment-consents/\(payment)",
        ]
        #expect(subjects == [consents[0], consents[1], consents[0]])
    }

    @Test func `a sign-in needs a consent that awaits the customer`() throws {
        var app = try App(of: "openbanking")
        for id in [nil, "", "unknown"] { #expect(app.open(asked(id)).redirected["error"] == "invalid_request") }
        let id = try consent(&app)
        #expect(try app.decide(app.open(asked(id)), "cancel").redirected["error"] == "access_denied")
        #expect(try app.decide(app.open(asked(id)), "deny").redirected["error"] == "access_denied")
        #expect(app.open(asked(id)).redirected["error"] == "invalid_request", "it was rejected")
    }

    @Test func `an expired token is reported before a permission that its consent lacks`() throws {
        var app = try App(of: "openbanking")
        let id = try #require(try ask(&app, permissions: #""ReadAccountsDetail""#).json.at("Data.ConsentId")?.string)
        let tokens = try signIn(&app, id)
        #expect(read(&app, "/accounts/22289/balances", tokens).name == .scopeRefused)

        app.now = app.now + .seconds(86_400)
        #expect(read(&app, "/accounts/22289/balances", tokens).name == .tokenExpired)
    }

    @Test func `the tokens of a consent end with it`() throws {
        var app = try App(of: "openbanking")
        let id = try consent(&app)
        let tokens = try signIn(&app, id)
        let refresh = [("grant_type", "refresh_token"), ("refresh_token", tokens["refresh_token"]?.string ?? "")]
        let new = app.token(refresh, basic("tpp", "tpp-secret")).json
        #expect(read(&app, "/accounts", new).status == 200, "it is carried on")

        #expect(app.send("DELETE", "\(Self.aisp)/account-access-consents/\(id)", bearer(try clientToken(&app)), "").status == 204)

        let rejected = read(&app, "/accounts", new)
        #expect(rejected.status == 403)
        #expect(rejected.name == .consentExpired)
        #expect(String(decoding: rejected.body, as: UTF8.self).contains("revoked"))
        app.now = app.now + .seconds(3600)
        #expect(read(&app, "/accounts", new).name == .consentExpired, "the token has expired, too; the consent says more")
        let again = [("grant_type", "refresh_token"), ("refresh_token", new["refresh_token"]?.string ?? "")]
        #expect(app.token(again, basic("tpp", "tpp-secret")).json["error"] == "invalid_grant")
    }

    @Test func `a tester shares some accounts, and takes a consent back`() throws {
        var app = try App(of: "openbanking")
        let id = try consent(&app)
        _ = app.open(asked(id))
        let number = try #require(app.state.authorizations.all.last?.number)
        _ = try app.state.decide(number, .approve, login: "ava", accounts: ["31820"], at: app.now)
        #expect(app.state.consents.map(\.accounts) == [["31820"]])
        #expect(app.state.consents.map(\.state) == [.authorised])
        #expect(app.state.consents.first?.expiresAt == app.now + .seconds(90 * 86_400))

        var event = BankEvent(.consentRevoked)
        event.consent = id
        _ = try app.state.happen(event, at: app.now)
        #expect(app.state.consents.map(\.state) == [.revoked])
        #expect(throws: EventError.self) { _ = try app.state.happen(event, at: app.now) }
        #expect(throws: EventError.self) { _ = try app.state.happen(BankEvent(.consentRevoked), at: app.now) }
    }

    @Test func `a stored state has its consents, and what they end`() throws {
        var app = try App(of: "openbanking")
        let tokens = try signIn(&app, try consent(&app))
        var restored = try App(of: "openbanking")
        try restored.state.restore(image: app.state.image)
        restored.now = app.now
        #expect(restored.state.consents == app.state.consents)
        #expect(read(&restored, "/accounts", tokens).status == 200)
        restored.now = restored.now + .seconds(90 * 86_400)
        #expect(read(&restored, "/accounts", tokens).name == .consentExpired)
    }

    // MARK: payments

    private func payment(_ consent: String, _ initiation: String = initiation) -> String {
        #"{"Data": {"ConsentId": "\#(consent)", "Initiation": \#(initiation)}, "Risk": {}}"#
    }

    private func paymentConsent(_ app: inout App, _ initiation: String = initiation) throws -> String {
        let response = app.send(
            "POST", "\(Self.pisp)/domestic-payment-consents",
            bearer(try clientToken(&app), [("x-idempotency-key", "c-\(app.state.revision)")]),
            #"{"Data": {"Initiation": \#(initiation)}, "Risk": {}}"#)
        return try #require(response.json.at("Data.ConsentId")?.string, "\(String(decoding: response.body, as: UTF8.self))")
    }

    private func pay(_ app: inout App, _ tokens: JSON, _ body: String, key: String) -> BankResponse {
        app.send("POST", "\(Self.pisp)/domestic-payments", bearer(tokens["access_token"]?.string ?? "", [("x-idempotency-key", key)]), body)
    }

    @Test func `a payment goes through its consent, once`() throws {
        var app = try App(of: "openbanking")
        let id = try paymentConsent(&app)
        let tokens = try signIn(&app, id, scope: "payments")

        let paid = pay(&app, tokens, payment(id), key: "k1")

        #expect(paid.status == 201)
        #expect(paid.json.at("Data.Status") == "PDNG")
        #expect(pay(&app, tokens, payment(id), key: "k1").json.at("Data.DomesticPaymentId") == paid.json.at("Data.DomesticPaymentId"))
        #expect(pay(&app, tokens, payment(id), key: "k2").status == 400, "the consent is used")
        #expect(app.state.ledger.movements.map(\.amount.minorUnits) == [2050])
        #expect(app.state.consents.last?.state == .used)
        app.now = app.now + .seconds(60)
        let number = paid.json.at("Data.DomesticPaymentId")?.string ?? ""
        let status = app.get("\(Self.pisp)/domestic-payments/\(number)", bearer(try clientToken(&app))).json
        #expect(status.at("Data.Status") == "ACSC")
    }

    @Test func `the money of a settled payment returns, as a row of its own`() throws {
        var app = try App(of: "openbanking")
        let id = try paymentConsent(&app)
        let tokens = try signIn(&app, id, scope: "payments")
        #expect(pay(&app, tokens, payment(id), key: "k1").status == 201)
        app.now = app.now + .seconds(61)

        _ = try app.state.happen(BankEvent(.paymentReturns), at: app.now)

        let access = try consent(&app)
        let reading = try signIn(&app, access)
        let rows = read(&app, "/accounts/22289/transactions", reading).json.at("Data.Transaction")?.array ?? []
        #expect(rows.prefix(2).compactMap { $0["CreditDebitIndicator"]?.string } == ["Credit", "Debit"])
        #expect(rows.prefix(2).compactMap { $0["Status"]?.string } == ["BOOK", "BOOK"])
        #expect(rows.prefix(2).compactMap { $0.at("Amount.Amount")?.string } == ["20.50", "20.50"])
        #expect(rows.first?["TransactionInformation"] == "Lark Energy")
        let balance = read(&app, "/accounts/22289/balances", reading).json.at("Data.Balance")?.array?.first
        #expect(balance?.at("Amount.Amount") == "1230.55")
    }

    /// Read/Write Data API, "Filtering": the time zone is ignored, and is not needed.
    @Test(arguments: [("", 200), ("Z", 200), ("%2B05:30", 200), ("-11:00", 200), ("%2B5", 400), ("Zulu", 400)])
    func `the time zone of a filter is ignored`(_ zone: String, _ status: Int) throws {
        var app = try App(of: "openbanking")
        let tokens = try signIn(&app, try consent(&app))
        let rows = read(&app, "/accounts/22289/transactions", tokens).json.at("Data.Transaction")?.array ?? []
        let booked = try #require(rows.dropFirst(2).first?["BookingDateTime"]?.string)
        let instant = booked.prefix(19) + zone

        let found = read(&app, "/accounts/22289/transactions?fromBookingDateTime=\(instant)&toBookingDateTime=\(instant)", tokens)

        #expect(found.status == status)
        #expect(found.json.at("Data.Transaction")?.array?.compactMap { $0["BookingDateTime"]?.string } == (status == 200 ? [booked] : nil))
    }

    @Test func `a payment to a new payee waits for a second person`() throws {
        var app = try App(of: "openbanking")
        let initiation = Self.initiation.replacing("60112231926819", with: "60091844120087")
        let id = try paymentConsent(&app, initiation)
        let tokens = try signIn(&app, id, scope: "payments")

        let paid = pay(&app, tokens, payment(id, initiation), key: "k1")

        #expect(paid.json.at("Data.Status") == "PATC")
        let number = paid.json.at("Data.DomesticPaymentId")?.string ?? ""
        app.now = app.now + .seconds(3600)
        _ = try app.state.happen(BankEvent(.paymentAuthorised), at: app.now)
        let own = bearer(try clientToken(&app))
        #expect(app.get("\(Self.pisp)/domestic-payments/\(number)", own).json.at("Data.Status") == "PDNG")
        app.now = app.now + .seconds(60)
        #expect(app.get("\(Self.pisp)/domestic-payments/\(number)", own).json.at("Data.Status") == "ACSC")
    }

    @Test func `a payment needs its own consent, as it was authorised`() throws {
        var app = try App(of: "openbanking")
        let (id, other) = (try paymentConsent(&app), try paymentConsent(&app))
        let tokens = try signIn(&app, id, scope: "payments")
        let dearer = Self.initiation.replacing("20.50", with: "20.51")
        let cases = [payment(other), payment("unknown"), payment(id, dearer)]
        for (number, body) in cases.enumerated() {
            let response = pay(&app, tokens, body, key: "k\(number)")
            #expect(response.status == 400)
            #expect(response.json["Errors"]?.array?.first?["ErrorCode"] == "U009")
        }
        let reading = try signIn(&app, try consent(&app), scope: "accounts payments")
        #expect(pay(&app, reading, payment(id), key: "k9").status == 400, "the token carries another consent")
        #expect(app.get("\(Self.aisp)/accounts", bearer(tokens["access_token"]?.string ?? "")).name == .scopeRefused)
        #expect(app.state.ledger.movements.isEmpty)
        #expect(pay(&app, tokens, payment(id), key: "k10").status == 201, "nothing was used up")
    }
}
