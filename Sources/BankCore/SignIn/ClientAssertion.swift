import BankModel

/// A public key with which a client signs (P-256, RFC 7518 §6.2.1).
package struct ClientKey: Sendable, Hashable {
    /// The key's id, which an assertion may name; nil if it has none.
    package let id: String?
    /// The key (RFC 7517).
    private let jwk: JSON

    /// - Parameters:
    ///   - x: the coordinate in base64url, as a JWK has it.
    ///   - y: the other one.
    /// - Returns: nil if they are not a point of the curve.
    package init?(id: String?, x: String, y: String) {
        let jwk: JSON = ["kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(y)]
        guard ProofKey(jwk, .es256) != nil else { return nil }
        self.id = id
        self.jwk = jwk
    }

    /// Whether the key has signed the token (ES256, RFC 7518 §3.4).
    func hasSigned(_ token: JSONWebToken) -> Bool { ProofKey(jwk, .es256)?.hasSigned(token) ?? false }
}

/// What a client sends in place of a secret: a token that it has signed (`private_key_jwt`, RFC 7523 §2.2).
struct ClientAssertion {
    /// The fields of the form that have it, and what it is.
    static let (field, typeField) = ("client_assertion", "client_assertion_type")
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    private static let longest = 8192

    private let token: JSONWebToken

    private var claims: JSON { token.claims }

    /// - Parameter compact: the token (RFC 7515 §3.1).
    init?(_ compact: String) {
        guard compact.utf8.count <= ClientAssertion.longest, let token = JSONWebToken(compact) else { return nil }
        self.token = token
    }

    /// The client that it names, before anything is checked.
    var subject: String? { claims["sub"]?.string }

    /// Its id, and the instant from which it is not valid; nil if it has no id.
    var use: (id: String, end: Instant)? {
        guard let id = claims["jti"]?.string, let end = claims["exp"]?.int else { return nil }
        return (id, Instant(seconds: min(end, 1 << 32)) + .seconds(60))
    }

    /// Why it does not prove that the client has sent it; nil if it does (RFC 7523 §3).
    ///
    /// - Parameters:
    ///   - audiences: the names of this bank.
    ///   - now: the session's time. A minute of difference between the clocks is allowed.
    func objection(_ client: OAuthClient, audiences: [String], at now: Instant) -> String? {
        guard token.header["alg"] == "ES256" else { return "The assertion is not signed with ES256." }
        // RFC 7515 §4.1.11: what is not understood must not be ignored.
        guard token.header["crit"] == nil else { return "The assertion has crit, but the bank supports no extension." }
        let named = token.header["kid"]?.string
        guard client.keys.contains(where: { (named == nil || $0.id == nil || $0.id == named) && $0.hasSigned(token) }) else {
            return "The assertion is not signed with a key of the client."
        }
        guard claims["iss"]?.string == client.id, subject == client.id else {
            return "The assertion's iss and sub are not the client's id."
        }
        let audience = claims["aud"]?.array?.compactMap(\.string) ?? [claims["aud"]?.string].compactMap(\.self)
        guard audience.contains(where: audiences.contains) else {
            return "The assertion's aud is not \(audiences.joined(separator: " or "))."
        }
        // Without it a copy of the assertion would be as good as the assertion (OpenID Connect Core 1.0 §9).
        guard claims["jti"]?.string?.isEmpty == false else { return "The assertion has no jti, or one that is not a text." }
        let time = (now - Instant(seconds: 0)).components.seconds
        guard let end = claims["exp"]?.int, end > time - 60 else { return "The assertion has no exp, or has expired by the session clock." }
        for name in ["nbf", "iat"] {
            if let begin = claims[name], begin.int.map({ $0 > time + 60 }) ?? true {
                return "The assertion's \(name) is in the future by the session clock."
            }
        }
        return nil
    }
}
