import BankCore
import BankModel

/// The keys of `sign_in`.
enum SignInKeys {
    static let clients = Field(
        required: "clients", .node(.map(keys: "client ids", .object(ClientKeys.schema))), "the apps that may ask for a sign-in, by id")
    static let scopes = Field(
        "scopes", .texts("a scope"),
        "scopes that a client may ask for, besides those of `auth`; a request without scopes gets those of `auth`")
    static let refreshScope = Field(
        "refresh_scope", .text("a scope"), "the scope that a sign-in needs to get a refresh token; by default every sign-in gets one")
    static let code = Field("code", .duration, default: .seconds(60), "the lifetime of an authorization code")
    static let page = Field("page", .duration, default: .seconds(600), "the time that a customer has to complete the page")
    static let pushed = Field("pushed", .duration, default: .seconds(60), "the lifetime of a pushed request (RFC 9126)")
    static let requiresPushed = Field(
        "requires_pushed", .bool, default: false, "whether the page accepts pushed requests only")
    static let openID = Field(
        "openid", OpenIDKeys.format, "ID tokens for sign-ins with the scope `openid` (OpenID Connect)")
    static let dpop = Field("dpop", DPoPKeys.format, "tokens that are bound to a key of the client (DPoP, RFC 9449)")
    static let mtls = Field(
        "mtls", .choice(of: SenderConstraint.self),
        "whether tokens are bound to the client's TLS certificate (RFC 8705); without it the bank asks for no certificate")
    static let parameters = Field(
        "parameters", .node(.object(parametersSchema)), "the bank's parameter names, where they differ from those of the RFCs")

    static let schema = ObjectSchema(
        "sign_in", "Sign-in on the bank's page: authorization code with PKCE.",
        fields: [clients, scopes, refreshScope, code, page, pushed, requiresPushed, openID, dpop, mtls, parameters],
        example: "{clients: {app: {redirects: [\"app:/callback\"]}}, scopes: [offline_access], refresh_scope: offline_access}")

    static let names = SignInPolicy.Parameter.allCases.map {
        Field($0.rawValue, Format<String>.text("a parameter's name"), "instead of `\($0.rawValue)`")
    }
    static let parametersSchema = ObjectSchema(
        "parameters", "Names of parameters, by their names in the RFCs.", fields: names, example: "{client_id: clientId}")
}

/// The keys of `openid` in `sign_in`.
enum OpenIDKeys {
    static let lifetime = Field("lifetime", .duration, default: .seconds(3600), "the lifetime of an ID token")
    static let keyPeriod = Field(
        "key_period", .duration, default: .seconds(30 * 86_400),
        "how long the bank signs with one key; the keys of this period and of the one before are published")

    static let schema = ObjectSchema("openid", "ID tokens, signed with ES256.", fields: [lifetime, keyPeriod], example: "{lifetime: 15m}")
    static let format = Format<OpenIDPolicy>.object(
        schema,
        read: { fields, _ in
            var policy = OpenIDPolicy()
            policy.lifetime = fields[lifetime] ?? policy.lifetime
            policy.keyPeriod = fields[keyPeriod] ?? policy.keyPeriod
            return policy
        })
}

/// The keys of `dpop` in `sign_in`.
enum DPoPKeys {
    static let use = Field(
        required: "use", .choice(of: SenderConstraint.self), "whether a client may send proofs, or must send one for every token")
    static let nonce = Field(
        "nonce", .duration, "the minimum lifetime of a nonce of the bank; if set, each proof must contain a valid nonce")
    static let window = Field(
        "window", .duration, default: .seconds(60),
        "the largest difference between a proof's `iat` and the session clock; with `nonce`, the nonce is checked instead")
    static let algorithms = Field(
        "algorithms", .list(of: .choice(of: DPoPPolicy.Algorithm.self), atLeast: 1), "the algorithms of proofs; by default all")

    static let schema = ObjectSchema(
        "dpop", "Tokens that are bound to a key of the client.", fields: [use, nonce, window, algorithms],
        example: "{use: required, nonce: 5m}")
    static let format = Format<DPoPPolicy>.object(
        schema,
        read: { fields, _ in
            guard let use = fields[DPoPKeys.use] else { return nil }
            var policy = DPoPPolicy(use)
            policy.nonce = fields[nonce]
            policy.window = fields[window] ?? policy.window
            policy.algorithms = fields[algorithms] ?? policy.algorithms
            return policy
        })
}

/// The members of a client's key, as in a JWK.
enum ClientKeyKeys {
    static let id = Field("kid", .text(), "its id")
    static let kind = Field(required: "kty", .text("`EC`"), "the key type")
    static let curve = Field(required: "crv", .text("`P-256`"), "the curve")
    static let x = Field(required: "x", .text("base64url"), "the x coordinate")
    static let y = Field(required: "y", .text("base64url"), "the y coordinate")

    static let schema = ObjectSchema(
        "a public key", "A client's public key (RFC 7517).", fields: [id, kind, curve, x, y],
        example: "{kty: EC, crv: P-256, x: eOFnxJ-4DCnxe0k4gZpmkZRyKxJWxMCqNPzZlVuxGDA, y: eLCHgnYtz2VPh4iOS2xvXw4cYSzUYTNQb2Tl1dEGoS0}")
}

/// The keys of a client in `sign_in`.
enum ClientKeys {
    static let name = Field("name", .text(), "its name on the page; by default its id")
    static let secret = Field("secret", .text(), "its secret; without one it is a public client, which must use PKCE")
    static let authentication = Field(
        "authentication", .choice(of: OAuthClient.Authentication.self),
        "how it authenticates; by default `client_secret_basic` with a secret, `private_key_jwt` with keys, and otherwise `none` (a "
            + "public client)"
    )
    static let keys = Field(
        "keys", .node(.list(.object(ClientKeyKeys.schema), atLeast: 1)), "the public keys with which it signs (`private_key_jwt`, ES256)")
    static let redirects = Field(
        "redirects", .node(.list(.text("an address"), atLeast: 0)),
        "the addresses of its callback, compared byte for byte; `http://127.0.0.1` and `http://[::1]` with any port")
    static let pkce = Field("pkce", .bool, default: false, "whether a client with a secret must use PKCE too")

    static let schema = ObjectSchema(
        "a client", "An app that is registered with the bank.", fields: [name, secret, authentication, keys, redirects, pkce],
        example: "{secret: web-secret, redirects: [\"https://web.example/callback\"]}")
}
