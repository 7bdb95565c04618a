import Platform

/// A key stored in a separate file (mode 0600), created when first needed.
///
/// This protects copies of a sealed file that are made without its key (a backup, a support archive, a log collector), and
/// against other users of the machine and altered files. It does not protect against a process that reads the folder as its
/// owner. For that, pass a ``SealingKey`` from elsewhere, or store the key outside the folder of the sealed files.
package final class KeyFile: SealingKeySource {
    private let file: PrivateFile
    private let known = Locked<SealingKey?>(nil)

    package init(path: String, calls: FileCalls = FileCalls()) { file = PrivateFile(path: path, calls: calls) }

    /// A file without a readable key opens nothing: if a key may be made, the file is moved to `.unreadable`.
    ///
    /// - Throws: ``StorageError`` if the file holds no key and none may be made, or if others than its owner may read it.
    package func key(making: Bool) throws(StorageError) -> SealingKey? {
        try known.withLock { known throws(StorageError) in
            if let known { return known }
            do throws(StorageError) {
                if let kept = try read() {
                    known = kept
                    return kept
                }
            } catch {
                guard making, error.kind == .damaged else { throw error }
                try file.move(to: file.path + ".unreadable")
            }
            guard making else { return nil }
            let new = SealingKey()
            // Another process may have created one in this very moment: that one counts.
            let mine = try file.create(with: Array((new.base64 + "\n").utf8))
            known = mine ? new : try read()
            return known
        }
    }

    private func read() throws(StorageError) -> SealingKey? {
        guard let bytes = try file.read(limit: 1024) else { return nil }
        if let mode = file.mode(), mode & 0o077 != 0 {
            throw StorageError("\(file.path): found mode \(String(mode, radix: 8)), expected 600: others may read this key")
        }
        do throws(StorageError) { return try SealingKey(base64: String(decoding: bytes, as: UTF8.self)) } catch {
            throw StorageError("\(file.path): \(error)", kind: error.kind)
        }
    }
}
