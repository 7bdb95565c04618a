import BankModel
import Crypto
import Faults

/// A server's certificate, what is sent with it, and its key.
struct IssuedCertificate: Sendable {
    /// The certificates as they are sent, the server's own first.
    let chain: [Certificate]
    let key: P256.Signing.PrivateKey
}

extension CertificateAuthority {
    /// Issues a server's certificate and its key.
    ///
    /// - Parameters:
    ///   - kind: the one that is wanted; nil for the bank's usual one.
    ///   - hosts: the names and addresses that it is for.
    ///   - lasts: the time of one that is ``CertificateKind/expiring``.
    func issue(_ kind: CertificateKind?, hosts: [String], at now: Instant, lasts: Duration = .zero) throws -> IssuedCertificate {
        let key = bankKey(kind)
        let (names, commonName) = CertificateAuthority.names(kind, hosts)
        let subject = try Certificate.name(common: commonName)
        let signer = try signer(of: kind, hosts: hosts, at: now)
        let isOwn = kind == .selfSigned
        let contents = Certificate.Contents(
            subject: subject, key: key.publicKey, validity: CertificateAuthority.time(kind, now, lasts),
            extensions: [
                .noAuthority, try .keyUsage(isAuthority: false), try .serverUsage(), .hosts(names),
                .signerKey(isOwn ? Array(key.publicKey.x963Representation) : signer.certificate.key),
            ] + (kind == .mustStaple ? [.mustStaple] : []))
        let certificate = try Certificate(
            contents, issuer: isOwn ? subject : signer.certificate.subject, signer: isOwn ? key : signer.key)
        return IssuedCertificate(chain: kind == .newIntermediate ? [certificate, signer.certificate] : [certificate], key: key)
    }

    /// The key of such a certificate: the bank's own, unless the bank has changed it or somebody else presents it.
    private func bankKey(_ kind: CertificateKind?) -> P256.Signing.PrivateKey {
        switch kind {
        case .backupKey: bankKeys.reserve
        case .renewed, .newIntermediate, .wrongHost, .selfSigned, .unknownAuthority: P256.Signing.PrivateKey()
        default: bankKeys.usual
        }
    }

    /// The authority that signs such a certificate.
    ///
    /// Each intermediate one is new: a client that has seen one cannot know the next.
    private func signer(of kind: CertificateKind?, hosts: [String], at now: Instant) throws -> CertificateAuthority {
        switch kind {
        case .unknownAuthority: try CertificateAuthority.make(named: "Nobody's authority", hosts: hosts, at: now)
        case .newIntermediate, .incompleteChain: try intermediate(at: now)
        default: self
        }
    }

    /// An authority that this one signs, and that signs none itself.
    private func intermediate(at now: Instant) throws -> CertificateAuthority {
        let own = P256.Signing.PrivateKey()
        let contents = Certificate.Contents(
            subject: try Certificate.name(organization: "Counterfoil", common: "Counterfoil intermediate authority"),
            key: own.publicKey, validity: now.plus(days: -1)...now.plus(days: 3649),
            extensions: [
                try .authority(below: 0), try .keyUsage(isAuthority: true), try .subjectKey(own.publicKey), .signerKey(certificate.key),
            ])
        return CertificateAuthority(
            certificate: try Certificate(contents, issuer: certificate.subject, signer: key), key: own)
    }

    private static func time(_ kind: CertificateKind?, _ now: Instant, _ lasts: Duration) -> ClosedRange<Instant> {
        switch kind {
        case .expired: now.plus(days: -31)...now.plus(days: -1)
        case .notYetValid: now.plus(days: 1)...now.plus(days: 31)
        case .expiring: now.plus(days: -1)...(now + lasts + .nanoseconds(999_999_999))
        // iOS accepts at most 398 days.
        default: now.plus(days: -1)...now.plus(days: 390)
        }
    }

    private static func names(_ kind: CertificateKind?, _ hosts: [String]) -> (names: [String], commonName: String) {
        let usual = "Counterfoil stub bank"
        switch kind {
        case .wrongHost: return (["other-bank.localhost"], usual)
        case .addressOnly: return (hosts.filter { LocalNames.octets($0) != nil }, usual)
        case .addressInCommonName:
            let address = hosts.last { LocalNames.octets($0) != nil && !LocalNames.hosts.contains($0) } ?? "127.0.0.1"
            return (hosts.filter { LocalNames.octets($0) == nil }, address)
        default: return (hosts, usual)
        }
    }
}
