import Crypto
import Foundation

/// Supplies the key with which a store seals its files.
package protocol SealingKeySource: Sendable {
    /// The key.
    ///
    /// - Parameter making: true if a missing key may be created.
    /// - Returns: nil if there is none, and none may be created.
    func key(making: Bool) throws(StorageError) -> SealingKey?
}

/// A 256-bit key that seals files (AES-256 in GCM, NIST SP 800-38D).
///
/// A key that the app supplies, such as from its environment, is not on the disk: the disk alone reveals nothing. The
/// process's environment and memory contain it.
package struct SealingKey: Sendable, SealingKeySource {
    let symmetric: SymmetricKey

    /// The number of bytes of a key.
    package static let byteCount = 32

    /// A new key from the system's secure random numbers. They are not injected: a test must never choose a real key.
    package init() { symmetric = SymmetricKey(size: .bits256) }

    /// Decodes a key: 32 bytes in base64 (RFC 4648 §4), surrounding white space ignored.
    ///
    /// - Throws: ``StorageError`` with the length that was found, never the text.
    package init(base64 text: String) throws(StorageError) {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let data = Data(base64Encoded: trimmed) else {
            throw StorageError(
                "the key: found \(trimmed.utf8.count) characters that are not base64, expected 32 bytes in base64", kind: .damaged)
        }
        guard data.count == SealingKey.byteCount else {
            throw StorageError("the key: found \(data.count) bytes, expected \(SealingKey.byteCount)", kind: .damaged)
        }
        symmetric = SymmetricKey(data: data)
    }

    package func key(making: Bool) -> SealingKey? { self }

    /// The key as text, for storage.
    var base64: String { symmetric.withUnsafeBytes { Data($0).base64EncodedString() } }

    /// A name for the key that does not reveal it: it distinguishes a file sealed with another key from a damaged one.
    var name: [UInt8] { Array(HMAC<SHA256>.authenticationCode(for: Array("name".utf8), using: symmetric).prefix(8)) }

    /// A file name that reveals nothing of the text it is derived from: 32 hexadecimal digits.
    func fileName(for text: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Array("file\0\(text)".utf8), using: symmetric)
        return code.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension SealingKey: CustomStringConvertible, CustomReflectable {
    /// Never the key itself: descriptions end up in logs.
    package var description: String { "SealingKey(redacted)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
