package import BankModel
import Crypto
import Faults
import Foundation
import NIOCore
import NIOSSL
import SwiftASN1
package import X509

/// Signs the certificates of this machine's stub banks.
package struct CertificateAuthority: Sendable {
    package let certificate: Certificate
    let key: Certificate.PrivateKey

    init(certificate: Certificate, key: Certificate.PrivateKey) { (self.certificate, self.key) = (certificate, key) }

    /// Makes a new one, valid for ten years from the day before.
    package static func make(named name: String, at now: Instant) throws -> CertificateAuthority {
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
            }, issuerPrivateKey: key)
        return CertificateAuthority(certificate: certificate, key: key)
    }

    /// Whether it may sign at that time.
    func isValid(at now: Instant) -> Bool {
        let seconds = Double(now.seconds)
        return certificate.notValidBefore.timeIntervalSince1970 <= seconds && seconds < certificate.notValidAfter.timeIntervalSince1970
    }

    /// What a client is given so that it trusts this authority.
    package var pem: String { get throws { try certificate.serializeAsPEM().pemString } }

    /// The bytes of a certificate as it is signed and its fingerprint taken.
    package static func der(pem: String) throws -> [UInt8] { try PEMDocument(pemString: pem).derBytes }

    /// Makes a server's certificate and its key.
    ///
    /// - Parameters:
    ///   - wrong: what is to be wrong with it; nil for a right one.
    ///   - hosts: names and addresses that it is for.
    func issue(_ wrong: CertificateKind?, hosts: [String], at now: Instant) throws -> (chain: [Certificate], key: Certificate.PrivateKey) {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let subject = try DistinguishedName { CommonName("Counterfoil stub bank") }
        let signer = wrong == .unknownAuthority ? try CertificateAuthority.make(named: "Nobody's authority", at: now) : self
        let isOwn = wrong == .selfSigned
        let days: (from: Int, to: Int) =
            switch wrong {
            case .expired: (-31, -1)
            case .notYetValid: (1, 31)
            // iOS takes no more than 398 days.
            default: (-1, 390)
            }
        let names = wrong == .wrongHost ? [GeneralName.dnsName("other-bank.invalid")] : hosts.map(GeneralName.init(host:))
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

extension GeneralName {
    /// A name or an address, as it parses.
    fileprivate init(host: String) {
        switch try? SocketAddress(ipAddress: host, port: 0) {
        case .v4(let address):
            self = .ipAddress(ASN1OctetString(contentBytes: withUnsafeBytes(of: address.address.sin_addr) { Array($0)[...] }))
        case .v6(let address):
            self = .ipAddress(ASN1OctetString(contentBytes: withUnsafeBytes(of: address.address.sin6_addr) { Array($0)[...] }))
        default: self = .dnsName(host)
        }
    }
}

extension Instant {
    /// So many days later, as certificates count: without fractions of a second.
    fileprivate func date(plusDays days: Int) -> Date { Date(timeIntervalSince1970: Double(seconds + Int64(days) * 86_400)) }
}
