import BankModel
import Foundation
import Synchronization

/// Keeps the token in one file that only its owner may read (mode 0600).
///
/// It is replaced as a whole: written beside, flushed to the disk, renamed over. A reader and a crash find the old token
/// or the new one, never half of one.
public final class FileTokenStore: TokenStore {
    private let path: String
    private let lock = Mutex(())

    /// - Parameter path: the file; its folder is made if need be, for the owner only.
    public init(path: String) { self.path = path }

    public func load() throws(StoreError) -> Token? {
        try lock.withLock { _ throws(StoreError) in
            guard let data = FileManager.default.contents(atPath: path) else {
                guard FileManager.default.fileExists(atPath: path) else { return nil }
                throw StoreError("\(path) cannot be read")
            }
            guard let json = try? JSON(parsing: data), json["v"]?.int == 1, let access = json["access"]?.string, !access.isEmpty else {
                throw StoreError("\(path) holds no token of a version known here")
            }
            return Token(access: access, refresh: json["refresh"]?.string)
        }
    }

    public func save(_ token: Token) throws(StoreError) {
        var json: JSONObject = JSONObject([("v", 1), ("access", .string(token.access))])
        json["refresh"] = token.refresh.map(JSON.string)
        try lock.withLock { _ throws(StoreError) in try replace(with: JSON.object(json).bytes) }
    }

    public func clear() throws(StoreError) {
        try lock.withLock { _ throws(StoreError) in
            guard unlink(path) == 0 || errno == ENOENT else { throw failure("cannot be removed") }
        }
    }

    private func replace(with bytes: [UInt8]) throws(StoreError) {
        let folder = (path as NSString).deletingLastPathComponent
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let beside = path + ".new"
        unlink(beside)
        let file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("cannot be written") }
        let written = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } == bytes.count && fsync(file) == 0
        close(file)
        guard written, rename(beside, path) == 0 else {
            let failure = failure("cannot be written")
            unlink(beside)
            throw failure
        }
        // The new name itself lasts only once the folder is flushed.
        let handle = open(folder, O_RDONLY | O_CLOEXEC)
        if handle >= 0 {
            fsync(handle)
            close(handle)
        }
    }

    private func failure(_ what: String) -> StoreError { StoreError("\(path) \(what): \(String(cString: strerror(errno)))") }
}
