import Crypto

/// A private file whose content only the key's holder can read, and nobody can alter or swap undetected.
///
/// The format, version 1: `CFSEAL`, the version's byte, 8 bytes that name the key, a nonce of 12 bytes, the content encrypted
/// by AES-GCM, its tag of 16 bytes. The bytes before the nonce are authenticated too, and so is the purpose, which is not
/// written: a file moved to the path of another purpose does not open.
struct SealedFile: Sendable {
    var file: PrivateFile
    var keys: any SealingKeySource
    /// The file's purpose, such as `token`.
    var purpose: String
    /// The largest size of the file in bytes.
    var limit = 1 << 20

    private static let magic = Array("CFSEAL".utf8)
    private static let version: UInt8 = 1
    private static let headCount = magic.count + 1 + 8
    private static let overhead = headCount + 12 + 16

    /// The content; nil if there is no such file.
    func read() throws(StorageError) -> [UInt8]? {
        guard let bytes = try file.read(limit: limit) else { return nil }
        let key = try keys.key(making: false)
        return try open(bytes, with: key)
    }

    /// Replaces the content.
    func replace(with content: [UInt8], durably: Bool = true) throws(StorageError) {
        guard let key = try keys.key(making: true) else { throw StorageError("\(file.path) cannot be sealed: found no key") }
        try file.replace(with: try seal(content, with: key), durably: durably)
    }

    private func seal(_ content: [UInt8], with key: SealingKey) throws(StorageError) -> [UInt8] {
        let head = SealedFile.magic + [SealedFile.version] + key.name
        do {
            let box = try AES.GCM.seal(content, using: key.symmetric, authenticating: head + Array(purpose.utf8))
            return head + Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
        } catch {
            throw StorageError("\(file.path) cannot be sealed: \(error)")
        }
    }

    private func open(_ bytes: [UInt8], with key: SealingKey?) throws(StorageError) -> [UInt8] {
        let magic = SealedFile.magic
        guard bytes.prefix(magic.count) == magic.prefix(bytes.count) else {
            throw damaged("found a file of another kind, expected one that begins with CFSEAL")
        }
        if bytes.count > magic.count, bytes[magic.count] > SealedFile.version {
            throw StorageError(
                "\(file.path): found version \(bytes[magic.count]), expected \(SealedFile.version): a newer program wrote it",
                kind: .newerVersion)
        }
        guard bytes.count >= SealedFile.overhead else {
            throw damaged("found \(bytes.count) bytes, expected at least \(SealedFile.overhead): the file is truncated")
        }
        guard bytes[magic.count] == SealedFile.version else {
            throw damaged("found version \(bytes[magic.count]), expected \(SealedFile.version)")
        }
        guard let key else { throw foreign("found no key for it") }
        let head = Array(bytes.prefix(SealedFile.headCount))
        guard Array(head.suffix(8)) == key.name else { throw foreign("found it sealed with another key") }
        do {
            let box = try AES.GCM.SealedBox(combined: bytes[SealedFile.headCount...])
            return Array(try AES.GCM.open(box, using: key.symmetric, authenticating: head + Array(purpose.utf8)))
        } catch {
            throw damaged("found truncated or altered content, expected content that matches its seal")
        }
    }

    private func damaged(_ what: String) -> StorageError { StorageError("\(file.path): \(what)", kind: .damaged) }
    private func foreign(_ what: String) -> StorageError {
        StorageError("\(file.path): \(what), expected the key it was sealed with", kind: .foreignKey)
    }
}
