#if TLS
package import BankModel
import Crypto
import Foundation
import SwiftASN1
import X509

/// Signs the certificates of this machine's stub banks.
package struct CertificateAuthority: Sendable {
    let certificate: Certificate
    let key: P256.Signing.PrivateKey
    /// The certificate as PEM text, for clients to trust.
    package let pem: String
    /// New in each process.
    let bankKeys = BankKeys()

    /// - Parameter key: the key that belongs to the certificate.
    init(certificate: Certificate, key: P256.Signing.PrivateKey) throws {
        self.certificate = certificate
        self.key = key
        pem = try certificate.pem
    }

    /// Creates an authority, valid for ten years from the day before.
    ///
    /// Its name constraints are critical (RFC 5280 §4.2.1.10): a stolen key can sign for this machine's own names and `hosts` only.
    ///
    /// - Parameter hosts: the names and addresses that it may sign for besides ``LocalNames``.
    package static func make(named name: String, hosts: [String] = [], at now: Instant) throws -> CertificateAuthority {
        let key = P256.Signing.PrivateKey()
        let subject = try DistinguishedName {
            OrganizationName("Counterfoil")
            CommonName(name)
        }
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 1))
            Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
            Critical(LocalNames.constraints(adding: hosts))
        }
        let certificate = try Certificate(
            subject: subject, key: key.publicKey, validity: now.plus(days: -1)...now.plus(days: 3650), extensions: extensions,
            issuer: subject, signer: key)
        return try CertificateAuthority(certificate: certificate, key: key)
    }

    /// Whether its certificate is valid at that time.
    func isValid(at now: Instant) -> Bool {
        certificate.notValidBefore <= now.wholeSecond && now.wholeSecond <= certificate.notValidAfter
    }

    /// Whether it may sign intermediate authorities; false for one that was made by an older version.
    var signsIntermediates: Bool {
        guard case .isCertificateAuthority(let below?) = try? certificate.extensions.basicConstraints else { return false }
        return below > 0
    }

    /// Whether it may sign for these hosts; false if it may sign for any name.
    func isFor(_ hosts: [String]) -> Bool {
        guard let constraints = try? certificate.extensions.nameConstraints else { return false }
        return hosts.filter(LocalNames.isOne).allSatisfy(constraints.permit)
    }

    /// The pins of the banks' keys, of the usual one and of its backup; a restart changes them.
    package var pins: [String] { bankKeys.pins }

    /// The DER bytes of a certificate, from which its fingerprint is computed.
    package static func der(pem: String) throws -> [UInt8] { try PEMDocument(pemString: pem).derBytes }
}

extension Certificate {
    /// Signs a certificate of version 3 with ECDSA on P-256 and SHA-256 (RFC 5758 §3.2).
    ///
    /// - Parameters:
    ///   - validity: rounded down to whole seconds; the last second is in it (RFC 5280 §4.1.2.5).
    ///   - issuer: the signer's name.
    ///   - signer: the signer's key.
    init(
        subject: DistinguishedName, key: P256.Signing.PublicKey, validity: ClosedRange<Instant>, extensions: Extensions,
        issuer: DistinguishedName, signer: P256.Signing.PrivateKey
    ) throws {
        // Positive and shorter than 20 bytes (RFC 5280 §4.1.2.2); half of the library's own numbers need 21.
        let serial = [UInt8.random(in: 1...127)] + (1...15).map { _ in UInt8.random(in: 0...255) }
        try self.init(
            version: .v3, serialNumber: SerialNumber(bytes: serial), publicKey: PublicKey(key),
            notValidBefore: validity.lowerBound.wholeSecond, notValidAfter: validity.upperBound.wholeSecond,
            issuer: issuer, subject: subject, extensions: extensions, issuerPrivateKey: PrivateKey(signer))
    }

    /// The certificate as text (RFC 7468).
    var pem: String { get throws { try serializeAsPEM().pemString } }
}

extension Instant {
    /// The moment `days` days later.
    func plus(days: Int) -> Instant { self + .seconds(days * 86_400) }

    /// The second that contains it: a certificate has no parts of a second.
    fileprivate var wholeSecond: Date { Date(timeIntervalSince1970: Double(seconds)) }
}

/// The keys of the banks' certificates: a client may pin them.
struct BankKeys: Sendable {
    /// The key of the usual certificate, and of each that is wrong in something else.
    let usual = P256.Signing.PrivateKey()

    /// The key that is kept in reserve.
    let reserve = P256.Signing.PrivateKey()

    /// The pins of both, the usual one first: SHA-256 of the public key with its algorithm, in base 64 (RFC 7469 §2.4).
    var pins: [String] {
        [usual, reserve].map { Data(SHA256.hash(data: $0.publicKey.derRepresentation)).base64EncodedString() }
    }
}
#endif
