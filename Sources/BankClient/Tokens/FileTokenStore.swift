import Foundation
import Synchronization

/// Keeps the token in one sealed file that only its owner may read.
///
/// The file is encrypted (AES-GCM), mode 0600, replaced as a whole and flushed to the disk before ``save(_:)`` returns.
/// By default the key lies in a file beside it; see ``KeyFile`` for what that protects against and what not.
///
/// A file that cannot be read is never taken for "nobody is signed in", and never overwritten: ``load()`` throws and says
/// why. Signing in anew puts the unreadable file aside under `.unreadable` first, as its own key or a newer program may
/// still read it, and says so through `warn`. Signing out removes both.
public final class FileTokenStore: TokenStore {
    private let sealed: SealedFile
    private let aside: PrivateFile
    private let warn: Warn
    private let lock = Mutex(())

    /// - Parameters:
    ///   - path: the file; its folder is made if need be, for the owner only.
    ///   - keys: where the key comes from; nil means the file `key` in the same folder.
    ///   - warn: told what a person should know of, never a secret.
    public init(path: String, keys: (any SealingKeySource)? = nil, calls: FileCalls = FileCalls(), warn: @escaping Warn = { _ in }) {
        let file = PrivateFile(path: path, calls: calls)
        let keys = keys ?? KeyFile(path: (file.folder as NSString).appendingPathComponent("key"), calls: calls)
        sealed = SealedFile(file: file, keys: keys, purpose: "token")
        aside = PrivateFile(path: path + ".unreadable", calls: calls)
        self.warn = warn
    }

    public func load() throws(StoreError) -> Token? {
        try lock.withLock { _ throws(StoreError) in try read() }
    }

    public func save(_ token: Token) throws(StoreError) {
        try lock.withLock { _ throws(StoreError) in
            try putUnreadableAside()
            try sealed.replace(with: token.stored)
        }
    }

    public func clear() throws(StoreError) {
        try lock.withLock { _ throws(StoreError) in
            try sealed.file.remove()
            try aside.remove()
        }
    }

    private func read() throws(StoreError) -> Token? {
        guard let bytes = try sealed.read() else { return nil }
        return try Token(stored: bytes, in: sealed.file.path)
    }

    private func putUnreadableAside() throws(StoreError) {
        do throws(StoreError) { _ = try read() } catch {
            // What the system refuses to read it will refuse to replace as well, and says so itself.
            guard error.kind != .refused else { return }
            try sealed.file.move(to: aside.path)
            warn("\(error); it was kept as \(aside.path)")
        }
    }
}

/// Tells a person, in one line, what went wrong and was got over. Never given a secret.
public typealias Warn = @Sendable (String) -> Void
