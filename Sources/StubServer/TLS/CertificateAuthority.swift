#if TLS
package import BankModel
import Crypto
import Faults
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
        let subject = try DistinguishedName { CommonName(commonName) }
        let signer = try signer(of: kind, hosts: hosts, at: now)
        let isOwn = kind == .selfSigned
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
            try ExtendedKeyUsage([.serverAuth])
            SubjectAlternativeNames(names.map(LocalNames.generalName))
            AuthorityKeyIdentifier(of: isOwn ? Certificate.PublicKey(key.publicKey) : signer.certificate.publicKey)
            if kind == .mustStaple { Certificate.Extension.mustStaple }
        }
        let certificate = try Certificate(
            subject: subject, key: key.publicKey, validity: CertificateAuthority.time(kind, now, lasts), extensions: extensions,
            issuer: isOwn ? subject : signer.certificate.subject, signer: isOwn ? key : signer.key)
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
        let subject = try DistinguishedName {
            OrganizationName("Counterfoil")
            CommonName("Counterfoil intermediate authority")
        }
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
            Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            SubjectKeyIdentifier(hash: Certificate.PublicKey(own.publicKey))
            AuthorityKeyIdentifier(of: certificate.publicKey)
        }
        let signed = try Certificate(
            subject: subject, key: own.publicKey, validity: now.plus(days: -1)...now.plus(days: 3649), extensions: extensions,
            issuer: certificate.subject, signer: key)
        return try CertificateAuthority(certificate: signed, key: own)
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

extension AuthorityKeyIdentifier {
    /// Names the signer's key by its SHA-1 (RFC 5280 §4.2.1.1).
    fileprivate init(of key: Certificate.PublicKey) { self.init(keyIdentifier: SubjectKeyIdentifier(hash: key).keyIdentifier) }
}

extension Certificate.Extension {
    /// A server that presents the certificate must staple its status (RFC 7633 §6, RFC 6066 §8).
    ///
    /// A list of one number: `status_request` is the extension 5 of a handshake.
    fileprivate static let mustStaple = Certificate.Extension(
        oid: [1, 3, 6, 1, 5, 5, 7, 1, 24], critical: false, value: [0x30, 0x03, 0x02, 0x01, 0x05])
}
#endif
