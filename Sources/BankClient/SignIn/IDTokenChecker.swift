package import BankModel
import Crypto

extension JSONWebToken {
    /// A bank's claims about a sign-in (OpenID Connect Core 1.0 §2). It is checked once and not kept.
    package init(idToken text: String) throws(ClientFailure) {
        guard let token = JSONWebToken(text) else {
            throw ClientFailure(.decode, "found no ID token in the form of RFC 7515", mayHaveLeft: true)
        }
        self = token
    }
}

/// The checks of OpenID Connect Core 1.0 §3.1.3.7, one after the other.
package struct IDTokenChecker: Sendable {
    /// The checks that are left out: none, but for clients that are wrong on purpose.
    private let omitted: Set<Check>

    package enum Check: String, Sendable, CaseIterable {
        case signature, issuer, audience, expiry, issuedAt, nonce, accessToken
    }

    /// The difference that is allowed between the bank's clock and the device's, in seconds.
    private static let leeway: Int64 = 300

    package init(omitting omitted: Set<Check> = []) { self.omitted = omitted }

    /// - Parameters:
    ///   - keys: the bank's keys (RFC 7517 §5).
    ///   - access: the access token that came with it.
    /// - Throws: ``ClientFailure`` `decode` if the token must not be accepted.
    package func check(_ token: JSONWebToken, _ keys: JSON, of attempt: SignInAttempt, access: String, now: Instant) throws(ClientFailure) {
        let (claims, seconds) = (token.claims, now.seconds)
        func demand(_ check: Check, _ isMet: Bool) throws(ClientFailure) {
            guard !isMet, !omitted.contains(check) else { return }
            throw ClientFailure(.decode, "the ID token is not valid: \(check.rawValue)", mayHaveLeft: true)
        }
        try demand(.signature, isSigned(token, keys))
        try demand(.issuer, claims["iss"]?.string == attempt.bank.issuer)
        let audience = claims["aud"]?.array?.map(\.string) ?? [claims["aud"]?.string]
        try demand(.audience, audience == [attempt.app.id])
        try demand(.expiry, claims["exp"]?.int.map { $0 > seconds - IDTokenChecker.leeway } ?? false)
        try demand(.issuedAt, claims["iat"]?.int.map { $0 <= seconds + IDTokenChecker.leeway } ?? false)
        try demand(.nonce, claims["nonce"]?.string == attempt.nonce)
        let digest = Base64.url(Array(SHA256.hash(data: Array(access.utf8)).prefix(16)))
        try demand(.accessToken, claims["at_hash"].map { $0.string == digest } ?? true)
    }

    /// Whether one of the bank's keys, the one that the header names, has signed it with ES256 (RFC 7518 §3.4).
    private func isSigned(_ token: JSONWebToken, _ keys: JSON) -> Bool {
        guard token.header["alg"]?.string == "ES256", let id = token.header["kid"]?.string else { return false }
        return (keys["keys"]?.array ?? []).contains { key in
            guard key["kid"]?.string == id, key["kty"]?.string == "EC", key["crv"]?.string == "P-256",
                let x = key["x"]?.string.flatMap(Base64.urlDecoded), let y = key["y"]?.string.flatMap(Base64.urlDecoded),
                let publicKey = try? P256.Signing.PublicKey(rawRepresentation: x + y),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: token.signature)
            else { return false }
            return publicKey.isValidSignature(signature, for: token.signed)
        }
    }
}
