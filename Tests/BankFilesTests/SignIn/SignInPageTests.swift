import BankCore
import BankModel
import Testing

/// The page of the sign-in, and the decisions of its user.
@Suite struct SignInPageTests {
    @Test func `the page is a form that password managers know, without a script`() throws {
        var app = try App()

        let page = app.open()

        #expect(page.header("Content-Type") == "text/html; charset=utf-8")
        for part in [
            #"<label for="username">"#, #"id="username" name="username" type="text" autocomplete="username""#, #"<label for="password">"#,
            #"id="password" name="password" type="password" autocomplete="current-password""#,
            #"name="decision" value="approve""#, #"name="decision" value="deny" formnovalidate"#,
            #"name="decision" value="cancel" formnovalidate"#, "width=device-width",
            "<li>accounts</li><li>offline_access</li>", "Example app",
        ] { #expect(page.text.contains(part), "\(part)") }
        #expect(!page.text.contains("<script") && !page.text.contains("http://bank"))
    }

    @Test func `the page cannot be framed and is not kept`() throws {
        var app = try App()

        for page in [app.open(), app.open([])] {
            let policy = try #require(page.header("Content-Security-Policy"))
            #expect(policy.contains("frame-ancestors 'none'") && policy.contains("default-src 'none'"))
            #expect(page.header("X-Frame-Options") == "DENY")
            #expect(page.header("Cache-Control") == "no-store")
            #expect(page.header("Referrer-Policy") == "no-referrer")
        }
    }

    @Test(arguments: [
        ("ava", "not-hers", "is wrong"), ("zoe", "correct-horse", "is wrong"), ("", "", "is wrong"), ("cleo", "lost-umbrella", "is locked"),
    ])
    func `the page shows a wrong sign-in, and it can be repeated`(login: String, password: String, words: String) throws {
        var app = try App()
        let page = app.open()

        let again = try app.decide(page, login: login, password: password)

        #expect(again.status == 400)
        #expect(again.text.contains(words))
        #expect(password.isEmpty || !again.text.contains(password))
        #expect(again.header("Location") == nil)
        #expect(try app.decide(again).redirected["code"] != nil)
    }

    @Test(arguments: [("deny", Authorization.Stage.denied), ("cancel", .abandoned)])
    func `a denied or cancelled sign-in is reported to the client, without a password`(button: String, stage: Authorization.Stage) throws {
        var app = try App()

        let answer = try app.decide(app.open(), button, login: "", password: "")

        #expect(answer.redirect == "counterfoil-app:/callback")
        #expect(answer.redirected["error"] == "access_denied")
        #expect(answer.redirected["state"] == "s1" && answer.redirected["iss"] == "http://bank")
        #expect(answer.redirected["code"] == nil)
        #expect(app.state.tokens.tokens.isEmpty)
        #expect(app.state.authorizations.all.map(\.stage) == [stage])
    }

    @Test func `a fault makes the page return with an error, at once or when its form is sent`() throws {
        var app = try App()
        let later = ReadAlteration.failedSignIn(.temporarilyUnavailable, "Later.")

        let atOnce = try app.execute(BankRequest("GET", "/oauth/authorize", query: formEncoded(App.asked)), later)
        let page = app.open()
        let form: [FormField] = [
            ("csrf_token", try App.formValue(page)), ("username", "ava"), ("password", "correct-horse"), ("decision", "approve"),
        ]
        let sent = try app.execute(BankRequest("POST", "/oauth/authorize", body: Array(formEncoded(form).utf8)), later)

        for answer in [atOnce, sent] {
            #expect(answer.status == 303)
            #expect(answer.redirect == "counterfoil-app:/callback")
            #expect(answer.redirected.all.map(\.name) == ["error", "error_description", "state", "iss"])
            #expect(answer.redirected["error"] == "temporarily_unavailable")
        }
        #expect(app.state.authorizations.all.map(\.stage) == [.abandoned, .abandoned])
        #expect(app.state.tokens.tokens.isEmpty)
        #expect(app.post("/oauth/authorize", form).status == 400, "the form has ended")
        let bare = try app.execute(
            BankRequest("GET", "/oauth/authorize", query: formEncoded(App.asked)), .failedSignIn(.serverError, nil))
        #expect(bare.redirected.all.map(\.name) == ["error", "state", "iss"])
        let unknown = try app.execute(BankRequest("GET", "/oauth/authorize", query: "client_id=nobody"), later)
        #expect(unknown.status == 400 && unknown.redirect == nil)
    }

    @Test func `a form counts once, for ten minutes, and from this page only`() throws {
        var app = try App()
        let page = app.open()
        let value = try App.formValue(page)
        let form: [FormField] = [("csrf_token", value), ("username", "ava"), ("password", "correct-horse"), ("decision", "approve")]
        let other = [JournalEntry.Header("Sec-Fetch-Site", "cross-site")]

        #expect(app.post("/oauth/authorize", form, other).status == 403)
        #expect(app.post("/oauth/authorize", form.with("csrf_token", nil)).status == 400)
        #expect(app.post("/oauth/authorize", form.with("csrf_token", value + "a")).status == 400)
        #expect(app.post("/oauth/authorize", form + [("decision", "deny")]).status == 400)
        #expect(app.post("/oauth/authorize", form.with("decision", "maybe")).status == 400)
        #expect(app.state.tokens.tokens.isEmpty)
        #expect(app.post("/oauth/authorize", form).status == 303)
        #expect(app.post("/oauth/authorize", form).header("Location") == nil)
        let (last, late) = (app.open(), app.open())
        app.now = app.now + .seconds(599)
        #expect(try app.decide(last).redirected["code"] != nil)
        app.now = app.now + .seconds(1)
        #expect(try app.decide(late).header("Location") == nil)
    }

    @Test(arguments: [
        (["Origin": "https://evil.example"], 403), (["Origin": "http://bank.evil.example"], 403), (["Origin": "http://bank:81"], 403),
        (["Origin": "https://evil.example", "Host": "bank"], 403), (["Origin": "http://bank"], 303), (["Origin": "HTTP://BANK"], 303),
        (["Origin": "null"], 303), (["Origin": "http://localhost:8080", "Host": "localhost:8080"], 303),
        (["Origin": "https://bank.example", "Host": "bank.example"], 303),
        (["Origin": "https://bank.example", "Sec-Fetch-Site": "same-origin"], 303),
        (["Origin": "http://bank", "Sec-Fetch-Site": "cross-site"], 403), (["Origin": "null", "Sec-Fetch-Site": "same-site"], 403),
    ])
    func `a form of another site is rejected by its origin, too`(_ sent: [String: String], _ status: Int) throws {
        var app = try App()
        let form: [FormField] = [
            ("csrf_token", try App.formValue(app.open())), ("username", "ava"), ("password", "correct-horse"), ("decision", "approve"),
        ]

        let response = app.post("/oauth/authorize", form, sent.map { JournalEntry.Header($0.key, $0.value) })

        #expect(response.status == status)
        #expect(app.state.tokens.tokens.isEmpty == (status == 403))
    }

    @Test func `the request's values are escaped on the page`() throws {
        var app = try App()

        let page = app.open(App.asked + [("login_hint", "\"><script>alert(1)</script>")])

        #expect(page.status == 200)
        #expect(page.text.contains("&quot;&gt;&lt;script&gt;"))
        #expect(!page.text.contains("<script"))
    }

    @Test func `a magic password gives the response that it names`() throws {
        var app = try App()

        #expect(try app.decide(app.open(), password: "error_maintenance").status == 503)
    }

    @Test func `a test decides in the customer's place`() throws {
        var app = try App()
        _ = (app.open(), app.open(), app.open())

        let approved = try #require(try app.state.decide(1, .approve, login: "ben", at: app.now).address)
        #expect(try app.state.decide(3, .abandon, at: app.now).address == nil)

        #expect(approved.hasPrefix("counterfoil-app:/callback?code=cf_app_"))
        #expect(app.state.authorizations.all.map(\.stage) == [.approved, .pending, .abandoned])
        #expect(app.state.authorizations[1]?.customer == "ben")
        #expect(throws: AuthorizationError.decided(1, .approved)) { try app.state.decide(1, .deny, at: app.now) }
        #expect(throws: AuthorizationError.unknown(4, known: 3)) { try app.state.decide(4, .deny, at: app.now) }
        #expect(throws: AuthorizationError.unknown(.min, known: 3)) { try app.state.decide(.min, .deny, at: app.now) }
        #expect(throws: AuthorizationError.self) { try app.state.decide(2, .approve, login: "nobody", at: app.now) }
    }

    @Test func `a session may approve by itself, if it was made so`() throws {
        var (plain, auto) = (try App(), try App(metadata: SessionMetadata(approvesAlone: true)))
        let asked = App.asked + [("auto", "approve"), ("login_hint", "ben")]

        #expect(plain.open(asked).status == 200)
        let answer = auto.open(asked)
        #expect(answer.status == 303)
        #expect(auto.token(App.exchange(try #require(answer.redirected["code"]))).status == 200)
        #expect(auto.state.authorizations[1]?.customer == "ben")
        #expect(auto.open().status == 200, "only if the address demands it")
    }
}
