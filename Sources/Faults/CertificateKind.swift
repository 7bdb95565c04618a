/// What can be wrong with a certificate that is otherwise really made and really presented.
package enum CertificateKind: String, Sendable, CaseIterable {
    case expired
    case notYetValid = "not-yet-valid"
    case wrongHost = "wrong-host"
    case selfSigned = "self-signed"
    case unknownAuthority = "unknown-authority"
}
