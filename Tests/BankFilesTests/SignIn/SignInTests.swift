import BankCore
import BankModel
import Testing

/// Authorization code with PKCE on the model bank: RFC 6749 §4.1, RFC 7636, RFC 8252, RFC 9207.
@Suite struct SignInTests {
    @Test func `an approved sign-in gives a code, and the code gives tokens`() throws {
        var app = try App()

        let page = app.open()
        let answer = try app.decide(page)
        let tokens = app.token(App.exchange(try #require(answer.redirected["code"])))

        #expect(page.status == 200)
        #expect(answer.status == 303)
        #expect(answer.redirect == "counterfoil-app:/callback")
        #expect(answer.redirected["state"] == "s1")
        #expect(answer.redirected["iss"] == "http://bank")
        #expect(answer.header("Cache-Control") == "no-store")
        #expect(tokens.status == 200)
        #expect(tokens.json["token_type"] == "Bearer")
        #expect(tokens.json["expires_in"] == 900)
        #expect(tokens.json["scope"] == "accounts offline_access")
        #expect(app.status(tokens.json["access_token"]?.string) == 200)
        #expect(app.state.tokens.tokens.allSatisfy { $0.customer == "ava" })
    }

    @Test func `a code used twice ends what its first use gave`() throws {
        var app = try App()
        let code = try app.code()
        let first = app.token(App.exchange(code)).json
        let access = first["access_token"]?.string
        #expect(app.status(access) == 200)

        let second = app.token(App.exchange(code))

        #expect(second.status == 400)
        #expect(second.json["error"] == "invalid_grant")
        #expect(app.status(access) == 401)
        let refreshed = app.token([("grant_type", "refresh_token"), ("refresh_token", first["refresh_token"]?.string ?? "")])
        #expect(refreshed.json["error"] == "invalid_grant")
    }

    @Test(arguments: [(59, 200), (60, 400)])
    func `a code lives for a minute`(seconds: Int, status: Int) throws {
        var app = try App()
        let code = try app.code()
        app.now = app.now + .seconds(seconds)

        #expect(app.token(App.exchange(code)).status == status)
    }

    @Test func `a wrong request for a code leaves it to its client`() throws {
        var app = try App()
        let code = try app.code()
        let right = App.exchange(code)
        let otherVerifier = "\(App.verifier.dropLast())K"
        let wrong: [[FormField]] = [
            right.with("redirect_uri", "counterfoil-app:/callback/"), right.with("redirect_uri", nil),
            right.with("redirect_uri", "http://127.0.0.1/callback"), right.with("code_verifier", otherVerifier),
            right.with("code_verifier", App.challenge), right.with("code", "\(code)a"),
        ]
        for form in wrong {
            let response = app.token(form)
            #expect(response.status == 400 && response.json["error"] == "invalid_grant", "\(form)")
        }
        #expect(app.token(right.with("code_verifier", nil)).json["error"] == "invalid_request")
        #expect(app.token(right.with("client_id", "other")).json["error"] == "invalid_client")
        #expect(app.token(right.with("client_id", nil) + [], basic("web", "web-secret")).json["error"] == "invalid_grant")
        #expect(app.token(right).status == 200)
    }

    @Test func `codes are not those of another session with the same seed`() throws {
        var (first, second) = (try App(), try App())

        #expect(try first.code() != second.code())
    }

    @Test func `without its scope there is no refresh token`() throws {
        var app = try App()
        let code = try app.code(App.asked.with("scope", "accounts"))

        let tokens = app.token(App.exchange(code)).json

        #expect(tokens["access_token"] != nil)
        #expect(tokens["refresh_token"] == nil)
    }

    @Test func `a request without scopes gets those of tokens`() throws {
        var app = try App()
        let code = try app.code(App.asked.with("scope", nil))

        #expect(app.token(App.exchange(code)).json["scope"] == "accounts payments")
    }

    @Test func `a client with a secret authenticates to revoke its tokens`() throws {
        var app = try App()
        let address = "https://web.example/callback"
        let code = try app.code(App.asked.with("client_id", "web").with("redirect_uri", address))
        let tokens = app.token(App.exchange(code).with("client_id", nil).with("redirect_uri", address), basic("web", "web-secret")).json
        let access = tokens["access_token"]?.string
        let form: [FormField] = [("token", try #require(tokens["refresh_token"]?.string))]

        #expect(app.post("/oauth/revoke", form).json["error"] == "invalid_client")
        #expect(app.post("/oauth/revoke", form, basic("web", "wrong")).status == 401)
        #expect(app.post("/oauth/revoke", form + [("client_id", "app")]).json["error"] == "invalid_grant")
        #expect(app.status(access) == 200)
        #expect(app.post("/oauth/revoke", form, basic("web", "web-secret")).status == 200)
        #expect(app.status(access) == 401)
    }

    @Test func `a client that names itself authenticates to revoke an unknown token too`() throws {
        var app = try App()
        let unknown: [FormField] = [("token", "none")]

        #expect(app.post("/oauth/revoke", unknown, basic("web", "wrong")).json["error"] == "invalid_client")
        #expect(app.post("/oauth/revoke", unknown, basic("nobody", "secret")).status == 401)
        #expect(app.post("/oauth/revoke", unknown + [("client_id", "web")]).status == 401)
        #expect(app.post("/oauth/revoke", unknown + [("client_secret", "web-secret")]).status == 401)
        #expect(app.post("/oauth/revoke", unknown, basic("web", "web-secret")).status == 200)
        #expect(app.post("/oauth/revoke", unknown + [("client_id", "app")]).status == 200)
        #expect(app.post("/oauth/revoke", unknown).status == 200, "a public client need not name itself")
    }

    @Test func `a refresh token is its client's only`() throws {
        var app = try App()
        let refresh = try #require(app.token(App.exchange(try app.code())).json["refresh_token"]?.string)
        let form: [FormField] = [("grant_type", "refresh_token"), ("refresh_token", refresh)]

        #expect(app.token(form, basic("web", "web-secret")).json["error"] == "invalid_grant")
        #expect(app.token(form + [("client_id", "web")]).json["error"] == "invalid_client")
        let again = app.token(form + [("client_id", "app")])
        #expect(again.status == 200)
        #expect(again.json["scope"] == "accounts offline_access")
        #expect(app.token([form[0], ("refresh_token", again.json["refresh_token"]?.string ?? "")]).status == 200)
    }

    @Test(arguments: ["http://127.0.0.1:51004/callback", "http://127.0.0.1/callback", "http://127.0.0.1:1/callback"])
    func `a loopback address may have any port`(address: String) throws {
        var app = try App()

        let answer = try app.decide(app.open(App.asked.with("redirect_uri", address)))

        #expect(answer.redirect == address)
        let form = App.exchange(try #require(answer.redirected["code"])).with("redirect_uri", address)
        #expect(app.token(form).status == 200)
    }

    @Test func `a client with a secret authenticates as it is registered`() throws {
        var app = try App()
        let asked: [FormField] = [
            ("response_type", "code"), ("client_id", "web"), ("redirect_uri", "https://web.example/callback"),
            ("scope", "openid accounts"),
        ]
        let code = try app.code(asked)
        let form: [FormField] = [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", "https://web.example/callback")]
        let rejected: [(form: [FormField], headers: [JournalEntry.Header], status: Int, error: String)] = [
            (form, basic("web", "wrong"), 401, "invalid_client"), (form, basic("nobody", "web-secret"), 401, "invalid_client"),
            (form + [("client_id", "web")], [], 401, "invalid_client"),
            (form + [("client_id", "web"), ("client_secret", "web-secret")], [], 401, "invalid_client"),
            (form + [("client_secret", "web-secret")], basic("web", "web-secret"), 400, "invalid_request"),
            (form + [("client_id", "app")], basic("web", "web-secret"), 401, "invalid_client"),
            (form, [JournalEntry.Header("Authorization", "Basic !!")], 401, "invalid_client"),
            (form, basic("web", "web-secret") + basic("web", "web-secret"), 400, "invalid_request"),
            (form + [("code_verifier", App.verifier)], basic("web", "web-secret"), 400, "invalid_grant"),
            (form, [], 400, "invalid_request"),
        ]
        for request in rejected {
            let response = app.token(request.form, request.headers)
            #expect(response.status == request.status && response.json["error"]?.string == request.error, "\(request)")
            #expect((response.status == 401) == (response.header("WWW-Authenticate") != nil), "RFC 6749 §5.2")
        }

        #expect(app.token(form, basic("web", "web-secret")).status == 200)
    }

    @Test func `the client's secret may be in the form, if it is registered so`() throws {
        var app = try App(changing: [("secret: web-secret,", "secret: web-secret, authentication: client_secret_post,")])
        let code = try app.code([("response_type", "code"), ("client_id", "web")])
        let form: [FormField] = [("grant_type", "authorization_code"), ("code", code)]

        #expect(app.token(form, basic("web", "web-secret")).json["error"] == "invalid_client")
        #expect(app.token(form + [("client_id", "web"), ("client_secret", "web-secret")]).status == 200)
    }

    @Test func `the bank's own names of parameters`() throws {
        var app = try App(changing: [
            ("  refresh_scope: offline_access", "  refresh_scope: offline_access\n  parameters: {client_id: app_key}")
        ])

        #expect(app.open().status == 400)
        let page = app.open(App.asked.with("client_id", nil) + [("app_key", "app")])
        let code = try #require(try app.decide(page).redirected["code"])
        #expect(app.token(App.exchange(code).with("client_id", nil) + [("app_key", "app")]).status == 200)
    }
}
