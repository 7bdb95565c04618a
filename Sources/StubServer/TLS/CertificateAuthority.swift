package import BankModel
import Crypto
import SwiftASN1

/// Signs the certificates of this machine's stub banks.
package struct CertificateAuthority: Sendable {
    package let certificate: Certificate
    let key: P256.Signing.PrivateKey
    /// New in each process.
    let bankKeys = BankKeys()

    init(certificate: Certificate, key: P256.Signing.PrivateKey) {
        self.certificate = certificate
        self.key = key
    }

    /// Creates an authority, valid for ten years from the day before.
    ///
    /// Its name constraints are critical (RFC 5280 §4.2.1.10): a stolen key can sign for this machine's own names and `hosts` only.
    ///
    /// - Parameter hosts: the names and addresses that it may sign for besides ``LocalNames``.
    package static func make(named name: String, hosts: [String] = [], at now: Instant) throws -> CertificateAuthority {
        let key = P256.Signing.PrivateKey()
        let subject = try Certificate.name(organization: "Counterfoil", common: name)
        let contents = Certificate.Contents(
            subject: subject, key: key.publicKey, validity: now.plus(days: -1)...now.plus(days: 3650),
            extensions: [
                try .authority(below: 1), try .keyUsage(isAuthority: true), try .subjectKey(key.publicKey),
                CertificateExtension(LocalNames.constraints(adding: hosts)),
            ])
        return CertificateAuthority(certificate: try Certificate(contents, issuer: subject, signer: key), key: key)
    }

    /// Whether its certificate is valid at that time.
    func isValid(at now: Instant) -> Bool { certificate.validity.contains(now) }

    /// Whether it may sign intermediate authorities; false for one that was made by an older version.
    var signsIntermediates: Bool { certificate.authoritiesBelow.map { $0 > 0 } ?? false }

    /// Whether it may sign for these hosts; false if it may sign for any name.
    func isFor(_ hosts: [String]) -> Bool {
        guard let constraints = certificate.nameConstraints else { return false }
        return hosts.filter(LocalNames.isOne).allSatisfy(constraints.permit)
    }

    /// The certificate as PEM text, for clients to trust.
    package var pem: String { certificate.pem }

    /// The pins of the banks' keys, of the usual one and of its backup; a restart changes them.
    package var pins: [String] { bankKeys.pins }

    /// The DER bytes of a certificate, from which its fingerprint is computed.
    package static func der(pem: String) throws -> [UInt8] { try PEMDocument(pemString: pem).derBytes }
}

extension Instant {
    /// The moment `days` days later.
    func plus(days: Int) -> Instant { self + .seconds(days * 86_400) }
}
