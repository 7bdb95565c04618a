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

    package init(rule: String, lasts: Duration, age: Duration) {
        self.rule = rule
        self.lasts = lasts
        self.age = age
    }
}
