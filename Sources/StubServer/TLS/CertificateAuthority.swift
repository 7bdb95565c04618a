package import BankModel
import Crypto
import Foundation
import SwiftASN1
package import X509

/// Signs the certificates of this machine's stub banks.
package struct CertificateAuthority: Sendable {
    package let certificate: Certificate
    let key: Certificate.PrivateKey
    /// New in each process.
    let bankKeys = BankKeys()

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
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 1))
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

    /// Whether it may sign intermediate authorities; false for one that was made by an older version.
    var signsIntermediates: Bool {
        guard case .isCertificateAuthority(let length) = try? certificate.extensions.basicConstraints else { return false }
        return length.map { $0 > 0 } ?? true
    }

    /// Whether it may sign for these hosts; false if it may sign for any name.
    func isFor(_ hosts: [String]) -> Bool {
        guard let constraints = try? certificate.extensions.nameConstraints else { return false }
        return hosts.filter(LocalNames.isOne).allSatisfy(constraints.permit)
    }

    /// The certificate as PEM text, for clients to trust.
    package var pem: String { get throws { try certificate.pem } }

    /// The pins of the banks' keys, of the usual one and of its backup; a restart changes them.
    package var pins: [String] { bankKeys.pins }

    /// The DER bytes of a certificate, from which its fingerprint is computed.
    package static func der(pem: String) throws -> [UInt8] { try PEMDocument(pemString: pem).derBytes }
}

extension Certificate {
    /// The certificate as text (RFC 7468).
    var pem: String { get throws { try serializeAsPEM().pemString } }
}

extension Instant {
    /// The date `days` days later, in whole seconds as in certificates.
    func date(plusDays days: Int) -> Date { Date(timeIntervalSince1970: Double(seconds + Int64(days) * 86_400)) }
}
