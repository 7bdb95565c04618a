/// Whether a client may bind its tokens to its key or certificate, or must.
package enum SenderConstraint: String, Sendable, CaseIterable, Hashable {
    case accepted, required
}

/// How a bank binds tokens to the key with which their client signs proofs (DPoP, RFC 9449).
package struct DPoPPolicy: Sendable {
    package var use: SenderConstraint
    /// The time for which a nonce of the bank is valid at least, by the session's clock; nil if a proof needs none.
    package var nonce: Duration?
    /// The largest difference between a proof's `iat` and the session's clock. A nonce replaces it.
    package var window: Duration = .seconds(60)
    package var algorithms = Algorithm.allCases

    package init(_ use: SenderConstraint) { self.use = use }

    /// The algorithms of signatures (RFC 7518 §3.4, RFC 8037 §3.1).
    package enum Algorithm: String, Sendable, CaseIterable, Hashable {
        case es256 = "ES256"
        case es384 = "ES384"
        case edDSA = "EdDSA"
    }
}

/// The key or certificate that the sender of a token must have; neither for a bearer token.
package struct TokenBinding: Sendable, Hashable {
    /// The thumbprint of the key that signs the proofs (RFC 9449 §6.1).
    package var key: String?
    /// The thumbprint of the client's certificate (RFC 8705 §3.1).
    package var certificate: String?

    /// Whether a sender that has the other also has everything that this one demands.
    func isMet(by other: TokenBinding) -> Bool {
        (key == nil || key == other.key) && (certificate == nil || certificate == other.certificate)
    }
}
