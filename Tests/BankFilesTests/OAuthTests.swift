import BankCore
import BankFiles
import BankModel
import Testing

/// The token endpoints of the model bank: RFC 6749 §4.3, §5.2 and §6, RFC 7009, RFC 6750 §3.
@Suite struct OAuthTests {
    private func caller() throws -> Caller { try Caller(Shipped.library.load("counterfoil").bank, login: nil) }

    private func token(_ caller: inout Caller, _ form: String) -> BankResponse { caller.send("POST", "/oauth/token", body: form) }

    private func signIn(_ caller: inout Caller, _ rest: String = "") throws -> (access: String, refresh: String) {
        let json = token(&caller, "grant_type=password&username=ava&password=correct-horse" + rest).json
        return (try #require(json["access_token"]?.string), try #require(json["refresh_token"]?.string))
    }

    private func refresh(_ caller: inout Caller, _ refresh: String, _ rest: String = "") -> BankResponse {
        token(&caller, "grant_type=refresh_token&refresh_token=\(refresh)\(rest)")
    }

    private func status(_ caller: inout Caller, _ access: String) -> Int {
        caller.token = access
        return caller.send("GET", "/v1/accounts").status
    }

    static let rejected: [(form: String, error: String)] = [
        ("", "invalid_request"), ("username=ava&password=correct-horse", "invalid_request"),
        ("grant_type=client_credentials", "unsupported_grant_type"),
        ("grant_type=Password&username=ava&password=correct-horse", "unsupported_grant_type"),
        ("grant_type=password&username=ava", "invalid_request"), ("grant_type=password&password=correct-horse", "invalid_request"),
        ("grant_type=password&username=ava&password=", "invalid_request"),
        ("grant_type=password&username=ava&username=ben&password=correct-horse", "invalid_request"),
        ("grant_type=password&username=ava&password=wrong", "invalid_grant"),
        ("grant_type=password&username=zoe&password=correct-horse", "invalid_grant"),
        ("grant_type=password&username=ava&password=correct-horse&scope=admin", "invalid_scope"),
        ("grant_type=password&username=ava&password=correct-horse&scope=accounts+admin", "invalid_scope"),
        ("grant_type=refresh_token", "invalid_request"), ("grant_type=refresh_token&refresh_token=", "invalid_request"),
        ("grant_type=refresh_token&refresh_token=none", "invalid_grant"),
    ]

    @Test(arguments: rejected)
    func `a rejection has its error and is not stored`(_ form: String, _ error: String) throws {
        var caller = try caller()

        let response = token(&caller, form)

        #expect(response.status == 400)
        #expect(response.json["error"]?.string == error)
        #expect(response.header("Content-Type") == "application/json")
        #expect(response.header("Cache-Control") == "no-store")
        #expect(response.header("Pragma") == "no-cache")
        let words = try #require(response.json["error_description"]?.string)
        // %x20-21 / %x23-5B / %x5D-7E: no quote and no backslash (RFC 6749 §5.2).
        #expect(words.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        #expect(caller.state.tokens.tokens.isEmpty)
    }

    @Test func `a sign-in returns everything the client needs`() throws {
        var caller = try caller()

        let response = token(&caller, "grant_type=password&username=ava&password=correct-horse&scope=")

        #expect(response.status == 200)
        #expect(response.json["token_type"] == "Bearer")
        #expect(response.json["expires_in"] == 900)
        #expect(response.json["scope"] == "accounts payments", "an empty scope is as none")
        #expect(response.header("Cache-Control") == "no-store")
        #expect(response.header("Pragma") == "no-cache")
        #expect(status(&caller, try #require(response.json["access_token"]?.string)) == 200)
    }

    @Test func `a refresh token is good once and gives another`() throws {
        var caller = try caller()
        let first = try signIn(&caller)

        let second = refresh(&caller, first.refresh).json
        let third = refresh(&caller, try #require(second["refresh_token"]?.string))
        let access = try #require(second["access_token"]?.string)

        #expect(second["refresh_token"]?.string != first.refresh)
        #expect(access != first.access)
        #expect(third.status == 200)
        #expect(status(&caller, access) == 200)
        #expect(status(&caller, first.access) == 200, "an access token lives on beside its successor")
    }

    @Test func `a refresh token used again ends all that came of its sign-in`() throws {
        var caller = try caller()
        let first = try signIn(&caller)
        let other = try signIn(&caller)
        let second = refresh(&caller, first.refresh).json
        let access = try #require(second["access_token"]?.string)
        #expect(status(&caller, access) == 200)

        let again = refresh(&caller, first.refresh)

        #expect(again.status == 400)
        #expect(again.json["error"] == "invalid_grant")
        #expect(status(&caller, access) == 401)
        #expect(status(&caller, first.access) == 401)
        #expect(refresh(&caller, try #require(second["refresh_token"]?.string)).json["error"] == "invalid_grant")
        #expect(status(&caller, other.access) == 200, "another sign-in is another family")
        #expect(refresh(&caller, other.refresh).status == 200)
    }

    @Test func `a used refresh token ends its family also when it is over`() throws {
        var caller = try caller()
        let first = try signIn(&caller)
        caller.now = caller.now + .seconds(29 * 86_400)
        let second = refresh(&caller, first.refresh).json
        caller.now = caller.now + .seconds(2 * 86_400)

        _ = refresh(&caller, first.refresh)

        #expect(refresh(&caller, try #require(second["refresh_token"]?.string)).json["error"] == "invalid_grant")
    }

    @Test func `an access token is no refresh token and a refresh token no access token`() throws {
        var caller = try caller()
        let first = try signIn(&caller)

        #expect(refresh(&caller, first.access).json["error"] == "invalid_grant")
        #expect(status(&caller, first.refresh) == 401)
        #expect(status(&caller, first.access) == 200, "neither attempt has ended one")
        #expect(refresh(&caller, first.refresh).status == 200, "neither attempt has ended one")
    }

    @Test func `a refresh token that is over is an invalid grant`() throws {
        var caller = try caller()
        let first = try signIn(&caller)

        caller.now = caller.now + .seconds(30 * 86_400)

        #expect(refresh(&caller, first.refresh).json["error"] == "invalid_grant")
    }

    @Test func `a refresh can narrow scopes and never widen`() throws {
        var caller = try caller()
        let narrow = try signIn(&caller, "&scope=accounts")
        let wide = try signIn(&caller)

        let wider = refresh(&caller, narrow.refresh, "&scope=accounts+payments")
        let same = refresh(&caller, narrow.refresh)
        let less = refresh(&caller, wide.refresh, "&scope=accounts").json
        let all = refresh(&caller, try #require(less["refresh_token"]?.string))

        #expect(wider.status == 400)
        #expect(wider.json["error"] == "invalid_scope")
        #expect(same.status == 200, "the rejected attempt has not used it up")
        #expect(same.json["scope"] == "accounts", "the rejected attempt has not used it up")
        #expect(less["scope"] == "accounts", "the refresh token keeps the scopes granted")
        #expect(all.json["scope"] == "accounts payments", "the refresh token keeps the scopes granted")
    }

    @Test func `a scope that is named often is stored once`() throws {
        var caller = try caller()
        let often = Array(repeating: "accounts", count: 1000).joined(separator: "+")
        let response = token(&caller, "grant_type=password&username=ava&password=correct-horse&scope=payments+\(often)").json

        #expect(response["scope"] == "payments accounts")
        #expect(caller.state.tokens.tokens.allSatisfy { $0.scopes == ["payments", "accounts"] })
        let less = refresh(&caller, try #require(response["refresh_token"]?.string), "&scope=\(often)").json
        #expect(less["scope"] == "accounts")
    }

    @Test func `a sign-in is as old as it is after a refresh too`() throws {
        var caller = try caller()
        let first = try signIn(&caller)
        caller.now = caller.now + .seconds(600)

        let renewed = refresh(&caller, first.refresh).json
        let again = try signIn(&caller)

        func signedInAt(_ text: String?) -> Instant? { text.flatMap { caller.state.tokens.token($0)?.signedInAt } }
        #expect(signedInAt(renewed["access_token"]?.string) == caller.start)
        #expect(signedInAt(renewed["refresh_token"]?.string) == caller.start)
        #expect(signedInAt(again.access) == caller.now)
    }

    @Test(arguments: ["", "&token_type_hint=access_token", "&token_type_hint=refresh_token", "&token_type_hint=nonsense"])
    func `a revocation ends the token whatever the hint`(_ hint: String) throws {
        var caller = try caller()
        let (first, second) = (try signIn(&caller), try signIn(&caller))

        let access = caller.send("POST", "/oauth/revoke", body: "token=\(first.access)\(hint)")
        let refreshed = caller.send("POST", "/oauth/revoke", body: "token=\(second.refresh)\(hint)")

        #expect(access.status == 200)
        #expect(access.body.isEmpty)
        #expect(refreshed.status == 200)
        #expect(status(&caller, first.access) == 401, "an access token ends by itself")
        #expect(refresh(&caller, first.refresh).status == 200, "an access token ends by itself")
        #expect(status(&caller, second.access) == 401, "a refresh token with its family")
        #expect(refresh(&caller, second.refresh).status == 400, "a refresh token with its family")
    }

    @Test(arguments: [("token=unknown", 200), ("", 400), ("token=", 400)])
    func `a revocation of nothing is no error unless nothing is named`(_ form: String, _ status: Int) throws {
        var caller = try caller()

        let response = caller.send("POST", "/oauth/revoke", body: form)

        #expect(response.status == status)
        #expect((status == 200 || response.json["error"] == "invalid_request"))
    }

    static let challenges: [(authorization: String?, status: Int, error: String?)] = [
        (nil, 401, nil), ("Basic YXZhOng=", 401, nil), ("Bearer ", 401, "invalid_token"), ("Bearer unknown", 401, "invalid_token"),
        ("bearer unknown", 401, "invalid_token"),
    ]

    @Test(arguments: challenges)
    func `a challenge names an error only where there were credentials`(_ authorization: String?, _ status: Int, _ error: String?) throws {
        var caller = try caller()

        let response = caller.send("GET", "/v1/accounts", headers: authorization.map { [.init("Authorization", $0)] } ?? [])

        let challenge = try #require(response.header("WWW-Authenticate"))
        #expect(response.status == status)
        #expect(challenge.hasPrefix("Bearer "))
        #expect(error.map { challenge.contains("error=\"\($0)\"") } ?? !challenge.contains("error"))
    }

    @Test func `a rejected scope is named and the token stays valid`() throws {
        var caller = try caller()
        caller.token = try signIn(&caller, "&scope=payments").access

        let response = caller.send("GET", "/v1/accounts")
        let byFault = caller.dialectResponse(.scopeRefused)

        #expect(response.status == 403)
        let challenge = try #require(response.header("WWW-Authenticate"))
        #expect(challenge.contains("error=\"insufficient_scope\""))
        #expect(challenge.hasSuffix("scope=\"accounts\""))
        #expect(byFault.header("WWW-Authenticate")?.contains("scope=") == false, "no scope is known")
        #expect(caller.send("GET", "/v1/payments/none").status == 404, "let through, and nothing there")
    }
}
