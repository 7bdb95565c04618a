import BankCore
import BankModel
import Crypto
import Testing

/// ID tokens of the model bank: OpenID Connect Core 1.0, RFC 7515, RFC 7517.
@Suite struct IDTokenTests {
    private static let asked = App.asked.with("scope", "openid accounts").with("nonce", "n1")

    @Test func `a sign-in with openid gives an ID token that the published key verifies`() throws {
        var app = try App()
        let response = app.token(App.exchange(try app.code(IDTokenTests.asked)))
        let token = try IDToken(try #require(response.json["id_token"]?.string))
        let now = (app.now - Instant(seconds: 0)).components.seconds

        #expect(try token.isSigned(by: app.keys()))
        #expect(token.header["alg"] == "ES256")
        #expect(token.claims["iss"] == "http://bank")
        #expect(token.claims["sub"] == "ava")
        #expect(token.claims["aud"] == "app")
        #expect(token.claims["nonce"] == "n1")
        #expect(token.claims["iat"] == .int(now))
        #expect(token.claims["auth_time"] == .int(now))
        #expect(token.claims["exp"] == .int(now + 3600))
        let half = SHA256.hash(data: Array(try #require(response.json["access_token"]?.string).utf8)).prefix(16)
        #expect(token.claims["at_hash"] == .string(Base64.url(Array(half))))
    }

    @Test func `without openid there is none, and without a nonce there is none in it`() throws {
        var app = try App()

        #expect(app.token(App.exchange(try app.code())).json["id_token"] == nil)
        let token = try app.idToken(IDTokenTests.asked.with("nonce", nil))
        #expect(token.claims["nonce"] == nil)
        let old = app.token([("grant_type", "password"), ("username", "ava"), ("password", "correct-horse")])
        #expect(old.status == 200 && old.json["id_token"] == nil)
    }

    @Test func `the address of a session is its issuer, in discovery too`() throws {
        var app = try App()
        let found = app.get("/.well-known/openid-configuration").json

        #expect(found["issuer"] == "http://bank")
        #expect(found["jwks_uri"] == "http://bank/oauth/jwks")
        #expect(found["token_endpoint"] == "http://bank/oauth/token")
    }

    @Test(arguments: ["counterfoil", "openbanking"])
    func `discovery has the members that OpenID Connect requires`(_ bank: String) throws {
        var app = try App(of: bank)
        let found = app.get("/.well-known/openid-configuration").json
        let keys = try app.keys()

        for name in ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"] {
            #expect(found[name]?.string?.hasPrefix("http://bank") == true, "\(name)")
        }
        #expect(found["response_types_supported"] == ["code"])
        #expect(found["subject_types_supported"] == ["public"])
        #expect(found["id_token_signing_alg_values_supported"] == ["ES256"])
        #expect(keys.compactMap { $0["alg"] } == ["ES256", "ES256"])
    }

    @Test func `a client that does not know OpenID Connect finds the same metadata`() throws {
        var app = try App()
        let found = app.get("/.well-known/oauth-authorization-server")

        #expect(found.status == 200)
        #expect(found.json == app.get("/.well-known/openid-configuration").json)
    }

    @Test func `the key changes with its period, and the one before is published for another`() throws {
        var app = try App()
        let first = try app.idToken(IDTokenTests.asked)
        app.now = app.now + .seconds(30 * 86_400)
        let second = try app.idToken(IDTokenTests.asked)

        #expect(first.header["kid"] != second.header["kid"])
        let keys = try app.keys()
        #expect(try first.isSigned(by: keys) && second.isSigned(by: keys))
        app.now = app.now + .seconds(30 * 86_400)
        #expect(try !first.isSigned(by: app.keys()))
    }

    @Test func `the headers of what a session has signed lately are known, and those of other sessions are others`() throws {
        var app = try App()
        let encoded = try #require(app.token(App.exchange(try app.code(IDTokenTests.asked))).json["id_token"]?.string)
        let header = try #require(encoded.split(separator: ".").first.map(String.init))

        #expect(app.state.idTokenHeaders.first == header)
        #expect(try !App(seed: 8).state.idTokenHeaders.contains(header))
        app.now = app.now + .seconds(30 * 86_400)
        _ = try app.idToken(IDTokenTests.asked)
        #expect(app.state.idTokenHeaders.count == 2 && app.state.idTokenHeaders.last == header)
        #expect(try App(of: "roundup").state.idTokenHeaders.isEmpty)
    }

    @Test func `sessions of one seed have one key, others have others`() throws {
        var (first, second, third) = (try App(), try App(), try App(seed: 8))

        #expect(try first.keys() == second.keys())
        #expect(try first.keys() != third.keys())
    }

    @Test(arguments: IDTokenPart.allCases)
    func `a wrong part is wrong alone`(part: IDTokenPart) throws {
        var app = try App()
        let right = try app.idToken(IDTokenTests.asked)
        let wrong = try app.idToken(IDTokenTests.asked, .wrongIDToken(part))

        let claims: [String] = right.claims.object?.members.map(\.key) ?? []
        let changed = Set(claims.filter { right.claims[$0] != wrong.claims[$0] })
        let expected: Set<String> =
            switch part {
            case .issuer: ["iss", "at_hash"]
            case .audience: ["aud", "at_hash"]
            case .nonce: ["nonce", "at_hash"]
            case .expiry, .issuedAt: ["exp", "iat", "at_hash"]
            case .algorithm, .keyID, .signature: ["at_hash"]
            }
        #expect(changed == expected)
        let spoilsSignature: [IDTokenPart] = [.algorithm, .keyID, .signature]
        let isSigned = try wrong.isSigned(by: app.keys())
        #expect(isSigned == !spoilsSignature.contains(part))
        #expect((wrong.header["alg"] == "none") == (part == .algorithm))
        #expect((wrong.header["kid"] != right.header["kid"]) == (part == .keyID))
    }

    @Test func `user info needs the scope openid`() throws {
        var app = try App()
        func info(_ tokens: JSON) -> BankResponse {
            app.get("/oauth/userinfo", [JournalEntry.Header("Authorization", "Bearer \(tokens["access_token"]?.string ?? "")")])
        }
        let without = app.token(App.exchange(try app.code())).json
        let with = app.token(App.exchange(try app.code(IDTokenTests.asked))).json

        #expect(info(without).status == 403)
        #expect(info(with).json == ["sub": "ava", "name": "Ava Lindqvist"])
        // OpenID Connect Core 1.0 §5.3: the bank must support GET and POST.
        let bearer = JournalEntry.Header("Authorization", "Bearer \(with["access_token"]?.string ?? "")")
        #expect(app.post("/oauth/userinfo", [], [bearer]).json == ["sub": "ava", "name": "Ava Lindqvist"])
    }
}

/// A token in its compact form, taken apart.
struct IDToken {
    let header: JSON
    let claims: JSON
    private let signed: String
    private let signature: [UInt8]

    init(_ compact: String) throws {
        let parts = compact.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        try #require(parts.count == 3)
        header = try JSON(parsing: try IDToken.bytes(parts[0]))
        claims = try JSON(parsing: try IDToken.bytes(parts[1]))
        signed = "\(parts[0]).\(parts[1])"
        signature = try IDToken.bytes(parts[2])
    }

    /// Whether one of the keys, found by its id, verifies it.
    func isSigned(by keys: [JSON]) throws -> Bool {
        guard let key = keys.first(where: { $0["kid"] == header["kid"] }), let x = key["x"]?.string, let y = key["y"]?.string,
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        else { return false }
        let point = try IDToken.bytes(x) + IDToken.bytes(y)
        return try P256.Signing.PublicKey(rawRepresentation: point).isValidSignature(signature, for: Array(signed.utf8))
    }

    private static func bytes(_ text: String) throws -> [UInt8] {
        let usual = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        return try #require(Base64.decoded(usual + String(repeating: "=", count: (4 - usual.count % 4) % 4)))
    }
}

extension App {
    mutating func keys() throws -> [JSON] { try #require(get("/oauth/jwks").json["keys"]?.array) }

    /// The ID token of a new sign-in.
    fileprivate mutating func idToken(_ asked: [FormField], _ alteration: ReadAlteration? = nil) throws -> IDToken {
        let request = BankRequest("POST", "/oauth/token", body: Array(formEncoded(App.exchange(try code(asked))).utf8))
        let response = try execute(request, alteration)
        return try IDToken(try #require(response.json["id_token"]?.string, "\(response.text)"))
    }
}
