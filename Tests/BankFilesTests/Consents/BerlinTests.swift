import BankCore
import BankModel
import Testing

/// The bank `berlin`: consents and payments that the customer authorises on the bank's page.
@Suite struct BerlinTests {
    private static let girokonto = "3dc3d5b3-7023-4848-9853-f5400a64e80f"
    private static let tagesgeld = "7b0cd5d4-3a17-4a23-9d2f-0c5ee1a7d301"
    private static let iban = "DE02100100109307118603"
    private static let home = [
        JournalEntry.Header("TPP-Redirect-URI", "counterfoil-app:/callback"), JournalEntry.Header("X-Request-ID", "r-1"),
    ]
    private static let everything = #"{"accounts": [], "balances": [], "transactions": []}"#
    private static let hook = "http://127.0.0.1:9/status"

    /// The headers that register a receiver of status notifications.
    ///
    /// - Parameter content: the contents that it prefers.
    private func notifying(_ address: String?, _ content: String? = nil) -> [JournalEntry.Header] {
        let headers = [("TPP-Notification-URI", address), ("TPP-Notification-Content-Preferred", content)]
        return headers.compactMap { name, value in value.map { JournalEntry.Header(name, $0) } }
    }

    /// The bodies of all notifications, in order; each is sent to the receiver.
    private func notifications(_ app: App) throws -> [JSON] {
        var bodies: [JSON] = []
        for delivery in app.state.webhooks.deliveries {
            let message = try #require(app.state.message(of: delivery, at: app.now))
            #expect(message.url == Self.hook)
            bodies.append(try JSON(parsing: message.body))
        }
        return bodies
    }

    private func ask(
        _ app: inout App, access: String = everything, until: String = "2026-12-31", notify: String? = nil, content: String? = nil
    ) -> BankResponse {
        let body = #"{"access": \#(access), "recurringIndicator": true, "validUntil": "\#(until)", "frequencyPerDay": 4}"#
        return app.send("POST", "/v1/consents", Self.home + notifying(notify, content), body)
    }

    /// Follows `scaRedirect`, and decides there.
    private func authorise(
        _ app: inout App, _ asked: BankResponse, _ decision: String = "approve", login: String = "ava"
    ) throws -> BankResponse {
        let address = try #require(asked.json.at("_links.scaRedirect.href")?.string)
        let page = app.get(String(address.dropFirst("http://bank".count)))
        try #require(page.status == 200, "\(String(decoding: page.body, as: UTF8.self))")
        let password = login == "ava" ? "correct-horse" : "battery-staple"
        return try app.decide(page, decision, login: login, password: password, at: "/authorize")
    }

    /// A consent that ava has authorised.
    private func consent(_ app: inout App, access: String = everything, until: String = "2026-12-31") throws -> String {
        let asked = ask(&app, access: access, until: until)
        _ = try authorise(&app, asked)
        return try #require(asked.json["consentId"]?.string)
    }

    private func read(_ app: inout App, _ path: String, _ consent: String?) -> BankResponse {
        app.get(path, consent.map { [JournalEntry.Header("Consent-ID", $0)] } ?? [])
    }

    private func code(_ response: BankResponse) -> String? { response.json["tppMessages"]?.array?.first?["code"]?.string }

    private func state(_ app: inout App, _ consent: String) -> String? {
        app.get("/v1/consents/\(consent)/status").json["consentStatus"]?.string
    }

    @Test(arguments: [#"{"accounts": ["DE02100100109307118603"]}"#, #"{"balances": [1]}"#, #"{"transactions": {}}"#, "[]"])
    func `an account reference that is not an object is a format error`(_ access: String) throws {
        var app = try App(of: "berlin")

        let asked = ask(&app, access: access)

        #expect(asked.status == 400)
        #expect(code(asked) == "FORMAT_ERROR")
        #expect(app.state.consents.isEmpty)
    }

    @Test func `a consent is asked for, authorised on the page, and read`() throws {
        var app = try App(of: "berlin")
        let asked = ask(&app)
        #expect(asked.status == 201)
        #expect(asked.header("ASPSP-SCA-Approach") == "REDIRECT")
        #expect(asked.json["consentStatus"] == "received")
        let id = try #require(asked.json["consentId"]?.string)
        #expect(code(read(&app, "/v1/accounts", id)) == "CONSENT_UNKNOWN", "nobody has authorised it")

        let back = try authorise(&app, asked)

        #expect(back.header("Location") == "counterfoil-app:/callback", "without a code")
        #expect(state(&app, id) == "valid")
        #expect(
            app.get("/v1/consents/\(id)").json["validUntil"] == "2026-02-17", "the bank's 90 days are before the day that was asked for")
        let accounts = read(&app, "/v1/accounts", id)
        #expect(accounts.json["accounts"]?.array?.count == 2)
        #expect(
            read(&app, "/v1/accounts/\(Self.girokonto)/balances", id).json["balances"]?.array?.first?.at("balanceAmount.amount")
                == "2150.40")
        let rows = read(&app, "/v1/accounts/\(Self.girokonto)/transactions?bookingStatus=both", id).json["transactions"]
        #expect(rows?["booked"]?.array?.count == 3)
        #expect(rows?["pending"]?.array?.count == 1)
        #expect(code(read(&app, "/v1/accounts/\(Self.girokonto)/transactions", id)) == "FORMAT_ERROR", "bookingStatus is missing")
        #expect(read(&app, "/v1/accounts", nil).status == 401)
    }

    @Test func `a customer who cancels decides nothing, and can open the page again`() throws {
        var app = try App(of: "berlin")
        let asked = ask(&app)
        let id = try #require(asked.json["consentId"]?.string)

        let back = try authorise(&app, asked, "cancel")

        #expect(back.header("Location") == "counterfoil-app:/callback", "as after an approval")
        #expect(state(&app, id) == "received")
        #expect(read(&app, "/v1/accounts", id).status == 401)
        _ = try authorise(&app, asked)
        #expect(state(&app, id) == "valid")
    }

    @Test func `accounts and permissions that a consent does not name are not shown`() throws {
        var app = try App(of: "berlin")
        let id = try consent(&app, access: #"{"accounts": [{"iban": "\#(Self.iban)"}], "balances": [{"iban": "\#(Self.iban)"}]}"#)

        #expect(read(&app, "/v1/accounts", id).json["accounts"]?.array?.compactMap { $0["iban"]?.string } == [Self.iban])
        #expect(read(&app, "/v1/accounts/\(Self.tagesgeld)/balances", id).status == 404)
        #expect(read(&app, "/v1/accounts/\(Self.girokonto)/balances", id).status == 200)
        let rows = read(&app, "/v1/accounts/\(Self.girokonto)/transactions?bookingStatus=booked", id)
        #expect(rows.status == 401)
        #expect(code(rows) == "CONSENT_INVALID")
    }

    @Test func `another customer's account gives no access`() throws {
        var app = try App(of: "berlin")
        let asked = ask(&app, access: #"{"accounts": [{"iban": "\#(Self.iban)"}]}"#)

        _ = try authorise(&app, asked, login: "ben")

        let id = try #require(asked.json["consentId"]?.string)
        #expect(state(&app, id) == "rejected")
        #expect(read(&app, "/v1/accounts", id).status == 401)
    }

    @Test func `a consent ends by the session clock, by the app, and by the customer`() throws {
        var app = try App(of: "berlin")
        let (first, second) = (try consent(&app, until: "2025-12-01"), try consent(&app))
        let third = try consent(&app)
        #expect(app.send("DELETE", "/v1/consents/\(second)", [], "").status == 204)
        #expect(state(&app, second) == "terminatedByTpp")
        #expect(code(read(&app, "/v1/accounts", second)) == "CONSENT_INVALID")
        _ = try app.state.happen(BankEvent(.consentRevoked), at: app.now)
        #expect(state(&app, third) == "revokedByPsu", "the newest that is authorised")
        #expect(read(&app, "/v1/accounts", third).name == .consentExpired)

        app.now = app.now + .seconds(12 * 86_400)
        #expect(read(&app, "/v1/accounts", first).status == 200, "it is valid to the end of its last day")
        app.now = app.now + .seconds(86_400)
        #expect(code(read(&app, "/v1/accounts", first)) == "CONSENT_EXPIRED")
        #expect(state(&app, first) == "expired")
        #expect(app.send("DELETE", "/v1/consents/\(first)", [], "").status == 204, "it stays as it is")
        #expect(state(&app, first) == "expired")
        #expect(app.send("DELETE", "/v1/consents/none", [], "").status == 404)
    }

    @Test(arguments: ["2025-11-18", "tomorrow", ""])
    func `an end in the past, or none, is rejected`(until: String) throws {
        var app = try App(of: "berlin")
        #expect(code(ask(&app, until: until)) == "FORMAT_ERROR")
    }

    @Test func `the page returns to registered addresses only, and once`() throws {
        var app = try App(of: "berlin")
        let body = #"{"access": {}, "validUntil": "2026-12-31"}"#
        let foreign = app.send("POST", "/v1/consents", [JournalEntry.Header("TPP-Redirect-URI", "https://evil.example/")], body)
        #expect(foreign.status == 400)
        #expect(app.send("POST", "/v1/consents", [], body).status == 400)
        let asked = ask(&app)
        let denied = try authorise(&app, asked, "deny")
        #expect(denied.header("Location") == "counterfoil-app:/callback")
        let id = try #require(asked.json["consentId"]?.string)
        #expect(state(&app, id) == "rejected")
        let again = app.get("/authorize?consent=\(id)")
        #expect(again.status == 400)
        #expect(again.header("Location") == nil)
        #expect(app.get("/authorize?consent=unknown").status == 400)
    }

    // MARK: payments

    private func pay(
        _ app: inout App, _ amount: String, to iban: String = "DE02600501010002034304", notify: String? = nil, content: String? = nil
    ) -> BankResponse {
        app.send(
            "POST", "/v1/payments/sepa-credit-transfers", Self.home + notifying(notify, content),
            #"{"instructedAmount": {"currency": "EUR", "amount": "\#(amount)"}, "debtorAccount": {"iban": "\#(Self.iban)"}, "#
                + #""creditorAccount": {"iban": "\#(iban)"}, "creditorName": "Lerchen Energie"}"#)
    }

    private func status(_ app: inout App, _ payment: BankResponse) -> String? {
        let id = payment.json["paymentId"]?.string ?? ""
        return app.get("/v1/payments/sepa-credit-transfers/\(id)/status").json["transactionStatus"]?.string
    }

    @Test func `a payment is made when its customer authorises it`() throws {
        var app = try App(of: "berlin")
        let paid = pay(&app, "100.40")
        #expect(paid.status == 201)
        #expect(paid.json["transactionStatus"] == "RCVD")
        #expect(app.state.ledger.movements.isEmpty)

        _ = try authorise(&app, paid)

        #expect(status(&app, paid) == "ACSC")
        #expect(app.state.ledger.movements.map(\.amount.minorUnits) == [10_040])
        let id = try consent(&app)
        #expect(
            read(&app, "/v1/accounts/\(Self.girokonto)/balances", id).json["balances"]?.array?.first?.at("balanceAmount.amount")
                == "2050.00")
        let rows = read(&app, "/v1/accounts/\(Self.girokonto)/transactions?bookingStatus=booked", id).json.at("transactions.booked")
        #expect(rows?.array?.first?.at("transactionAmount.amount") == "-100.40")
    }

    @Test func `the money of a payment returns, as a row of its own`() throws {
        var app = try App(of: "berlin")
        let paid = pay(&app, "100.40")
        _ = try authorise(&app, paid)
        app.now = app.now + .seconds(86_400)

        _ = try app.state.happen(BankEvent(.paymentReturns), at: app.now)

        #expect(status(&app, paid) == "ACSC")
        let id = try consent(&app)
        let rows = read(&app, "/v1/accounts/\(Self.girokonto)/transactions?bookingStatus=booked", id).json.at("transactions.booked")
        #expect(rows?.array?.prefix(2).compactMap { $0.at("transactionAmount.amount")?.string } == ["100.40", "-100.40"])
        #expect(rows?.array?.first?["debtorName"] == "Lerchen Energie")
        #expect(rows?.array?.first?["creditorName"] == nil)
        let balances = read(&app, "/v1/accounts/\(Self.girokonto)/balances", id).json["balances"]
        #expect(balances?.array?.first?.at("balanceAmount.amount") == "2150.40")
    }

    @Test func `a payment that is denied, not covered, or another's moves no money`() throws {
        var app = try App(of: "berlin")
        let (denied, large, foreign) = (pay(&app, "1.00"), pay(&app, "9999.00"), pay(&app, "1.00"))
        _ = try authorise(&app, denied, "deny")
        _ = try authorise(&app, large)
        _ = try authorise(&app, foreign, login: "ben")

        #expect([denied, large, foreign].map { status(&app, $0) } == ["RJCT", "RJCT", "RJCT"])
        #expect(app.state.ledger.movements.isEmpty)
    }

    @Test func `a payment's receiver is notified of its status alone`() throws {
        var app = try App(of: "berlin")
        let (paid, denied) = (pay(&app, "1.00", notify: Self.hook), pay(&app, "2.00", notify: Self.hook))
        let silent = pay(&app, "3.00")
        #expect(app.state.webhooks.webhooks.count == 2)

        _ = try authorise(&app, silent)
        _ = try authorise(&app, denied, "deny")
        _ = try authorise(&app, paid)

        let bodies = try notifications(app)
        #expect(bodies.compactMap { $0["paymentId"]?.string } == [denied, paid].compactMap { $0.json["paymentId"]?.string })
        #expect(bodies.compactMap { $0["transactionStatus"]?.string } == ["RJCT", "ACSC"])
    }

    @Test func `a payment that its customer revokes while it waits is notified as cancelled`() throws {
        var app = try App(of: "berlin")
        let paid = pay(&app, "1.50", notify: Self.hook)
        let id = try #require(paid.json["paymentId"]?.string)
        var event = BankEvent(.consentRevoked)
        event.consent = id

        _ = try app.state.happen(event, at: app.now)

        #expect(status(&app, paid) == "CANC")
        let cancelled: JSON = ["paymentId": .string(id), "transactionStatus": "CANC"]
        let bodies = try notifications(app)
        #expect(bodies == [cancelled])
    }

    @Test func `an event of a payment that is not authorised shows its order`() throws {
        var app = try App(of: "berlin")
        _ = try app.state.register(WebhookPolicy.Receiver(url: Self.hook))
        let (denied, cancelled) = (pay(&app, "1.50"), pay(&app, "2.50"))
        var event = BankEvent(.consentRevoked)
        event.consent = cancelled.json["paymentId"]?.string

        _ = try authorise(&app, denied, "deny")
        _ = try app.state.happen(event, at: app.now)

        let events = app.state.webhooks.deliveries.map(\.event)
        #expect(events.map(\.kind) == [.rejected, .cancelled])
        #expect(events.compactMap { $0.object["state"]?.string } == ["rejected", "cancelled"])
        #expect(events.compactMap { $0.object["amount"]?.string } == ["1.50", "2.50"])
        #expect(events.first?.object["currency"] == "EUR")
        #expect(events.first?.object["from"] == .string(Self.girokonto))
        #expect(events.first?.object["to"] == "DE02600501010002034304")
    }

    // MARK: notifications of consents

    @Test func `a consent's receiver is notified of its status alone`() throws {
        var app = try App(of: "berlin")
        let (valid, denied) = (ask(&app, notify: Self.hook), ask(&app, notify: Self.hook))
        let silent = ask(&app)
        #expect(app.state.webhooks.webhooks.count == 2)

        _ = try authorise(&app, silent)
        _ = try authorise(&app, denied, "deny")
        _ = try authorise(&app, valid)
        _ = try app.state.happen(BankEvent(.consentRevoked), at: app.now)

        let bodies = try notifications(app)
        #expect(bodies.compactMap { $0["consentId"] } == [denied, valid, valid].compactMap { $0.json["consentId"] })
        #expect(bodies.compactMap { $0["consentStatus"] } == ["rejected", "valid", "revokedByPsu"])
    }

    @Test func `the end of a consent is notified, whether the app ends it or the session clock`() throws {
        var app = try App(of: "berlin")
        let (ended, short) = (ask(&app, notify: Self.hook), ask(&app, until: "2025-12-01", notify: Self.hook))
        _ = try authorise(&app, ended)
        _ = try authorise(&app, short)
        let id = try #require(ended.json["consentId"]?.string)
        let deleted = app.send("DELETE", "/v1/consents/\(id)", [], "")
        #expect(deleted.status == 204)
        for delivery in app.state.webhooks.deliveries { app.state.attempted(delivery.number, .init(at: app.now, status: 200)) }
        let end = app.state.consents.first { $0.state == .authorised }?.expiresAt
        #expect(end != nil)
        #expect(app.state.nextDue == end, "a running clock wakes for it")

        app.now = app.now + .seconds(13 * 86_400)
        app.state.settle(at: app.now)
        let isNew = app.state.announceEnded()
        let isAgain = app.state.announceEnded()

        #expect(isNew && !isAgain)
        let bodies = try notifications(app)
        #expect(bodies.compactMap { $0["consentStatus"] } == ["valid", "valid", "terminatedByTpp", "expired"])
        #expect(bodies.last?["consentId"] == short.json["consentId"])
    }

    @Test(arguments: ["status", "http://user@127.0.0.1/", "ftp://127.0.0.1/"])
    func `an address to which nothing can be sent is ignored`(_ address: String) throws {
        var app = try App(of: "berlin")

        let paid = pay(&app, "1.00", notify: address)

        #expect(paid.status == 201)
        #expect(status(&app, paid) == "RCVD")
        let asked = ask(&app, notify: address)
        #expect(asked.status == 201)
        #expect(app.state.webhooks.webhooks.isEmpty)
    }

    @Test(
        arguments: [
            (hook, nil, "true", "status=PROCESS"), (hook, "status=PROCESS", "true", "status=PROCESS"),
            (hook, "status=LAST", "true", "status=LAST"), (hook, "status=SCA, LAST,PROCESS, LAST", "true", "status=LAST,PROCESS"),
            (hook, "status=SCA", "false", nil), (hook, "PROCESS", "false", nil), (hook, "", "false", nil),
            (nil, "status=LAST", "false", nil), ("ftp://127.0.0.1/", "status=LAST", "false", nil),
        ] as [(String?, String?, String, String?)])
    func `a response says which notifications follow`(_ address: String?, _ wanted: String?, _ support: String, _ content: String?) throws {
        var app = try App(of: "berlin")
        let asked = ask(&app, notify: address, content: wanted)
        let paid = pay(&app, "1.00", notify: address, content: wanted)
        for response in [asked, paid] {
            #expect(response.status == 201)
            #expect(response.header("ASPSP-Notification-Support") == support)
            #expect(response.header("ASPSP-Notification-Content") == content)
        }
        #expect(app.state.webhooks.webhooks.count == (content == nil ? 0 : 2))
    }

    @Test func `a receiver that prefers the last status gets no other`() throws {
        var app = try App(of: "berlin")
        let (last, every) = (
            ask(&app, notify: Self.hook, content: "status=LAST"), ask(&app, notify: Self.hook, content: "status=PROCESS,LAST")
        )
        let paid = pay(&app, "1.00", notify: Self.hook, content: "status=LAST")
        for asked in [last, every, paid] { _ = try authorise(&app, asked) }
        for asked in [last, every] {
            let ended = app.send("DELETE", "/v1/consents/\(asked.json["consentId"]?.string ?? "")", [], "")
            #expect(ended.status == 204)
        }

        let bodies = try notifications(app)

        let ofLast = bodies.filter { $0["consentId"] == last.json["consentId"] }
        #expect(ofLast.compactMap { $0["consentStatus"] } == ["terminatedByTpp"])
        let ofEvery = bodies.filter { $0["consentId"] == every.json["consentId"] }
        #expect(ofEvery.compactMap { $0["consentStatus"] } == ["valid", "terminatedByTpp"])
        #expect(bodies.compactMap { $0["transactionStatus"] } == ["ACSC"])
    }
}
