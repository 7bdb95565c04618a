package import BankModel

/// A certificate that a client must not accept, really made and really presented.
package struct CertificateFault: ConnectionFault {
    package static let kind = "certificate"
    package static let about = "a wrong certificate: `expired`, `not-yet-valid`, `wrong-host`, `self-signed`, `unknown-authority`"
    package static let example = #"{"is": "expired"}"#
    package static let carriers: Set<WireProtocol> = [.h1s, .h2]
    package static let fields: [any AnyField] = [wrong]
    package let point = FaultPoint.tls

    private static let wrong = Field(required: "is", .choice(of: CertificateKind.self), "what is wrong with it")

    let wrong: CertificateKind

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let wrong = fields[Self.wrong] else { return nil }
        self.wrong = wrong
    }

    package func strike(_ context: StrikeContext) -> ConnectionStrike { .certificate(wrong) }

    package var settings: JSON { .object(JSONObject([Self.wrong.member(wrong)])) }
}
