import BankModel
import Crypto

/// How a bank's sign-in reports to the client who has signed in (OpenID Connect Core 1.0 §2).
package struct OpenIDPolicy: Sendable {
    /// The scope for which a sign-in gives an ID token.
    package static let scope = "openid"

    /// The lifetime of an ID token, by the session's clock.
    package var lifetime: Duration = .seconds(3600)
    /// How long the bank signs with one key, by the session's clock.
    package var keyPeriod: Duration = .seconds(30 * 86_400)

    package init() {}

    /// The number of the key that signs at an instant.
    func period(at instant: Instant) -> Int {
        Int((instant - Instant(seconds: 0)).components.seconds / max(1, keyPeriod.components.seconds))
    }
}

/// The key pair that signs ID tokens for a while (ES256, RFC 7518 §3.4).
struct SigningKey {
    private let key: P256.Signing.PrivateKey

    /// The key of a session's period. Anyone who knows the seed can compute it, so it protects nothing.
    init(seed: UInt64, period: Int) {
        var attempt = 0
        // 32 random bytes are a key, but for one in 2^32.
        while true {
            let bytes = Array(SHA256.hash(data: Array("counterfoil id_token \(seed) \(period) \(attempt)".utf8)))
            if let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) {
                self.key = key
                return
            }
            attempt += 1
        }
    }

    /// The members that RFC 7638 §3.2 takes into a thumbprint, in its order.
    private var required: JSON {
        let point = key.publicKey.rawRepresentation
        return [
            "crv": "P-256", "kty": "EC", "x": .string(Base64.url(Array(point.prefix(32)))),
            "y": .string(Base64.url(Array(point.suffix(32)))),
        ]
    }

    /// Its thumbprint (RFC 7638).
    var id: String { Base64.url(Array(SHA256.hash(data: required.bytes))) }

    /// Its public half (RFC 7517 §4).
    var publicJSON: JSON {
        var members = required.object ?? JSONObject()
        for (name, value) in [("use", "sig"), ("alg", "ES256"), ("kid", id)] { members[name] = .string(value) }
        return .object(members)
    }

    /// The header and the signature of a body, without the body (RFC 7515 Appendix F); nil if the system has no randomness to sign with.
    ///
    /// - Parameter unknownKey: whether the header names a key that the bank does not publish.
    func detached(_ body: [UInt8], unknownKey: Bool) -> String? {
        let parts = signed(body, unknownKey ? .keyID : nil)?.split(separator: ".") ?? []
        return parts.count == 3 ? "\(parts[0])..\(parts[2])" : nil
    }

    /// The compact form of signed claims (RFC 7515 §3.1); nil if the system has no randomness to sign with.
    func signed(_ claims: JSON, _ mistake: IDTokenPart?) -> String? { signed(claims.bytes, mistake) }

    /// The encoded header of what it signs (RFC 7515 §3.1).
    func header(_ mistake: IDTokenPart? = nil) -> String {
        let header: JSON = [
            "alg": mistake == .algorithm ? "none" : "ES256", "typ": "JWT",
            "kid": .string(mistake == .keyID ? Base64.url(Array(SHA256.hash(data: Array(id.utf8)))) : id),
        ]
        return Base64.url(header.bytes)
    }

    private func signed(_ payload: [UInt8], _ mistake: IDTokenPart?) -> String? {
        let input = "\(header(mistake)).\(Base64.url(payload))"
        if mistake == .algorithm { return input + "." }
        guard var signature = (try? key.signature(for: Array(input.utf8))).map({ Array($0.rawRepresentation) }) else { return nil }
        if mistake == .signature { signature[signature.count - 1] ^= 1 }
        return "\(input).\(Base64.url(signature))"
    }
}

extension SessionState {
    /// The encoded headers of the ID tokens that this session's keys have signed lately, that is in this period and the one before. Each
    /// names its key, so that no other text has it.
    package var idTokenHeaders: [String] {
        guard let openID = bank.signIn?.openID, present > Instant(seconds: 0) else { return [] }
        let period = openID.period(at: present)
        return [period, period - 1].map { SigningKey(seed: seed, period: $0).header() }
    }

    /// A value of OpenID Connect; nil if the bank has none, or if the sign-in did not ask for it.
    func openIDValue(_ field: ValueSource.OpenIDField, _ scope: Scope) -> JSON? {
        guard let openID = bank.signIn?.openID else { return nil }
        let period = openID.period(at: scope.now)
        switch field {
        // What was signed with the key of the period before is still valid for a while.
        case .keys: return .array([period, period - 1].map { SigningKey(seed: seed, period: $0).publicJSON })
        case .idToken:
            let mistake: IDTokenPart? = if case .wrongIDToken(let part) = scope.readAlteration { part } else { nil }
            return claims(openID, mistake, scope).flatMap { SigningKey(seed: seed, period: period).signed($0, mistake) }.map(JSON.string)
        }
    }

    /// The claims of an ID token about the tokens just issued (OpenID Connect Core 1.0 §2); nil if the client did not ask for one.
    private func claims(_ openID: OpenIDPolicy, _ mistake: IDTokenPart?, _ scope: Scope) -> JSON? {
        guard let issued = scope.issued, let authorization = authorizations.authorization(ofFamily: issued.access.token.family),
            authorization.request.scopes.contains(OpenIDPolicy.scope)
        else { return nil }
        let now = scope.now - Instant(seconds: 0)
        func seconds(_ time: Duration) -> JSON { .int(time.components.seconds) }
        let digest = SHA256.hash(data: Array(issued.access.text.utf8)).prefix(16)
        let start: Duration = mistake == .issuedAt ? now + .seconds(86_400) : mistake == .expiry ? now - .seconds(7200) : now
        return .object(known: [
            "iss": .string(mistake == .issuer ? "https://issuer.invalid" : baseURL), "sub": .string(issued.access.token.customer),
            "aud": .string(mistake == .audience ? "another-client" : authorization.request.client),
            "exp": seconds(mistake == .expiry ? now - .seconds(3600) : start + openID.lifetime), "iat": seconds(start),
            "auth_time": seconds(issued.access.token.signedInAt - Instant(seconds: 0)), "at_hash": .string(Base64.url(Array(digest))),
            "nonce": mistake == .nonce ? "another-nonce" : authorization.request.nonce.map(JSON.string),
        ])
    }
}
