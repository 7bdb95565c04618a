import BankCore
import BankModel
import Testing

/// Tokens that are bound to a key of the client (RFC 9449).
@Suite struct DPoPTests {
    private let prover = Prover()

    private static func app(_ dpop: String = "{use: accepted}") throws -> App {
        try App(changing: [("dpop: {use: accepted}", "dpop: \(dpop)")])
    }

    /// The tokens of a sign-in with the scopes of ``App/asked``, by a proof.
    private func signIn(_ app: inout App, nonce: String? = nil) throws -> (access: String, refresh: String) {
        let code = try app.code()
        let response = app.token(App.exchange(code), try prover.headers(Prover.Call(nonce: nonce), at: app.now))
        try #require(response.status == 200, "\(response.text)")
        #expect(response.json["token_type"] == "DPoP")
        return (try #require(response.json["access_token"]?.string), try #require(response.json["refresh_token"]?.string))
    }

    private func read(_ app: inout App, _ headers: [JournalEntry.Header]) -> BankResponse { app.get("/v1/accounts", headers) }

    private func challenge(_ response: BankResponse) -> String { response.header("WWW-Authenticate") ?? "" }

    // MARK: proofs

    /// One wrong thing about a proof, and the words of its rejection.
    struct Wrong: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let words: String
        let change: @Sendable (inout Prover.Parts) -> Void

        init(_ name: String, _ words: String, _ change: @escaping @Sendable (inout Prover.Parts) -> Void) {
            (testDescription, self.words, self.change) = (name, words, change)
        }
    }

    static let wrong: [Wrong] = [
        Wrong("typ missing", "typ is not") { $0.header["typ"] = .some(nil) },
        Wrong("typ JWT", "typ is not") { $0.header["typ"] = "JWT" },
        Wrong("alg missing", "alg is not ES256 or ES384 or EdDSA") { $0.header["alg"] = .some(nil) },
        Wrong("alg none", "alg is not") { $0.header["alg"] = "none" },
        Wrong("alg symmetric", "alg is not") { $0.header["alg"] = "HS256" },
        Wrong("alg of no list", "alg is not") { $0.header["alg"] = "RS256" },
        Wrong("crit", "has crit") { $0.header["crit"] = ["exp"] },
        Wrong("jwk missing", "has no jwk") { $0.header["jwk"] = .some(nil) },
        Wrong("jwk a text", "not a public key") { $0.header["jwk"] = "key" },
        Wrong("jwk private", "is a private key") { $0.header["jwk"] = $0.jwk(with: "d", "AA") },
        Wrong("jwk of another kind", "not a public key") { $0.header["jwk"] = $0.jwk(with: "kty", "RSA") },
        Wrong("jwk of another curve", "not a public key") { $0.header["jwk"] = $0.jwk(with: "crv", "P-384") },
        Wrong("jwk on no curve", "not a public key") {
            $0.header["jwk"] = $0.jwk(with: "y", .string(Base64.url([UInt8](repeating: 1, count: 32))))
        },
        Wrong("another's jwk", "signature is wrong") { $0.header["jwk"] = Prover().jwk },
        Wrong("signature broken", "signature is wrong") { $0.flipped = 1 },
        Wrong("htm missing", "htm is not") { $0.claims["htm"] = .some(nil) },
        Wrong("htm another", "htm is not") { $0.claims["htm"] = "PUT" },
        Wrong("htm in lower case", "htm is not") { $0.claims["htm"] = .string($0.claims["htm"]??.string?.lowercased() ?? "") },
        Wrong("htu missing", "htu is not") { $0.claims["htu"] = .some(nil) },
        Wrong("htu a number", "htu is not") { $0.claims["htu"] = 1 },
        Wrong("htu no address", "htu is not") { $0.claims["htu"] = "/v1/accounts" },
        Wrong("htu of another path", "htu is not") { $0.claims["htu"] = "http://bank/v1/payees" },
        Wrong("htu of another host", "htu is not") { $0.claims["htu"] = .string($0.htu.replacing("bank", with: "bank.example")) },
        Wrong("htu of another scheme", "htu is not") { $0.claims["htu"] = .string($0.htu.replacing("http", with: "https")) },
        Wrong("jti missing", "jti is missing") { $0.claims["jti"] = .some(nil) },
        Wrong("jti empty", "jti is missing") { $0.claims["jti"] = "" },
        Wrong("jti a number", "jti is missing") { $0.claims["jti"] = 7 },
        Wrong("jti too long", "more than 512 bytes") { $0.claims["jti"] = .string(String(repeating: "j", count: 513)) },
        Wrong("iat missing", "iat is not a number") { $0.claims["iat"] = .some(nil) },
        Wrong("iat a text", "iat is not a number") { $0.claims["iat"] = "now" },
        Wrong("iat past", "iat is not within 60 s") { $0.claims["iat"] = .int($0.iat - 61) },
        Wrong("iat to come", "iat is not within 60 s") { $0.claims["iat"] = .int($0.iat + 61) },
        Wrong("proof too long", "more than 8192 bytes") { $0.claims["more"] = .string(String(repeating: "m", count: 9000)) },
    ]

    @Test(arguments: wrong) func `a wrong proof is rejected at the token endpoint, and the code stays valid`(wrong: Wrong) throws {
        var app = try DPoPTests.app()
        let code = try app.code()

        let response = app.token(App.exchange(code), try prover.headers(at: app.now, wrong.change))

        #expect(response.status == 400 && response.json["error"] == "invalid_dpop_proof", "\(response.text)")
        #expect(response.json["error_description"]?.string?.contains(wrong.words) == true, "\(response.text)")
        #expect(response.header("Cache-Control") == "no-store")
        #expect(app.token(App.exchange(code), try prover.headers(at: app.now)).status == 200)
    }

    @Test(
        arguments: wrong + [
            Wrong("ath missing", "ath is not") { $0.claims["ath"] = .some(nil) },
            Wrong("ath of another token", "ath is not") { $0.claims["ath"] = "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo" },
        ])
    func `a wrong proof is rejected at a resource, and the token stays valid`(wrong: Wrong) throws {
        var app = try DPoPTests.app()
        let access = try signIn(&app).access

        let response = read(&app, try prover.headers(.accounts(access), at: app.now, wrong.change))

        #expect(response.status == 401 && response.name == nil, "\(response.text)")
        #expect(challenge(response).hasPrefix("DPoP error=\"invalid_dpop_proof\", error_description=\""), "\(challenge(response))")
        #expect(
            challenge(response).contains(wrong.words) && challenge(response).hasSuffix(", algs=\"ES256 ES384 EdDSA\""),
            "\(challenge(response))")
        #expect(read(&app, try prover.headers(.accounts(access), at: app.now)).status == 200)
    }

    @Test(arguments: ["", "a", "a.b.c", "a,b", "ey..", "é.é.é", String(repeating: "a.", count: 5000)])
    func `what is no token is no proof`(text: String) throws {
        var app = try DPoPTests.app()

        let response = app.token(App.exchange(try app.code()), [JournalEntry.Header("DPoP", text)])

        #expect(response.status == 400 && response.json["error"] == "invalid_dpop_proof", "\(response.text)")
    }

    @Test func `a proof has up to 8,192 bytes, and its id up to 512`() throws {
        var app = try DPoPTests.app()
        let now = app.now
        func headers(_ id: String, more: Int = 0) throws -> [JournalEntry.Header] {
            try prover.headers(at: now) {
                $0.claims["jti"] = .string(id)
                $0.claims["more"] = .string(String(repeating: "m", count: more))
            }
        }
        let bare = try #require(try headers("j0").first?.value.utf8.count)
        // Three bytes of the claims are four of the proof.
        let most = (8192 - bare) / 4 * 3
        let (longest, tooLong) = (try headers("j1", more: most), try headers("j2", more: most + 3))
        let longestID = try headers(String(repeating: "j", count: 512))

        #expect((8189...8192).contains(longest.first?.value.utf8.count ?? 0))
        #expect(app.token(App.exchange(try app.code()), longest).status == 200)
        #expect(app.token(App.exchange(try app.code()), tooLong).json["error"] == "invalid_dpop_proof")
        #expect(app.token(App.exchange(try app.code()), longestID).status == 200)
    }

    @Test func `two proofs are one too many`() throws {
        var app = try DPoPTests.app()
        let headers = try prover.headers(at: app.now) + prover.headers(at: app.now)

        let response = app.token(App.exchange(try app.code()), headers)

        #expect(response.json["error_description"] == "The header DPoP is given more than once.")
    }

    @Test func `a proof may spell its address and its time otherwise, and be signed with other keys`() throws {
        var app = try DPoPTests.app()
        for htu in ["http://BANK:80/oauth/token", "HTTP://bank/oauth/token?a=b#c", "http://bank/oauth/%74oken"] {
            let headers = try prover.headers(at: app.now) { $0.claims["htu"] = .string(htu) }
            #expect(app.token(App.exchange(try app.code()), headers).status == 200, "\(htu)")
        }
        for iat in [
            JSON.int(1_763_553_600 - 60), .int(1_763_553_600 + 60),
            .number(try #require(try JSON(parsing: Array("1763553600.25".utf8)).number)),
        ] {
            #expect(app.token(App.exchange(try app.code()), try prover.headers(at: app.now) { $0.claims["iat"] = iat }).status == 200)
        }
        for prover in [Prover.p384, .ed25519] {
            let response = app.token(App.exchange(try app.code()), try prover.headers(at: app.now))
            let access = try #require(response.json["access_token"]?.string, "\(response.text)")
            #expect(read(&app, try prover.headers(.accounts(access), at: app.now)).status == 200)
        }
        var strict = try DPoPTests.app("{use: accepted, algorithms: [EdDSA]}")
        #expect(strict.token(App.exchange(try strict.code()), try prover.headers(at: app.now)).json["error"] == "invalid_dpop_proof")
    }

    @Test func `a proof is valid once`() throws {
        var app = try DPoPTests.app()
        let access = try signIn(&app).access
        let headers = try prover.headers(.accounts(access), at: app.now) { $0.claims["jti"] = "j1" }
        #expect(read(&app, headers).status == 200)
        app.now = app.now + .seconds(59)

        #expect(challenge(read(&app, headers)).contains("jti was used before"))
        let changed = try prover.headers(.accounts(access), at: app.now) { $0.claims["jti"] = "j1" }
        #expect(challenge(read(&app, changed)).contains("jti was used before"))
        let another = Prover()
        let form = [("grant_type", "password"), ("username", "ava"), ("password", "correct-horse")]
        for prover in [another, prover] {
            let response = app.token(form, try prover.headers(at: app.now) { $0.claims["jti"] = "j1" })
            #expect(response.status == 200, "the id is another's, or of another address: \(response.text)")
        }
        app.now = app.now + .seconds(2)
        #expect(challenge(read(&app, headers)).contains("iat is not within"))
    }

    @Test func `the memory of ids is bounded, and forgets those that are over first`() {
        var used = UsedIDs()
        let now = Instant(seconds: 0)
        func insert(_ id: String, _ end: Int, at second: Int) -> Bool {
            used.insert(id, until: now + .seconds(end), at: now + .seconds(second))
        }
        #expect(insert("kept", 100, at: 0))
        for number in 1..<UsedIDs.largestCount { _ = insert("\(number)", 1, at: 0) }
        #expect(insert("more", 100, at: 2))
        #expect(used.count == 2 && !insert("kept", 100, at: 99))
        for number in 0...UsedIDs.largestCount { _ = insert("\(number)", 100, at: 2) }
        #expect(used.count <= UsedIDs.largestCount)
    }

    // MARK: tokens

    @Test func `a bound token needs its scheme and its key`() throws {
        var app = try DPoPTests.app()
        let access = try signIn(&app).access
        #expect(read(&app, try prover.headers(.accounts(access), at: app.now)).status == 200)

        let bearer = read(&app, [JournalEntry.Header("Authorization", "Bearer \(access)")] + (try prover.headers(at: app.now)))
        let bare = read(&app, [JournalEntry.Header("Authorization", "DPoP \(access)")])
        let stolen = read(&app, try Prover().headers(.accounts(access), at: app.now))

        #expect([bearer, bare, stolen].map(\.status) == [401, 401, 401])
        #expect(challenge(bearer).hasPrefix("DPoP error=\"invalid_token\", error_description=\"The token is bound to a key"))
        #expect(challenge(bare).hasPrefix("DPoP error=\"invalid_dpop_proof\", error_description=\"The proof is missing"))
        #expect(challenge(stolen).hasPrefix("DPoP error=\"invalid_token\", error_description=\"The token is bound to a key other than"))
        #expect([bearer, bare, stolen].allSatisfy { $0.name == nil }, "the token itself is not rejected")
    }

    @Test func `a bearer token stays one`() throws {
        var app = try DPoPTests.app()
        let response = app.token(App.exchange(try app.code()))
        #expect(response.json["token_type"] == "Bearer")
        let access = try #require(response.json["access_token"]?.string)
        #expect(app.status(access) == 200)

        let bound = read(&app, try prover.headers(.accounts(access), at: app.now))

        #expect(bound.status == 401 && challenge(bound).hasPrefix("DPoP error=\"invalid_token\""))
        var off = try App(changing: [("  dpop: {use: accepted}                # RFC 9449\n", "")])
        let plain = off.token(App.exchange(try off.code()), try prover.headers(at: app.now) { $0.flipped = 1 })
        #expect(plain.json["token_type"] == "Bearer", "a bank without the option ignores proofs")
        let text = plain.json["access_token"]?.string ?? ""
        let schemed = read(&off, try prover.headers(.accounts(text), at: off.now))
        #expect(off.status(text) == 200 && schemed.name == .noCredentials)
    }

    @Test func `other errors are challenges of the scheme too`() throws {
        var app = try DPoPTests.app()
        let access = try signIn(&app).access
        app.now = app.now + .seconds(15 * 60)
        let expired = read(&app, try prover.headers(.accounts(access), at: app.now))
        let unknown = read(&app, try prover.headers(.accounts("other"), at: app.now))
        #expect(expired.name == .tokenExpired && challenge(expired).hasPrefix("DPoP realm=\"counterfoil\", error=\"invalid_token\""))
        #expect(unknown.name == .tokenRejected && challenge(unknown).hasPrefix("DPoP realm=\"counterfoil\", error=\"invalid_token\""))
        #expect(challenge(read(&app, [])) == "Bearer realm=\"counterfoil\"")
        var required = try DPoPTests.app("{use: required}")
        #expect(challenge(read(&required, [])) == "DPoP realm=\"counterfoil\", algs=\"ES256 ES384 EdDSA\"")
    }

    @Test func `a public client's refresh token is bound, a confidential one's is not`() throws {
        var app = try DPoPTests.app()
        let first = try signIn(&app)
        func refresh(_ token: String, _ headers: [JournalEntry.Header]) -> BankResponse {
            app.token([("grant_type", "refresh_token"), ("refresh_token", token)], headers)
        }
        #expect(refresh(first.refresh, []).json["error"] == "invalid_grant")
        #expect(refresh(first.refresh, try Prover().headers(at: app.now)).json["error"] == "invalid_grant")
        let second = refresh(first.refresh, try prover.headers(at: app.now))
        #expect(second.json["token_type"] == "DPoP", "\(second.text)")
        #expect(refresh(second.json["refresh_token"]?.string ?? "", []).json["error"] == "invalid_grant")

        let asked = App.asked.with("client_id", "web").with("redirect_uri", "https://web.example/callback")
        let exchange = App.exchange(try app.code(asked)).with("client_id", nil).with("redirect_uri", "https://web.example/callback")
        let web = app.token(exchange, basic("web", "web-secret") + (try prover.headers(at: app.now)))
        let another = Prover()
        let again = refresh(web.json["refresh_token"]?.string ?? "", basic("web", "web-secret") + (try another.headers(at: app.now)))
        #expect(again.json["token_type"] == "DPoP", "\(again.text)")
        #expect(read(&app, try another.headers(.accounts(again.json["access_token"]?.string ?? ""), at: app.now)).status == 200)
    }

    @Test func `a bank may demand a proof for each token`() throws {
        var app = try DPoPTests.app("{use: required}")
        let refresh = try signIn(&app).refresh
        let forms = [
            App.exchange(try app.code()), [("grant_type", "password"), ("username", "ava"), ("password", "correct-horse")],
            [("grant_type", "refresh_token"), ("refresh_token", refresh)],
        ]
        for form in forms {
            let response = app.token(form)
            #expect(response.status == 400 && response.json["error"] == "invalid_dpop_proof", "\(response.text)")
        }
        let issued = try app.state.issueTokens(login: "ava", at: app.now).access.text
        #expect(app.status(issued) == 200, "a token that a test has issued needs none")
    }

    @Test func `a state file keeps the binding`() throws {
        var app = try DPoPTests.app()
        let code = try app.code(App.asked.with("dpop_jkt", prover.thumbprint))
        let tokens = try signIn(&app)

        try app.state.restore(image: app.state.image)

        #expect(app.status(tokens.access) == 401)
        #expect(read(&app, try prover.headers(.accounts(tokens.access), at: app.now)).status == 200)
        #expect(app.token(App.exchange(code), try Prover().headers(at: app.now)).json["error"] == "invalid_grant")
        #expect(app.token(App.exchange(code), try prover.headers(at: app.now)).status == 200)
    }

    // MARK: nonces

    @Test func `a nonce is demanded, given and replaced`() throws {
        var app = try DPoPTests.app("{use: required, nonce: 5m}")
        let code = try app.code()
        let first = app.token(App.exchange(code), try prover.headers(at: app.now))
        #expect(first.status == 400 && first.json["error"] == "use_dpop_nonce", "\(first.text)")
        var nonce = try #require(first.header("DPoP-Nonce"))
        let tokens = app.token(App.exchange(code), try prover.headers(Prover.Call(nonce: nonce), at: app.now))
        #expect(tokens.status == 200 && tokens.header("DPoP-Nonce") == nonce)
        let access = tokens.json["access_token"]?.string ?? ""

        let without = read(&app, try prover.headers(.accounts(access), at: app.now))
        #expect(without.status == 401 && without.header("DPoP-Nonce") == nonce)
        #expect(challenge(without).hasPrefix("DPoP error=\"use_dpop_nonce\""), "\(challenge(without))")
        #expect(
            read(&app, try prover.headers(.accounts(access, nonce: nonce), at: Instant(seconds: 0))).status == 200,
            "its time is the nonce's")

        app.now = app.now + .seconds(300)
        let late = read(&app, try prover.headers(.accounts(access, nonce: nonce), at: app.now))
        let next = try #require(late.header("DPoP-Nonce"))
        #expect(late.status == 200 && next != nonce)
        app.now = app.now + .seconds(300)
        let tooLate = read(&app, try prover.headers(.accounts(access, nonce: nonce), at: app.now))
        #expect(challenge(tooLate).hasPrefix("DPoP error=\"use_dpop_nonce\""))
        nonce = try #require(tooLate.header("DPoP-Nonce"))
        #expect(read(&app, try prover.headers(.accounts(access, nonce: nonce), at: app.now)).status == 200)
        #expect(challenge(read(&app, try prover.headers(.accounts(access, nonce: "other"), at: app.now))).contains("use_dpop_nonce"))
    }

    // MARK: authorization requests

    @Test func `a request can name the key of its code`() throws {
        var app = try DPoPTests.app()
        let code = try app.code(App.asked.with("dpop_jkt", prover.thumbprint))
        #expect(app.token(App.exchange(code), try Prover().headers(at: app.now)).json["error"] == "invalid_grant")
        #expect(app.token(App.exchange(code)).json["error"] == "invalid_grant")
        #expect(app.token(App.exchange(code), try prover.headers(at: app.now)).status == 200)
        for wrong in ["short", String(repeating: "é", count: 43), String(repeating: "a", count: 44)] {
            #expect(app.open(App.asked.with("dpop_jkt", wrong)).redirected["error"] == "invalid_request", "\(wrong)")
        }
        #expect(
            app.open(App.asked + [("dpop_jkt", prover.thumbprint), ("dpop_jkt", prover.thumbprint)]).redirected["error"]
                == "invalid_request")
    }

    @Test func `a pushed request can prove the key of its code`() throws {
        var app = try DPoPTests.app()
        let call = Prover.Call(address: "http://bank/oauth/par")
        let pushed = app.post("/oauth/par", App.asked, try prover.headers(call, at: app.now))
        let request = try #require(pushed.json["request_uri"]?.string, "\(pushed.text)")
        let code = try app.code([("client_id", "app"), ("request_uri", request)])
        #expect(app.token(App.exchange(code), try Prover().headers(at: app.now)).json["error"] == "invalid_grant")
        #expect(app.token(App.exchange(code), try prover.headers(at: app.now)).status == 200)

        let broken = app.post("/oauth/par", App.asked, try prover.headers(call, at: app.now) { $0.flipped = 1 })
        let mixed = app.post("/oauth/par", App.asked.with("dpop_jkt", Prover().thumbprint), try prover.headers(call, at: app.now))
        for rejected in [broken, mixed] {
            #expect(rejected.status == 400 && rejected.json["error"]?.string == "invalid_dpop_proof", "\(rejected.text)")
        }
    }
}

extension Prover.Parts {
    /// The key with another member.
    fileprivate func jwk(with name: String, _ value: JSON) -> JSON {
        var members = header["jwk"]??.object ?? JSONObject()
        members[name] = value
        return .object(members)
    }

    fileprivate var htu: String { claims["htu"]??.string ?? "" }
    fileprivate var iat: Int64 { claims["iat"]??.int ?? 0 }
}
