import BankCore
import BankModel
import Testing

/// Pushed authorization requests: RFC 9126.
@Suite struct PushedRequestTests {
    private func address(_ response: BankResponse) throws -> String { try #require(response.json["request_uri"]?.string) }

    private func referring(to address: String, client: String = "app") -> [FormField] {
        [("client_id", client), ("request_uri", address)]
    }

    @Test func `a pushed request leads to the page, and counts instead of the query`() throws {
        var app = try App()
        let pushed = app.post("/oauth/par", App.asked)

        let page = app.open(referring(to: try address(pushed)) + [("scope", "payments"), ("redirect_uri", "https://evil.example")])
        let answer = try app.decide(page)
        let tokens = app.token(App.exchange(try #require(answer.redirected["code"])))

        #expect(pushed.status == 201)
        #expect(pushed.json["expires_in"] == 60)
        #expect(pushed.header("Cache-Control") == "no-store")
        #expect(try address(pushed).hasPrefix("urn:ietf:params:oauth:request_uri:"))
        #expect(answer.redirect == "counterfoil-app:/callback" && answer.redirected["state"] == "s1")
        #expect(tokens.json["scope"] == "accounts offline_access")
    }

    @Test func `a pushed request is its client's, for one use and one minute`() throws {
        var app = try App()
        let (first, second) = (try address(app.post("/oauth/par", App.asked)), try address(app.post("/oauth/par", App.asked)))
        let last = try address(app.post("/oauth/par", App.asked))

        #expect(app.open(referring(to: first, client: "web")).status == 400)
        #expect(app.open(referring(to: first + "a")).status == 400)
        #expect(app.open(referring(to: "https://evil.example/request")).status == 400)
        #expect(app.open(referring(to: first) + [("request_uri", first)]).status == 400)
        #expect(app.open(referring(to: first)).status == 200)
        #expect(app.open(referring(to: first)).status == 400)
        app.now = app.now + .seconds(59)
        #expect(app.open(referring(to: last)).status == 200)
        app.now = app.now + .seconds(1)
        #expect(app.open(referring(to: second)).status == 400)
    }

    @Test func `a client with a secret must authenticate`() throws {
        var app = try App()
        let asked: [FormField] = [("response_type", "code"), ("redirect_uri", "https://web.example/callback")]

        let rejected = app.post("/oauth/par", asked + [("client_id", "web")])

        #expect(rejected.status == 401 && rejected.json["error"] == "invalid_client")
        #expect(rejected.header("WWW-Authenticate") != nil)
        #expect(app.post("/oauth/par", asked, basic("web", "wrong")).status == 401)
        #expect(app.post("/oauth/par", asked, basic("web", "web-secret")).status == 201)
    }

    static let wrong: [(name: String, value: String?, error: String)] =
        SignInInputTests.wrong.filter { $0.name != "state" || $0.value != nil } + [
            ("redirect_uri", "https://evil.example/", "invalid_request"), ("redirect_uri", nil, "invalid_request"),
            ("request_uri", "urn:ietf:params:oauth:request_uri:a", "invalid_request"), ("client_id", nil, "invalid_request"),
            ("client_id", "nobody", "invalid_client"), ("client_secret", "x", "invalid_client"),
        ]

    @Test(arguments: wrong)
    func `a wrong parameter is an error in JSON`(name: String, value: String?, error: String) throws {
        var app = try App()

        let response = app.post("/oauth/par", App.asked.with(name, value))

        #expect(response.status == (error == "invalid_client" ? 401 : 400))
        #expect(response.json["error"]?.string == error)
        #expect(response.header("Content-Type") == "application/json")
        #expect(response.header("Location") == nil)
    }

    @Test(arguments: App.asked.map(\.name))
    func `a doubled parameter is an error`(name: String) throws {
        var app = try App()

        let response = app.post("/oauth/par", App.asked + App.asked.filter { $0.name == name })

        #expect(response.status == 400 && response.json["error"] == "invalid_request")
    }

    @Test func `a bank may accept pushed requests only`() throws {
        var app = try App(changing: [("  refresh_scope: offline_access", "  refresh_scope: offline_access\n  requires_pushed: true")])

        #expect(app.open().redirected["error"] == "invalid_request")
        #expect(app.open(referring(to: try address(app.post("/oauth/par", App.asked)))).status == 200)
    }
}
