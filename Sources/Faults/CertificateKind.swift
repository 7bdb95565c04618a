/// The defect of a certificate that is otherwise genuine and presented in a real handshake.
package enum CertificateKind: String, Sendable, CaseIterable {
    case expired
    case notYetValid = "not-yet-valid"
    case wrongHost = "wrong-host"
    case selfSigned = "self-signed"
    case unknownAuthority = "unknown-authority"
}
