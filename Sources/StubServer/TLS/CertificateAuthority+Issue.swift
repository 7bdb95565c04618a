import BankModel
import Crypto
import Faults
import Foundation
import SwiftASN1
import X509

/// A server's certificate, what is sent with it, and its key.
struct IssuedCertificate: Sendable {
    /// The certificates as they are sent, the server's own first.
    let chain: [Certificate]
    let key: Certificate.PrivateKey
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
        let subject = try DistinguishedName { CommonName(commonName) }
        let signer = try signer(of: kind, hosts: hosts, at: now)
        let isOwn = kind == .selfSigned
        let time = CertificateAuthority.time(kind, now, lasts)
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: key.publicKey, notValidBefore: time.begin, notValidAfter: time.end,
            issuer: isOwn ? subject : signer.certificate.subject, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(names)
                AuthorityKeyIdentifier(
                    keyIdentifier: SubjectKeyIdentifier(hash: isOwn ? key.publicKey : signer.certificate.publicKey).keyIdentifier)
                if kind == .mustStaple { StapleDemand() }
            }, issuerPrivateKey: isOwn ? key : signer.key)
        return IssuedCertificate(chain: kind == .newIntermediate ? [certificate, signer.certificate] : [certificate], key: key)
    }

    /// The key of such a certificate: the bank's own, unless the bank has changed it or somebody else presents it.
    private func bankKey(_ kind: CertificateKind?) -> Certificate.PrivateKey {
        switch kind {
        case .backupKey: bankKeys.reserve
        case .renewed, .newIntermediate, .wrongHost, .selfSigned, .unknownAuthority: Certificate.PrivateKey(P256.Signing.PrivateKey())
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
        let own = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let subject = try DistinguishedName {
            OrganizationName("Counterfoil")
            CommonName("Counterfoil intermediate authority")
        }
        let signed = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: own.publicKey, notValidBefore: now.date(plusDays: -1),
            notValidAfter: now.date(plusDays: 3649), issuer: certificate.subject, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: own.publicKey)
                AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: certificate.publicKey).keyIdentifier)
            }, issuerPrivateKey: key)
        return CertificateAuthority(certificate: signed, key: own)
    }

    private static func time(_ kind: CertificateKind?, _ now: Instant, _ lasts: Duration) -> (begin: Date, end: Date) {
        switch kind {
        case .expired: (now.date(plusDays: -31), now.date(plusDays: -1))
        case .notYetValid: (now.date(plusDays: 1), now.date(plusDays: 31))
        case .expiring: (now.date(plusDays: -1), (now + lasts + .nanoseconds(999_999_999)).date(plusDays: 0))
        // iOS accepts at most 398 days.
        default: (now.date(plusDays: -1), now.date(plusDays: 390))
        }
    }

    private static func names(_ kind: CertificateKind?, _ hosts: [String]) -> (names: [GeneralName], commonName: String) {
        let usual = "Counterfoil stub bank"
        switch kind {
        case .wrongHost: return ([.dnsName("other-bank.localhost")], usual)
        case .addressOnly: return (hosts.filter { LocalNames.octets($0) != nil }.map(GeneralName.init(host:)), usual)
        case .addressInCommonName:
            let address = hosts.last { LocalNames.octets($0) != nil && !LocalNames.hosts.contains($0) } ?? "127.0.0.1"
            return (hosts.filter { LocalNames.octets($0) == nil }.map(GeneralName.init(host:)), address)
        default: return (hosts.map(GeneralName.init(host:)), usual)
        }
    }
}

/// A TLS feature extension (RFC 7633 §6): whoever presents the certificate must staple its status (RFC 6066 §8).
private struct StapleDemand: CertificateExtensionConvertible {
    func makeCertificateExtension() -> Certificate.Extension {
        // A list of one number: `status_request` is the extension 5 of a handshake.
        Certificate.Extension(oid: [1, 3, 6, 1, 5, 5, 7, 1, 24], critical: false, value: [0x30, 0x03, 0x02, 0x01, 0x05])
    }
}

extension GeneralName {
    /// An address if the text parses as one; else a name.
    fileprivate init(host: String) {
        self = LocalNames.octets(host).map { .ipAddress(ASN1OctetString(contentBytes: $0[...])) } ?? .dnsName(host)
    }
}
