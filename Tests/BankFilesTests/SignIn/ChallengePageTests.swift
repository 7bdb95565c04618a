import BankCore
import BankModel
import Testing

/// Step-up on the bank's page: the customer signs in there, and decides the challenged request.
@Suite struct ChallengePageTests {
    /// What the app adds to the address of the page.
    private static let back: [FormField] = [("client_id", "app"), ("redirect_uri", "counterfoil-app:/callback"), ("state", "s2")]

    /// A client whose payment is challenged.
    private func challenged() throws -> Payer {
        var payer = try Payer(.redirect)
        _ = payer.pay()
        return payer
    }

    /// Opens the page of a challenge.
    private func open(_ payer: inout Payer, _ number: Int = 1, _ more: [FormField] = ChallengePageTests.back) -> BankResponse {
        payer.app.open([("challenge", "challenge-\(number)")] + more)
    }

    @Test func `the response names a page, which needs no script`() throws {
        var payer = try Payer(.redirect)
        let challenged = payer.pay()
        #expect(challenged.status == 403)
        #expect(challenged.json["challenge_kind"] == "redirect")
        #expect(challenged.json["challenge_url"] == "http://bank/oauth/authorize?challenge=challenge-1")
        #expect(challenged.json["attempts_left"] == nil)
        #expect(payer.send("GET", "/v1/challenges/challenge-1").json["url"] == challenged.json["challenge_url"])
        #expect(payer.answer("0000").status == 400, "it takes no code")

        let page = open(&payer)

        #expect(page.status == 200)
        for part in [
            "Example app", "<strong>payments</strong>", #"name="username""#, #"name="password""#, #"name="decision" value="approve""#,
            #"name="decision" value="deny">"#, #"name="decision" value="cancel" formnovalidate"#,
        ] { #expect(page.text.contains(part), "\(part)") }
        #expect(!page.text.contains("<script") && !page.text.contains("value=\"ava\""))
        #expect(page.header("Content-Security-Policy")?.contains("frame-ancestors 'none'") == true)
    }

    @Test func `an approval executes the payment once, under its key, and returns to the app`() throws {
        var payer = try challenged()
        let (page, second) = (open(&payer), open(&payer))

        let answer = try payer.app.decide(page)

        #expect(answer.status == 303)
        #expect(answer.redirect == "counterfoil-app:/callback")
        #expect(answer.redirected["challenge"] == "challenge-1" && answer.redirected["state"] == "s2")
        #expect(answer.redirected["iss"] == "http://bank" && answer.redirected["code"] == nil)
        #expect(payer.app.state.ledger.movements.map(\.key) == ["k1"])
        #expect(payer.pay().replayed)
        for old in [page, second] {
            let again = try payer.app.decide(old)
            #expect(again.status == 400 && again.header("Location") == nil)
        }
        #expect(payer.state() == "approved")
        #expect(payer.payments == 1)
        #expect(payer.app.state.consents.isEmpty, "the customer has not signed in to the app")
        #expect(payer.app.state.audit(at: payer.app.now).isEmpty)
    }

    @Test(arguments: [("deny", "correct-horse", "denied", 400), ("cancel", "", "pending", 200)])
    func `a customer denies, or cancels and leaves the challenge as it is`(
        _ decision: String, _ password: String, _ state: String, _ next: Int
    ) throws {
        var payer = try challenged()
        let page = open(&payer)

        let answer = try payer.app.decide(page, decision, password: password)

        #expect(answer.redirect == "counterfoil-app:/callback")
        #expect(answer.redirected["challenge"] == "challenge-1" && answer.redirected["state"] == "s2")
        #expect(payer.state() == state)
        #expect(payer.payments == 0)
        let again = open(&payer)
        #expect(again.status == next)
    }

    @Test(arguments: [
        ("ava", "not-hers", "is wrong"), ("cleo", "lost-umbrella", "is locked"), ("ben", "battery-staple", "another customer"),
    ])
    func `only its customer decides a request`(login: String, password: String, words: String) throws {
        var payer = try challenged()
        var page = open(&payer)

        for decision in ["approve", "deny"] {
            page = try payer.app.decide(page, decision, login: login, password: password)
            #expect(page.status == 400 && page.header("Location") == nil)
            #expect(page.text.contains(words) && !page.text.contains(password))
        }
        #expect(payer.state() == "pending")
        let answer = try payer.app.decide(page, choosing: true)
        #expect(answer.status == 303)
        #expect(payer.payments == 1)
    }

    @Test func `an expired challenge cannot be approved`() throws {
        var payer = try challenged()
        let page = open(&payer)
        payer.app.now = payer.app.now + .seconds(300)

        let (late, again) = (try payer.app.decide(page), open(&payer))

        #expect(late.status == 400 && again.status == 400)
        #expect(payer.state() == "expired")
        #expect(payer.payments == 0)
        #expect(payer.pay().json["challenge"] == "challenge-2")
    }

    @Test func `a forged form decides nothing`() throws {
        var payer = try challenged()
        let page = open(&payer)
        let value = try App.formValue(page)
        let form: [FormField] = [("csrf_token", value), ("username", "ava"), ("password", "correct-horse"), ("decision", "approve")]
        let other = [JournalEntry.Header("Sec-Fetch-Site", "cross-site")]

        #expect(payer.app.post("/oauth/authorize", form, other).status == 403)
        #expect(payer.app.post("/oauth/authorize", form.with("csrf_token", nil)).status == 400)
        #expect(payer.app.post("/oauth/authorize", form.with("csrf_token", value + "a")).status == 400)
        #expect(payer.app.post("/oauth/authorize", form.with("csrf_token", nil) + [("challenge", "challenge-1")]).status == 400)
        #expect(payer.app.post("/oauth/authorize", form + [("decision", "deny")]).status == 400)
        #expect(payer.app.post("/oauth/authorize", form.with("decision", "maybe")).status == 400)
        #expect(payer.state() == "pending")
        #expect(payer.payments == 0)
    }

    @Test func `the page returns to registered addresses only`() throws {
        var payer = try challenged()
        let back = ChallengePageTests.back
        let wrong: [[FormField]] = [
            back.with("redirect_uri", "https://evil.example/"), back.with("redirect_uri", "counterfoil-app:/callback/"),
            back.with("redirect_uri", nil), back + [("redirect_uri", "counterfoil-app:/callback")], back.with("client_id", nil),
            back.with("client_id", "other"), back + [("challenge", "challenge-1")],
        ]
        for more in wrong {
            let page = open(&payer, 1, more)
            #expect(page.status == 400 && page.header("Location") == nil, "\(more)")
            #expect(!page.text.contains("csrf_token"), "\(more)")
        }
        for number in [0, 2, Int.min, Int.max] {
            let page = open(&payer, number)
            #expect(page.status == 400 && page.header("Location") == nil, "\(number)")
        }
        #expect(payer.state() == "pending")
    }

    @Test func `without a client the page says that it is done`() throws {
        var payer = try challenged()
        let page = open(&payer, 1, [])

        let done = try payer.app.decide(page)

        #expect(page.text.contains("An app"))
        #expect(done.status == 200 && done.header("Location") == nil)
        #expect(done.text.contains("go back to the app"))
        #expect(payer.payments == 1)
    }

    @Test func `the page knows the client that signed in, and no other client may take its place`() throws {
        var payer = try Payer(.redirect)
        let code = try payer.app.code(App.asked.with("scope", "accounts payments"))
        payer.token = try #require(payer.app.token(App.exchange(code)).json["access_token"]?.string)
        #expect(payer.pay().status == 403)

        let other = open(&payer, 1, [("client_id", "web"), ("redirect_uri", "https://web.example/callback")])
        let loopback = open(&payer, 1, [("redirect_uri", "http://127.0.0.1:51004/callback")])
        let page = open(&payer, 1, [])

        #expect(other.status == 400)
        #expect(page.text.contains("Example app"))
        let cancelled = try payer.app.decide(loopback, "cancel")
        #expect(cancelled.redirect == "http://127.0.0.1:51004/callback")
        let answer = try payer.app.decide(page)
        #expect(answer.redirect == "counterfoil-app:/callback")
        #expect(answer.redirected["challenge"] == "challenge-1" && answer.redirected["state"] == nil)
        #expect(payer.payments == 1)
    }

    @Test func `a read is confirmed on the page`() throws {
        var payer = try Payer(.redirect)
        payer.app.now = payer.app.now + .seconds(301)
        #expect(payer.oldRows().status == 403)
        let page = open(&payer)

        let answer = try payer.app.decide(page)

        #expect(answer.status == 303)
        #expect(payer.oldRows().status == 200)
    }

    @Test func `page and payment survive a restart of the server`() throws {
        var payer = try challenged()
        let page = open(&payer)
        try payer.restart()

        let answer = try payer.app.decide(page)
        try payer.restart()

        #expect(answer.redirected["challenge"] == "challenge-1")
        #expect(payer.pay().replayed)
        #expect(payer.payments == 1)
    }

    @Test func `a test decides in the customer's place`() throws {
        var payer = try challenged()
        let now = payer.app.now
        let query = "challenge=challenge-1&client_id=web&state=s2"
        #expect(throws: AuthorizationError.unknownCustomer("ben", known: ["ava"])) {
            try payer.app.state.authorize(query, .approve, login: "ben", at: now)
        }

        let address = try payer.app.state.authorize(query, .approve, login: nil, at: now)

        #expect(address?.hasPrefix("https://web.example/callback?challenge=challenge-1&state=s2&iss=") == true)
        #expect(payer.payments == 1)
        _ = payer.pay(key: "k2")
        let page = open(&payer, 2)
        _ = try payer.app.state.decide(challenge: 2, approves: false, .usual, at: now)
        let late = try payer.app.decide(page)
        #expect(late.status == 400)
        #expect(payer.payments == 1)
    }

    @Test func `a bank without a sign-in page cannot use it`() throws {
        let error = #expect(throws: (any Error).self) {
            try App(changing: [
                ("challenges: {interval: 500ms}", "challenges: {kind: redirect}"),
                ("  signInPage: {request: GET /oauth/authorize, open: true, sign_in: page}\n", ""),
            ])
        }

        #expect("\(error.map { "\($0)" } ?? "")".contains("found `kind: redirect`, expected an operation with `sign_in: page`"))
    }
}
