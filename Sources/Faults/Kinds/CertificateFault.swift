package import BankModel

/// A certificate in place of the bank's usual one, generated for it and presented in a real handshake.
package struct CertificateFault: ConnectionFault {
    package static let kind = "certificate"
    package static let about =
        "presents another certificate: a wrong one, such as `expired` or `incomplete-chain`, or one to accept, such as `renewed`"
    package static let effects: Set<FaultEffect> = []
    package static let example = #"{"is": "expired"}"#
    package static let carriers: Set<WireProtocol> = [.h1s, .h2]
    package static let fields: [any AnyField] = [certificate, lasts]
    package let point = FaultPoint.tls

    private static let certificate = Field(
        required: "is", .choice(of: CertificateKind.self),
        "the certificate; a client must reject all but `renewed`, `backup-key`, `new-intermediate`, `address-only`, `must-staple` (RFC "
            + "7633; no staple is sent) and, as long as it is valid, `expiring`")
    private static let lasts = Field(
        "for", .duration,
        "with `expiring`: the validity from the first handshake on, rounded up to whole seconds; by default `3s`. Each connection "
            + "presents the same certificate, and none resumes a TLS session")

    let certificate: CertificateKind
    /// The time of one that is `expiring`.
    let lasts: Duration?

    package init?(_ fields: Fields, _ complaints: Complaints) {
        let certificate = fields[Self.certificate]
        let lasts = fields[Self.lasts]
        guard let certificate else { return nil }
        self.certificate = certificate
        guard certificate == .expiring else {
            self.lasts = nil
            guard let node = fields.node(of: Self.lasts) else { return }
            complaints.add(found: "`for` with \(certificate.rawValue)", expected: "`for` with `expiring` only", at: node.position)
            return nil
        }
        self.lasts = lasts ?? .seconds(3)
        guard let lasts, !(.seconds(1) ... .seconds(86_400)).contains(lasts) else { return }
        complaints.add(
            found: lasts.shortText, expected: "1s to 1d: a certificate's times are whole seconds",
            at: fields.node(of: Self.lasts)?.position ?? fields.node.position)
        return nil
    }

    package func apply(_ context: FaultContext) -> ConnectionEffect {
        guard let lasts else { return .handshake(.certificate(certificate)) }
        return .handshake(.shortLived(ShortLived(rule: context.ruleID, lasts: lasts, age: context.elapsed)))
    }

    package var need: FaultNeed? { certificate.needsIntermediate ? .intermediate : nil }

    package var settings: JSON {
        var object = JSONObject([Self.certificate.member(certificate)])
        object.set(Self.lasts, lasts)
        return .object(object)
    }
}
