#if TLS
import Crypto
import Foundation

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
