import BankCore
import BankModel
import Testing

/// Payments of `berlin` that the customer approves in the bank's app: decoupled SCA.
@Suite struct DecoupledTests {
    private static let payments = "/v1/payments/sepa-credit-transfers"
    private static let asked = [("TPP-Redirect-Preferred", "false"), ("PSU-ID", "ava")]

    private func pay(_ app: inout App, _ amount: String, _ headers: [(String, String)] = asked, notify: String? = nil) -> BankResponse {
        let notifying = notify.map { [("TPP-Notification-URI", $0)] } ?? []
        return app.send(
            "POST", Self.payments, (headers + notifying).map { JournalEntry.Header($0.0, $0.1) },
            #"{"instructedAmount": {"currency": "EUR", "amount": "\#(amount)"}, "debtorAccount": {"iban": "DE02100100109307118603"}, "#
                + #""creditorAccount": {"iban": "DE02600501010002034304"}, "creditorName": "Lerchen Energie"}"#)
    }

    private func status(_ app: inout App, _ payment: BankResponse) -> String? {
        app.get("\(Self.payments)/\(payment.json["paymentId"]?.string ?? "")/status").json["transactionStatus"]?.string
    }

    private func scaStatus(_ app: inout App, _ payment: BankResponse) -> String? {
        app.get(payment.json.at("_links.scaStatus.href")?.string ?? "/").json["scaStatus"]?.string
    }

    @Test func `a payment is made when its customer approves it in the bank's app`() throws {
        var app = try App(of: "berlin")
        let paid = pay(&app, "100.40")
        #expect(paid.status == 201)
        #expect(paid.header("ASPSP-SCA-Approach") == "DECOUPLED")
        #expect(paid.json["transactionStatus"] == "RCVD")
        #expect(paid.json.at("_links.scaRedirect") == nil)
        #expect(scaStatus(&app, paid) == "started")
        #expect(app.state.ledger.movements.isEmpty)

        let decided = try app.state.decide(challenge: 1, approves: true, .usual, at: app.now)

        #expect(decided.stage == .approved && decided.customer == "ava" && decided.operation == "decoupledPayments")
        #expect(scaStatus(&app, paid) == "finalised")
        #expect(status(&app, paid) == "ACSC")
        #expect(app.state.ledger.movements.map(\.amount.minorUnits) == [10_040])
        #expect(app.state.ledger.movements.first?.customer == "ava")
        #expect(throws: ChallengeError.ended(1, .approved)) {
            try app.state.decide(challenge: 1, approves: true, .usual, at: app.now)
        }
        #expect(app.state.audit(at: app.now).isEmpty)
    }

    @Test func `a payment that is denied, not covered, or not decided in time moves no money`() throws {
        var app = try App(of: "berlin")
        let (denied, large) = (pay(&app, "1.00"), pay(&app, "9999.00"))
        let foreign = pay(&app, "1.00", [("TPP-Redirect-Preferred", "false"), ("PSU-ID", "ben")])
        _ = try app.state.decide(challenge: 1, approves: false, .usual, at: app.now)
        _ = try app.state.decide(challenge: 2, approves: true, .usual, at: app.now)
        _ = try app.state.decide(challenge: 3, approves: true, .usual, at: app.now)
        let late = pay(&app, "1.00")
        #expect(status(&app, late) == "RCVD")
        let revision = app.state.revision
        app.now = app.now + .seconds(300)

        #expect(throws: ChallengeError.ended(4, .expired)) {
            try app.state.decide(challenge: 4, approves: true, .usual, at: app.now)
        }
        #expect([denied, large, foreign, late].map { status(&app, $0) } == ["RJCT", "RJCT", "RJCT", "RJCT"])
        #expect(app.state.revision > revision, "the status that was sent before is not sent again")
        #expect([denied, large, foreign, late].map { scaStatus(&app, $0) } == ["failed", "finalised", "finalised", "failed"])
        #expect(app.state.ledger.movements.isEmpty)
    }

    @Test func `an approval can come by itself, and its receiver is notified`() throws {
        var app = try App(of: "berlin", changing: [("  interval: 500ms\n", "  interval: 500ms\n  approves_after: 10s\n")])
        let paid = pay(&app, "2.00", notify: "http://127.0.0.1:9/status")

        #expect(app.state.approveFirst(by: app.now + .seconds(9), .usual) == nil)
        let first = app.state.approveFirst(by: app.now + .seconds(10), .usual)
        let approved = try #require(first)

        #expect(approved.at == app.now + .seconds(10))
        app.now = approved.at
        #expect(status(&app, paid) == "ACSC")
        let bodies = try app.state.webhooks.deliveries.map { delivery in
            try JSON(parsing: try #require(app.state.message(of: delivery, at: app.now)).body)
        }
        #expect(bodies.compactMap { $0["transactionStatus"] } == ["ACSC"])
    }

    @Test func `the end of the time to approve is notified once, and not after an approval`() throws {
        var app = try App(of: "berlin")
        let hook = "http://127.0.0.1:9/status"
        let (approved, late) = (pay(&app, "2.00", notify: hook), pay(&app, "3.00", notify: hook))
        _ = try app.state.decide(challenge: 1, approves: true, .usual, at: app.now)
        #expect(app.state.nextDue == app.now + .seconds(300))
        var restarted = app.state
        try restarted.restore(image: app.state.image)

        app.now = app.now + .seconds(300)
        for var state in [app.state, restarted] {
            state.settle(at: app.now)
            let isNew = state.announceEnded()
            let isAgain = state.announceEnded()

            #expect(isNew && !isAgain)
            let delivery = try #require(state.webhooks.deliveries.last)
            let body = try JSON(parsing: try #require(state.message(of: delivery, at: app.now)).body)
            #expect(body["paymentId"] == late.json["paymentId"])
            #expect(body["transactionStatus"] == "RJCT")
        }
        #expect(status(&app, approved) == "ACSC")
        #expect(status(&app, late) == "RJCT")
    }

    @Test func `without a customer, or if the app prefers the page, the payment is authorised there`() throws {
        var app = try App(of: "berlin")
        let home = ("TPP-Redirect-URI", "counterfoil-app:/callback")

        for headers in [[home, ("TPP-Redirect-Preferred", "false")], [home, ("TPP-Redirect-Preferred", "true"), ("PSU-ID", "ava")]] {
            let paid = pay(&app, "1.00", headers)
            #expect(paid.header("ASPSP-SCA-Approach") == "REDIRECT")
            #expect(paid.json.at("_links.scaRedirect.href") != nil)
        }
        #expect(app.state.challenges.all.isEmpty)
        for login in ["nobody", "cleo"] {
            let rejected = pay(&app, "1.00", [("TPP-Redirect-Preferred", "false"), ("PSU-ID", login)])
            #expect(rejected.status == 401)
            #expect(rejected.json["tppMessages"]?.array?.first?["code"] == "PSU_CREDENTIALS_INVALID")
        }
        #expect(app.state.challenges.all.isEmpty, "what was rejected is undone")
    }

    @Test func `the state of a decision is shown under its own payment only, and no page decides it`() throws {
        var app = try App(of: "berlin")
        let (first, second) = (pay(&app, "1.00"), pay(&app, "2.00"))
        let id = try #require(second.json["paymentId"]?.string)

        #expect(scaStatus(&app, first) == "started")
        #expect(app.get("\(Self.payments)/\(id)/authorisations/challenge-1").status == 404)
        #expect(app.get("\(Self.payments)/none/authorisations/challenge-1").status == 404)
        #expect(app.get("\(Self.payments)/\(id)/authorisations/challenge-9").status == 404)
        #expect(app.get("/authorize?challenge=challenge-1").status == 400)
        #expect(app.get("/authorize?payment=\(id)").status == 400, "it has no address to return to")
    }

    @Test func `the authorisations of a payment are listed, in the app and on the page`() throws {
        var app = try App(of: "berlin")
        let (elsewhere, onPage) = (pay(&app, "1.00"), pay(&app, "1.00", [("TPP-Redirect-URI", "counterfoil-app:/callback")]))
        func path(_ payment: BankResponse) -> String { "\(Self.payments)/\(payment.json["paymentId"]?.string ?? "")/authorisations" }
        func sca() -> String? { app.get("\(path(onPage))/challenge-0").json["scaStatus"]?.string }

        #expect(app.get(path(elsewhere)).json["authorisationIds"] == ["challenge-1"])
        #expect(app.get(path(onPage)).json["authorisationIds"] == ["challenge-0"])
        #expect(app.get("\(path(elsewhere))/challenge-0").status == 404)
        #expect(app.get("\(Self.payments)/none/authorisations").status == 404)
        #expect(sca() == "started")
        let page = app.get(String((onPage.json.at("_links.scaRedirect.href")?.string ?? "").dropFirst("http://bank".count)))
        _ = try app.decide(page, at: "/authorize")
        #expect(sca() == "finalised")
    }

    @Test(arguments: [("approve", "finalised"), ("deny", "failed")])
    func `the authorisation of a consent shows what its customer has decided`(_ decision: String, _ status: String) throws {
        var app = try App(of: "berlin")
        let asked = app.send(
            "POST", "/v1/consents", [JournalEntry.Header("TPP-Redirect-URI", "counterfoil-app:/callback")],
            #"{"access": {"accounts": []}, "validUntil": "2026-12-31"}"#)
        let path = "/v1/consents/\(try #require(asked.json["consentId"]?.string))/authorisations"

        #expect(app.get(path).json["authorisationIds"] == ["challenge-0"])
        #expect(app.get("\(path)/challenge-0").json["scaStatus"] == "started")
        let page = app.get(String((asked.json.at("_links.scaRedirect.href")?.string ?? "").dropFirst("http://bank".count)))
        _ = try app.decide(page, decision, at: "/authorize")
        #expect(app.get("\(path)/challenge-0").json["scaStatus"]?.string == status)
        #expect(app.get("\(path)/challenge-1").status == 404)
        #expect(app.get("/v1/consents/none/authorisations").status == 404)
    }

    @Test func `it survives a restart`() throws {
        var app = try App(of: "berlin")
        let paid = pay(&app, "3.00")
        var restored = try App(of: "berlin")
        try restored.state.restore(image: app.state.image)

        _ = try restored.state.decide(challenge: 1, approves: true, .usual, at: restored.now)

        #expect(status(&restored, paid) == "ACSC")
    }

    @Test(arguments: [
        (
            "    insert: &payment\n      payments:\n        paymentId:", "    insert: &payment\n      consents:\n        consentId:",
            "found `decoupled`, expected `insert` beside it"
        ),
        (
            "    challenge: {id: {path: authorisationId}, consent: {payments: {path: paymentId}}}",
            "    challenge: {id: {path: authorisationId}}", "found a challenge in an open operation"
        ),
        ("consent: {payments: {path: paymentId}}", "consent: {payees: {path: paymentId}}", "a table of `consents`"),
        ("    challenge: {consent: {payments: {path: paymentId}}}", "    challenge: {code: {query: code}}", "`consent` without `code`"),
        ("{pending: started, ", "{open: started, ", "found `open`"),
    ])
    func `a mistake in the bank's file is reported`(_ old: String, _ new: String, _ complaint: String) throws {
        let error = #expect(throws: (any Error).self) { try App(of: "berlin", changing: [(old, new)]) }

        #expect("\(error.map { "\($0)" } ?? "")".contains(complaint))
    }
}
