import BankCore
import BankModel
import Testing

/// Tokens that are bound to the client's TLS certificate (RFC 8705 §3).
@Suite struct CertificateBindingTests {
    private func app(_ mtls: String) throws -> App {
        try App(changing: [("  dpop: {use: accepted}", "  mtls: \(mtls)\n  dpop: {use: accepted}")])
    }

    private func read(_ app: inout App, _ access: String?) -> BankResponse {
        app.get("/v1/accounts", [JournalEntry.Header("Authorization", "Bearer \(access ?? "")")])
    }

    @Test func `a token is valid with the certificate that it was issued with`() throws {
        var app = try app("accepted")
        app.certificate = "first"
        let response = app.token(App.exchange(try app.code()))
        #expect(response.json["token_type"] == "Bearer", "\(response.text)")
        let access = response.json["access_token"]?.string
        #expect(read(&app, access).status == 200)

        for other in ["second", nil] {
            app.certificate = other
            let rejected = read(&app, access)
            #expect(rejected.status == 401 && rejected.name == nil)
            #expect(rejected.header("WWW-Authenticate")?.hasPrefix("Bearer error=\"invalid_token\"") == true)
        }
        try app.state.restore(image: app.state.image)
        #expect(read(&app, access).status == 401)
        app.certificate = "first"
        #expect(read(&app, access).status == 200)
    }

    @Test func `a client without a certificate gets a plain token, or none`() throws {
        var accepted = try app("accepted")
        let response = accepted.token(App.exchange(try accepted.code()))
        accepted.certificate = "any"
        #expect(read(&accepted, response.json["access_token"]?.string).status == 200)

        var required = try app("required")
        let code = try required.code()
        let rejected = required.token(App.exchange(code))
        #expect(rejected.status == 400 && rejected.json["error"] == "invalid_request", "\(rejected.text)")
        required.certificate = "first"
        #expect(required.token(App.exchange(code)).status == 200)
    }

    @Test func `a public client's refresh token is bound too`() throws {
        var app = try app("accepted")
        app.certificate = "first"
        let tokens = app.token(App.exchange(try app.code()))
        let form = [("grant_type", "refresh_token"), ("refresh_token", tokens.json["refresh_token"]?.string ?? "")]
        app.certificate = "second"
        #expect(app.token(form).json["error"] == "invalid_grant")
        app.certificate = "first"
        #expect(app.token(form).status == 200)
    }

    @Test func `a bank that asks for none binds to none`() throws {
        var app = try App()
        app.certificate = "first"
        let response = app.token(App.exchange(try app.code()))
        app.certificate = nil
        #expect(read(&app, response.json["access_token"]?.string).status == 200)
    }
}
