import Foundation
import Synchronization

/// A key kept in a file of its own (mode 0600), made when first needed.
///
/// What this protects against: copies of a sealed file that go without its key (a backup, a support archive, a log
/// collector), other users of the machine, and files that were altered. What it does not: whoever can read the folder as
/// the owner reads both. To be safe from that too, hand in a ``SealingKey`` from elsewhere, or put the file where the
/// sealed ones are not.
public final class KeyFile: SealingKeySource {
    private let file: PrivateFile
    private let known = Mutex<SealingKey?>(nil)

    public init(path: String, calls: FileCalls = FileCalls()) { file = PrivateFile(path: path, calls: calls) }

    /// A file that holds no key any more opens nothing: where a key may be made it is put aside under `.unreadable`.
    ///
    /// - Throws: ``StoreError`` if the file holds no key and none may be made, or if others than its owner may read it.
    public func key(making: Bool) throws(StoreError) -> SealingKey? {
        try known.withLock { known throws(StoreError) in
            if let known { return known }
            do throws(StoreError) {
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
            // Another process may have made one in this very moment: then that one stands.
            let mine = try file.create(with: Array((new.base64 + "\n").utf8))
            known = mine ? new : try read()
            return known
        }
    }

    private func read() throws(StoreError) -> SealingKey? {
        guard let bytes = try file.read(limit: 1024) else { return nil }
        if let mode = file.mode(), mode & 0o077 != 0 {
            throw StoreError("\(file.path): found mode \(String(mode, radix: 8)), expected 600: others may read this key")
        }
        do throws(StoreError) { return try SealingKey(base64: String(decoding: bytes, as: UTF8.self)) } catch {
            throw StoreError("\(file.path): \(error)", kind: error.kind)
        }
    }
}
