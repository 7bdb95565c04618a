/// A handshake that is carried out, but not as usual.
package enum UnusualHandshake: Sendable, Hashable {
    /// Another certificate.
    case certificate(CertificateKind)
    /// A certificate that ends while the client runs.
    case shortLived(ShortLived)
    /// An old version of TLS and no newer one.
    case oldTLS(OldTLS)
}

/// A certificate that ends while the client runs: the same one for each connection that a rule applies to.
package struct ShortLived: Sendable, Hashable {
    /// The rule that presents it.
    package var rule: String
    /// Its time from the first handshake on.
    package var lasts: Duration
    /// The time since the rule was set: what was made before is another rule's of that id.
    package var age: Duration
}

/// A certificate in place of the bank's usual one, presented in a real handshake.
package enum CertificateKind: String, Sendable, CaseIterable {
    /// Valid: another certificate with another key, by the same authority.
    case renewed
    /// Valid: another certificate with the backup key.
    case backupKey = "backup-key"
    /// Valid: signed by an intermediate authority, which is sent with it.
    case newIntermediate = "new-intermediate"
    /// Valid: its names are only the bank's IP addresses.
    case addressOnly = "address-only"
    /// Valid; it demands a stapled status (RFC 7633), and none is sent.
    case mustStaple = "must-staple"
    /// Valid at first; it expires while the client runs.
    case expiring
    case expired
    case notYetValid = "not-yet-valid"
    case wrongHost = "wrong-host"
    /// The bank's address is its common name and not among its alternative names.
    case addressInCommonName = "address-in-common-name"
    case selfSigned = "self-signed"
    case unknownAuthority = "unknown-authority"
    /// Signed by an intermediate authority, which is not sent.
    case incompleteChain = "incomplete-chain"

    /// Whether an authority has to sign another one for it.
    package var needsIntermediate: Bool { self == .newIntermediate || self == .incompleteChain }
}
