import BankCore
import BankModel
import Crypto
import Testing

/// A client that signs in place of a secret: RFC 7523 §2.2 and §3.
@Suite struct ClientAssertionTests {
    private let key = P256.Signing.PrivateKey()

    private func app() throws -> App {
        let point = key.publicKey.rawRepresentation
        let (x, y) = (Base64.url(Array(point.prefix(32))), Base64.url(Array(point.suffix(32))))
        let keys = "[{kid: k1, kty: EC, crv: P-256, x: \(x), y: \(y)}]"
        let client = "    partner: {redirects: [\"https://partner.example/back\"], keys: \(keys)}\n"
        return try App(changing: [("  clients:\n", "  clients:\n" + client)])
    }

    private static let asked = App.asked.with("client_id", "partner").with("redirect_uri", "https://partner.example/back")

    private func claims(_ now: Instant) -> [String: JSON] {
        let time = (now - Instant(seconds: 0)).components.seconds
        return [
            "iss": "partner", "sub": "partner", "aud": "http://bank/oauth/token", "exp": .int(time + 60), "iat": .int(time), "jti": "j1",
        ]
    }

    private func assertion(
        _ claims: [String: JSON], header: JSON = ["alg": "ES256", "kid": "k1"], key: P256.Signing.PrivateKey? = nil
    ) throws -> String {
        let object = JSON.object(JSONObject(claims.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) }))
        let input = "\(Base64.url(header.bytes)).\(Base64.url(object.bytes))"
        let signature = try (key ?? self.key).signature(for: Array(input.utf8)).rawRepresentation
        return "\(input).\(Base64.url(Array(signature)))"
    }

    private func form(_ code: String, _ assertion: String) -> [FormField] {
        App.exchange(code).with("client_id", nil).with("redirect_uri", "https://partner.example/back")
            + [("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"), ("client_assertion", assertion)]
    }

    @Test(arguments: ["http://bank", "http://bank/oauth/token"])
    func `a signed assertion proves the client`(audience: String) throws {
        var app = try app()
        var claims = claims(app.now)
        claims["aud"] = ["https://other.example", .string(audience)]

        let response = app.token(form(try app.code(ClientAssertionTests.asked), try assertion(claims)))

        #expect(response.status == 200, "\(response.text)")
    }

    @Test func `an assertion that does not fit is rejected, and the code stays valid`() throws {
        var app = try app()
        let code = try app.code(ClientAssertionTests.asked)
        let right = claims(app.now)
        let time = (app.now - Instant(seconds: 0)).components.seconds
        func with(_ name: String, _ value: JSON?) -> [String: JSON] {
            var changed = right
            changed[name] = value
            return changed
        }
        let wrong: [(String, String)] = [
            (try assertion(right, key: P256.Signing.PrivateKey()), "not signed with a key of the client"),
            (try assertion(right, header: ["alg": "none"]), "not signed with ES256"),
            (try assertion(right, header: ["alg": "ES256", "kid": "k2"]), "not signed with a key of the client"),
            (try assertion(right, header: ["alg": "ES256", "crit": ["b64"], "b64": false]), "has crit"),
            (try assertion(with("iss", "app")), "iss and sub are not the client's id"),
            (try assertion(with("aud", "https://other.example")), "aud is not http://bank or http://bank/oauth/token"),
            (try assertion(with("aud", nil)), "aud is not"), (try assertion(with("exp", nil)), "has no exp"),
            (try assertion(with("exp", .int(time - 60))), "has no exp, or has expired"),
            (try assertion(with("exp", "soon")), "has no exp"), (try assertion(with("iat", .int(time + 61))), "iat is in the future"),
            (try assertion(with("jti", nil)), "has no jti"), (try assertion(with("jti", 5)), "has no jti"),
            (try assertion(with("jti", "")), "has no jti"), (try assertion(with("nbf", "now")), "nbf is in the future"),
            ("a.b", "not a signed token"), ("", "not a signed token"),
            (try assertion(with("sub", "web")), "has not authenticated as registered"),
            (try assertion(with("jti", .string(String(repeating: "a", count: 9000)))), "not a signed token"),
        ]
        for (assertion, words) in wrong {
            let response = app.token(form(code, assertion))
            #expect(response.status == 401 && response.json["error"] == "invalid_client", "\(words): \(response.text)")
            #expect(response.json["error_description"]?.string?.contains(words) == true, "\(words): \(response.text)")
        }
        let another = app.token(form(code, try assertion(with("sub", "web"))) + [("client_id", "partner")])
        #expect(another.json["error_description"]?.string?.contains("iss and sub are not the client's id") == true, "\(another.text)")
        let doubled = form(code, try assertion(right))
        #expect(app.token(doubled + [("client_assertion", "x")]).json["error"] == "invalid_request")
        #expect(app.token(doubled + [("client_secret", "x")]).json["error"] == "invalid_request")
        #expect(app.token(doubled, basic("web", "web-secret")).json["error"] == "invalid_request")
        #expect(app.token(doubled.with("client_assertion_type", "other")).json["error"] == "invalid_client")
        let bare = doubled.with("client_assertion", nil).with("client_assertion_type", nil)
        #expect(app.token(bare + [("client_id", "partner")]).status == 401)
        #expect(app.token(doubled).status == 200)
    }

    @Test func `an assertion is valid once, by its jti`() throws {
        var app = try app()
        let (first, second) = (try app.code(ClientAssertionTests.asked), try app.code(ClientAssertionTests.asked))
        let signed = try assertion(claims(app.now))
        #expect(app.token(form(first, signed)).status == 200)

        let replayed = app.token(form(second, signed))
        let another = try assertion(claims(app.now).merging(["jti": "j2"]) { $1 })

        #expect(replayed.status == 401 && replayed.json["error"] == "invalid_client")
        #expect(replayed.json["error_description"] == "The assertion's jti was used before.")
        #expect(app.token(form(second, another)).status == 200)
    }
}
