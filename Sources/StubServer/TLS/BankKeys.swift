import Crypto
import Foundation
import X509

/// The keys of the banks' certificates: a client may pin them.
struct BankKeys: Sendable {
    private let own = P256.Signing.PrivateKey()
    private let backup = P256.Signing.PrivateKey()

    /// The key of the usual certificate, and of each that is wrong in something else.
    var usual: Certificate.PrivateKey { Certificate.PrivateKey(own) }

    /// The key that is kept in reserve.
    var reserve: Certificate.PrivateKey { Certificate.PrivateKey(backup) }

    /// The pins of both, the usual one first: SHA-256 of the public key with its algorithm, in base 64 (RFC 7469 §2.4).
    var pins: [String] {
        [own, backup].map { Data(SHA256.hash(data: $0.publicKey.derRepresentation)).base64EncodedString() }
    }
}
