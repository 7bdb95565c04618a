import Crypto
import Foundation

/// Where a store gets the key with which it seals what it writes.
public protocol SealingKeySource: Sendable {
    /// The key.
    ///
    /// - Parameter making: true if one may be made where there is none yet.
    /// - Returns: nil if there is none, and none may be made.
    func key(making: Bool) throws(StoreError) -> SealingKey?
}

/// 256 bits with which files are sealed (AES-256 in GCM, NIST SP 800-38D).
///
/// Handed in by the app, such as from its environment, it is nowhere on the disk: who reads the disk alone reads nothing.
/// Who can read the process's environment or memory has it.
public struct SealingKey: Sendable, SealingKeySource {
    let symmetric: SymmetricKey

    /// How many bytes a key has.
    public static let byteCount = 32

    /// A new key of the system's secure random numbers. They are not injected: a test must never choose a real key.
    public init() { symmetric = SymmetricKey(size: .bits256) }

    /// The key of a text: 32 bytes in base64 (RFC 4648 §4), blanks around it ignored.
    ///
    /// - Throws: ``StoreError`` that tells how much was found, never what.
    public init(base64 text: String) throws(StoreError) {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let data = Data(base64Encoded: trimmed) else {
            throw StoreError(
                "the key: found \(trimmed.utf8.count) characters that are no base64, expected 32 bytes in base64", kind: .damaged)
        }
        guard data.count == SealingKey.byteCount else {
            throw StoreError("the key: found \(data.count) bytes, expected \(SealingKey.byteCount)", kind: .damaged)
        }
        symmetric = SymmetricKey(data: data)
    }

    public func key(making: Bool) -> SealingKey? { self }

    /// The key as text, to be kept.
    var base64: String { symmetric.withUnsafeBytes { Data($0).base64EncodedString() } }

    /// A number that names the key without telling it: what was sealed with another key can be told from what is damaged.
    var name: [UInt8] { Array(HMAC<SHA256>.authenticationCode(for: Array("name".utf8), using: symmetric).prefix(8)) }

    /// A name for a file that tells nothing of the text it is made of: 32 hexadecimal digits.
    func fileName(for text: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Array("file\0\(text)".utf8), using: symmetric)
        return code.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension SealingKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Never the key itself: descriptions end up in logs.
    public var description: String { "SealingKey(redacted)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
