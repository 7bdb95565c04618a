import BankCore
import BankModel
import Testing

/// Every parameter of the sign-in missing, doubled, too long and wrongly encoded: an error of the RFC, never a 500, and no redirect to an
/// address that is not the client's.
@Suite struct SignInInputTests {
    private static let long = String(repeating: "a", count: 2049)

    /// Redirect addresses that are not the client's, byte for byte.
    static let foreign = [
        "https://evil.example/", "//evil.example", "counterfoil-app:/callback/", "counterfoil-app:/callback?x=1",
        "counterfoil-app:/Callback",
        "COUNTERFOIL-APP:/callback", "counterfoil-app:/callback#x", "counterfoil-app://callback", "counterfoil-app:/callback\u{301}",
        "counterfoil-app:/callback\r\nSet-Cookie: a=b", " counterfoil-app:/callback", "https://web.example/callback", "javascript:alert(1)",
        "http://localhost/callback", "http://127.0.0.1:0/callback", "http://127.0.0.1:65536/callback", "http://127.0.0.1:/callback",
        "http://127.0.0.1:80@evil.example/callback", "http://127.0.0.1.evil.example/callback", "http://127.0.0.1:80.evil.example/callback",
        "http://127.0.0.1@evil.example/callback", "http://127.0.0.2:80/callback", "https://127.0.0.1:80/callback",
        "http://127.0.0.1:80/callback/../other", "http://127.0.0.1:+80/callback", "http://127.0.0.1:８０/callback",
    ]

    @Test(arguments: foreign)
    func `nothing is redirected to an address that the client has not registered`(address: String) throws {
        var app = try App()

        for asked in [App.asked.with("redirect_uri", address), App.asked.with("redirect_uri", address).with("response_type", "token")] {
            let response = app.open(asked)
            #expect(response.status == 400)
            #expect(response.header("Location") == nil)
            #expect(response.header("Content-Type") == "text/html; charset=utf-8")
            #expect(!response.text.contains("evil"))
        }
        #expect(app.state.authorizations.all.isEmpty)
    }

    @Test func `the parameter that identifies the client's address must be there once`() throws {
        var app = try App()

        for asked in [
            App.asked.with("client_id", nil), App.asked.with("client_id", ""), App.asked.with("client_id", "nobody"),
            App.asked.with("client_id", SignInInputTests.long), App.asked.with("redirect_uri", nil), App.asked.with("redirect_uri", ""),
            App.asked + [("client_id", "app")], App.asked + [("redirect_uri", "counterfoil-app:/callback")], [],
        ] {
            let response = app.open(asked)
            #expect(response.status == 400 && response.header("Location") == nil, "\(asked)")
        }
    }

    /// The error of RFC 6749 §4.1.2.1 for a wrong value; nil leaves the parameter out.
    static let wrong: [(name: String, value: String?, error: String)] = [
        ("response_type", nil, "invalid_request"), ("response_type", "", "invalid_request"),
        ("response_type", "token", "unsupported_response_type"),
        ("response_type", "code id_token", "unsupported_response_type"), ("response_type", long, "invalid_request"),
        ("scope", "admin", "invalid_scope"), ("scope", "accounts  admin", "invalid_scope"), ("scope", "Accounts", "invalid_scope"),
        ("scope", long, "invalid_request"), ("code_challenge", nil, "invalid_request"), ("code_challenge", "", "invalid_request"),
        ("code_challenge", "short", "invalid_request"), ("code_challenge", App.challenge + "a", "invalid_request"),
        ("code_challenge", String(App.challenge.dropLast()) + "=", "invalid_request"), ("code_challenge", long, "invalid_request"),
        ("code_challenge_method", nil, "invalid_request"), ("code_challenge_method", "plain", "invalid_request"),
        ("code_challenge_method", "s256", "invalid_request"), ("response_mode", "fragment", "invalid_request"),
        ("prompt", "none", "login_required"), ("state", long, "invalid_request"), ("request", "e30.e30.", "request_not_supported"),
        ("login_hint", long, "invalid_request"), ("state", "a\u{0}b", "invalid_request"), ("state", "a\r\nb", "invalid_request"),
        ("state", "a\u{7f}", "invalid_request"), ("state", "caf\u{e9}", "invalid_request"), ("max_age", "-1", "invalid_request"),
        ("max_age", "1.5", "invalid_request"), ("max_age", "soon", "invalid_request"), ("max_age", long, "invalid_request"),
    ]

    @Test(arguments: wrong)
    func `a wrong parameter is an error that the client gets`(name: String, value: String?, error: String) throws {
        var app = try App()

        let response = app.open(App.asked.with(name, value))

        #expect(response.status == 303)
        #expect(response.redirect == "counterfoil-app:/callback")
        #expect(response.redirected["error"] == error)
        #expect(response.redirected["state"] == (name == "state" ? nil : "s1"))
        #expect(response.redirected["iss"] == "http://bank")
        let words = try #require(response.redirected["error_description"])
        // RFC 6749 §4.1.2.1: no quote and no backslash.
        #expect(words.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        #expect(app.state.authorizations.all.isEmpty)
    }

    @Test func `a request object is read neither on the page nor in a pushed request`() throws {
        var app = try App()
        let pushed = app.post("/oauth/par", App.asked.with("request", "e30.e30."))
        #expect(pushed.status == 400 && pushed.json["error"] == "request_not_supported")
        #expect(app.open(App.asked.with("request", "")).status == 200, "an empty parameter counts as absent")
        #expect(app.get("/.well-known/openid-configuration").json["request_parameter_supported"] == .bool(false))
    }

    @Test(arguments: ["state", "login_hint", "nonce"])
    func `a parameter of 2,048 bytes is taken`(name: String) throws {
        var app = try App()
        let asked = App.asked.with(name, String(repeating: "a", count: 2048))

        #expect(app.open(asked).status == 200)
        #expect(app.post("/oauth/par", asked).status == 201)
    }

    @Test(arguments: ["0", "3600", "", "99999999999999999999"])
    func `any max_age is satisfied: the customer signs in on each page`(seconds: String) throws {
        var app = try App()

        #expect(app.open(App.asked.with("max_age", seconds)).status == 200)
        #expect(app.post("/oauth/par", App.asked.with("max_age", seconds)).status == 201)
    }

    @Test(arguments: ["response_type", "scope", "state", "code_challenge", "code_challenge_method", "max_age"])
    func `a doubled parameter is an error that the client gets`(name: String) throws {
        var app = try App()
        let asked = App.asked.with("max_age", "60")

        let response = app.open(asked + asked.filter { $0.name == name })

        #expect(response.redirect == "counterfoil-app:/callback")
        #expect(response.redirected["error"] == "invalid_request")
    }

    @Test(arguments: ["%", "%4", "%zz", "%FF", "%C3%28"])
    func `a broken escape is an error`(broken: String) throws {
        var app = try App()

        for (name, _) in App.asked {
            let query = formEncoded(App.asked.with(name, nil)) + "&\(name)=\(broken)"
            let response = app.get("/oauth/authorize?\(query)")
            let isShown = ["client_id", "redirect_uri"].contains(name)
            #expect(response.status == (isShown ? 400 : 303), "\(name)")
            #expect(response.redirected["error"] == (isShown ? nil : "invalid_request"), "\(name)")
        }
        #expect(app.get("/oauth/authorize?\(formEncoded(App.asked))&x=\(broken)").redirected["error"] == "invalid_request")
        #expect(app.send("POST", "/oauth/authorize", [], "csrf_token=\(broken)").status == 400)
        for form in ["grant_type=authorization_code&code=\(broken)&client_id=app", "grant_type=authorization_code&code=a&x=\(broken)"] {
            #expect(app.send("POST", "/oauth/token", [], form).json["error"] == "invalid_request")
        }
        #expect(app.send("POST", "/oauth/par", [], "client_id=app&x=\(broken)").json["error"] == "invalid_request")
    }

    @Test func `a state is repeated as it was, and encoded`() throws {
        var app = try App()
        let state = "a b&code=c#%0D%0A\"'\\~"

        let response = app.open(App.asked.with("state", state).with("scope", "admin"))

        let address = try #require(response.header("Location"))
        #expect(address.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
        #expect(response.redirected["code"] == nil)
        #expect(response.redirected["state"] == state)
    }

    @Test func `every field of the token request missing, doubled, empty and too long`() throws {
        var app = try App()
        let code = try app.code()
        let right = App.exchange(code)

        for (name, value) in right {
            let forms: [[FormField]] = [
                right.with(name, nil), right + [(name, value)], right.with(name, ""),
                right.with(name, String(repeating: "a", count: 100_000)),
                right.with(name, "\u{0}\u{e9}"),
            ]
            for (number, form) in forms.enumerated() {
                let response = app.token(form)
                #expect([400, 401].contains(response.status), "\(name) \(number)")
                let error = try #require(response.json["error"]?.string, "\(name) \(number)")
                #expect(
                    ["invalid_request", "invalid_grant", "invalid_client", "unsupported_grant_type"].contains(error), "\(name) \(number)")
                if number == 1 { #expect(error == "invalid_request", "\(name) doubled") }
            }
        }
        #expect(app.token(right).status == 200, "the code is still good")
    }
}
