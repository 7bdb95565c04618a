package import BankModel

/// The bank speaks an old version of TLS and no newer one (RFC 8996).
package struct OldTLSFault: ConnectionFault {
    package static let kind = "old-tls"
    package static let about = "offers only an old version of TLS in the handshake; the certificate is valid"
    package static let effects: Set<FaultEffect> = []
    package static let example = #"{"version": "tls-1.0"}"#
    package static let carriers: Set<WireProtocol> = [.h1s, .h2]
    package static let fields: [any AnyField] = [version]
    package let point = FaultPoint.tls

    private static let version = Field("version", .choice(of: OldTLS.self), default: .tls10, "the only version, obsolete since RFC 8996")

    let version: OldTLS

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let version = fields[Self.version] else { return nil }
        self.version = version
    }

    package func apply(_ context: FaultContext) -> ConnectionEffect { .handshake(.oldTLS(version)) }

    package var settings: JSON { .object(JSONObject([Self.version.member(version)])) }
}

/// A version of TLS that nobody may negotiate any more (RFC 8996 §4, §5).
package enum OldTLS: String, Sendable, CaseIterable {
    case tls10 = "tls-1.0"
    case tls11 = "tls-1.1"
}
