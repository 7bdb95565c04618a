import BankCore
import BankModel
import Testing

/// What a bank does with a used refresh token, the forms of `expires_in`, and tokens of clients themselves.
@Suite struct RefreshUseTests {
    private func app(_ rotation: String) throws -> App { try App(changing: [("refresh: 30d}", "refresh: 30d, rotation: \(rotation)}")]) }

    private func signIn(_ app: inout App) -> String {
        let response = app.token([("grant_type", "password"), ("username", "ava"), ("password", "correct-horse")])
        return response.json["refresh_token"]?.string ?? ""
    }

    private func refresh(_ app: inout App, _ token: String) -> BankResponse {
        app.token([("grant_type", "refresh_token"), ("refresh_token", token)])
    }

    @Test func `a token that stays can be used again, and no other is given`() throws {
        var app = try app("never")
        let token = signIn(&app)

        for _ in 1...3 {
            let response = refresh(&app, token)
            #expect(response.status == 200)
            #expect(response.json["refresh_token"] == nil)
            #expect(app.status(response.json["access_token"]?.string) == 200)
        }
        app.now = app.now + .seconds(30 * 86_400)
        #expect(refresh(&app, token).json["error"] == "invalid_grant")
    }

    @Test func `a grace time counts from the first use`() throws {
        var app = try app("{grace: 10s}")
        let token = signIn(&app)

        let first = refresh(&app, token)
        app.now = app.now + .seconds(9)
        let second = refresh(&app, token)
        app.now = app.now + .seconds(1)
        let third = refresh(&app, token)

        #expect(first.status == 200 && second.status == 200)
        #expect(first.json["refresh_token"] != second.json["refresh_token"])
        #expect(third.json["error"] == "invalid_grant")
        #expect(app.status(second.json["access_token"]?.string) == 401, "reuse ends all tokens of the sign-in")
    }

    @Test(arguments: [("{joined: [{token: lifetime}]}", JSON.string("900")), ("null", .null)])
    func `the lifetime may be a text or nothing`(written: String, sent: JSON) throws {
        var app = try App(changing: [("expires_in: {token: lifetime}", "expires_in: \(written)")])

        #expect(app.token(App.exchange(try app.code())).json["expires_in"] == sent)
    }

    @Test func `the lifetime may be missing`() throws {
        var app = try App(changing: [("      expires_in: {token: lifetime}\n", "")])

        let tokens = app.token(App.exchange(try app.code())).json

        #expect(tokens["access_token"] != nil && tokens["expires_in"] == nil)
    }

    @Test func `a client with a secret gets a token of its own, which sees no customer's rows`() throws {
        let operation = """
              clientToken:
                request: POST /oauth/token
                when: {form: {grant_type: client_credentials}}
                open: true
                takes: {form: []}
                grant: {client: {scope: {form: scope}}}
                reply: {access_token: {token: access}, refresh_token: {token: refresh}, scope: {token: scope}}
                refuse:
                  invalid-client: {status: 401, body: {error: invalid_client}}
                  unauthorized-client: {status: 400, body: {error: unauthorized_client}}
                  invalid-scope: {status: 400, body: {error: invalid_scope}}
              missingGrant:
            """
        var app = try App(changing: [("  missingGrant:\n", operation + "\n")])
        let form: [FormField] = [("grant_type", "client_credentials"), ("scope", "accounts")]

        let response = app.token(form, basic("web", "web-secret"))

        #expect(response.json["scope"] == "accounts")
        #expect(response.json["refresh_token"] == nil)
        let header = JournalEntry.Header("Authorization", "Bearer \(response.json["access_token"]?.string ?? "")")
        let accounts = app.get("/v1/accounts", [header])
        #expect(accounts.status == 200)
        #expect(accounts.json["accounts"] == [])
        #expect(app.token(form.with("scope", "admin"), basic("web", "web-secret")).json["error"] == "invalid_scope")
        #expect(app.token(form, basic("web", "wrong")).json["error"] == "invalid_client")
        #expect(app.token(form + [("client_id", "app")]).json["error"] == "unauthorized_client")
    }
}
