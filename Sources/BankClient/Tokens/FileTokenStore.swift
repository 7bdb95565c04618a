import Foundation
import Platform

/// Stores the token in one sealed file that only its owner may read.
///
/// The file is encrypted (AES-GCM), mode 0600, replaced atomically and flushed to the disk before ``save(_:)`` returns. By
/// default the key is in a file beside it; see ``KeyFile`` for the protection this gives.
///
/// An unreadable file never counts as "nobody is signed in", and is never overwritten: ``load()`` throws with the reason. A
/// new sign-in first moves the unreadable file to `.unreadable`, as its own key or a newer program may still read it, and
/// reports that through `warn`. Signing out removes both.
package final class FileTokenStore: TokenStore {
    private let sealed: SealedFile
    private let aside: PrivateFile
    private let warn: Warn
    private let lock = Locked(())
    package let processLock: ProcessLock?

    /// - Parameters:
    ///   - path: the file; its folder is created if it does not exist, for the owner only.
    ///   - keys: supplies the key; nil means the file `key` in the same folder.
    ///   - clock: the wait for another process's lock.
    ///   - warn: receives messages for a user, never a secret.
    package init(
        path: String, keys: (any SealingKeySource)? = nil, calls: FileCalls = FileCalls(), clock: any ClientClock = SystemClock(),
        warn: @escaping Warn = { _ in }
    ) {
        let file = PrivateFile(path: path, calls: calls)
        let keys = keys ?? KeyFile(path: (file.folder as NSString).appendingPathComponent("key"), calls: calls)
        sealed = SealedFile(file: file, keys: keys, purpose: "token")
        aside = PrivateFile(path: path + ".unreadable", calls: calls)
        self.warn = warn
        processLock = ProcessLock(path: path + ".lock", clock: clock)
    }

    package func load() throws(StorageError) -> Token? {
        try lock.withLock { _ throws(StorageError) in try read() }
    }

    package func save(_ token: Token) throws(StorageError) {
        try lock.withLock { _ throws(StorageError) in
            try putUnreadableAside()
            try sealed.replace(with: token.stored)
        }
    }

    package func clear() throws(StorageError) {
        try lock.withLock { _ throws(StorageError) in
            try sealed.file.remove()
            try aside.remove()
        }
    }

    private func read() throws(StorageError) -> Token? {
        guard let bytes = try sealed.read() else { return nil }
        return try Token(stored: bytes, in: sealed.file.path)
    }

    private func putUnreadableAside() throws(StorageError) {
        do throws(StorageError) { _ = try read() } catch {
            // If the system denies reading the file it will also deny replacing it, with another error.
            guard error.kind != .failed else { return }
            try sealed.file.move(to: aside.path)
            warn("\(error); it was moved to \(aside.path)")
        }
    }
}

/// Receives one line for a user about a failure that was handled. Never contains a secret.
package typealias Warn = @Sendable (String) -> Void
