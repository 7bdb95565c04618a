package import BankModel
import Crypto
import Faults
import Foundation
import SwiftASN1
package import X509

/// Signs the certificates of this machine's stub banks.
package struct CertificateAuthority: Sendable {
    package let certificate: Certificate
    let key: Certificate.PrivateKey

    init(certificate: Certificate, key: Certificate.PrivateKey) {
        self.certificate = certificate
        self.key = key
    }

    /// Creates an authority, valid for ten years from the day before.
    ///
    /// Its name constraints are critical (RFC 5280 §4.2.1.10): a stolen key can sign for this machine's own names and `hosts` only.
    ///
    /// - Parameter hosts: the names and addresses that it may sign for besides ``LocalNames``.
    package static func make(named name: String, hosts: [String] = [], at now: Instant) throws -> CertificateAuthority {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let subject = try DistinguishedName {
            OrganizationName("Counterfoil")
            CommonName(name)
        }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: key.publicKey, notValidBefore: now.date(plusDays: -1),
            notValidAfter: now.date(plusDays: 3650), issuer: subject, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: key.publicKey)
                Critical(LocalNames.constraints(adding: hosts))
            }, issuerPrivateKey: key)
        return CertificateAuthority(certificate: certificate, key: key)
    }

    /// Whether its certificate is valid at that time.
    func isValid(at now: Instant) -> Bool {
        let seconds = Double(now.seconds)
        return certificate.notValidBefore.timeIntervalSince1970 <= seconds && seconds < certificate.notValidAfter.timeIntervalSince1970
    }

    /// Whether it may sign for these hosts; false if it may sign for any name.
    func isFor(_ hosts: [String]) -> Bool {
        guard let constraints = try? certificate.extensions.nameConstraints else { return false }
        return hosts.filter(LocalNames.isOne).allSatisfy(constraints.permit)
    }

    /// The certificate as PEM text, for clients to trust.
    package var pem: String { get throws { try certificate.pem } }

    /// The DER bytes of a certificate, from which its fingerprint is computed.
    package static func der(pem: String) throws -> [UInt8] { try PEMDocument(pemString: pem).derBytes }

    /// Issues a server's certificate and its key.
    ///
    /// - Parameters:
    ///   - wrong: the defect of the certificate; nil for a valid one.
    ///   - hosts: the names and addresses that it is for.
    func issue(_ wrong: CertificateKind?, hosts: [String], at now: Instant) throws -> (chain: [Certificate], key: Certificate.PrivateKey) {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let subject = try DistinguishedName { CommonName("Counterfoil stub bank") }
        let signer = wrong == .unknownAuthority ? try CertificateAuthority.make(named: "Nobody's authority", hosts: hosts, at: now) : self
        let isOwn = wrong == .selfSigned
        let days: (from: Int, to: Int) =
            switch wrong {
            case .expired: (-31, -1)
            case .notYetValid: (1, 31)
            // iOS accepts at most 398 days.
            default: (-1, 390)
            }
        let names = wrong == .wrongHost ? [GeneralName.dnsName("other-bank.localhost")] : hosts.map(GeneralName.init(host:))
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: key.publicKey, notValidBefore: now.date(plusDays: days.from),
            notValidAfter: now.date(plusDays: days.to), issuer: isOwn ? subject : signer.certificate.subject, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(names)
                AuthorityKeyIdentifier(
                    keyIdentifier: SubjectKeyIdentifier(hash: isOwn ? key.publicKey : signer.certificate.publicKey).keyIdentifier)
            }, issuerPrivateKey: isOwn ? key : signer.key)
        return ([certificate], key)
    }
}

extension Certificate {
    /// The certificate as text (RFC 7468).
    var pem: String { get throws { try serializeAsPEM().pemString } }
}

extension GeneralName {
    /// An address if the text parses as one; else a name.
    fileprivate init(host: String) {
        self = LocalNames.octets(host).map { .ipAddress(ASN1OctetString(contentBytes: $0[...])) } ?? .dnsName(host)
    }
}

extension Instant {
    /// The date `days` days later, in whole seconds as in certificates.
    fileprivate func date(plusDays days: Int) -> Date { Date(timeIntervalSince1970: Double(seconds + Int64(days) * 86_400)) }
}
