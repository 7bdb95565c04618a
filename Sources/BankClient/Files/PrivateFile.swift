import Foundation
import Platform

/// A small file that only its owner may read (mode 0600), and that is always complete.
///
/// It is replaced atomically: a temporary file is written, flushed to the disk and renamed. A reader, and a crash, find the
/// old content or the new, never a part of either.
struct PrivateFile: Sendable {
    var path: String
    var calls = FileCalls()

    /// The folder that contains it.
    var folder: String { (path as NSString).deletingLastPathComponent }
    private var name: String { (path as NSString).lastPathComponent }

    /// The content; nil if there is no such file.
    ///
    /// - Parameter limit: a longer file counts as damaged.
    func read(limit: Int) throws(StorageError) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("cannot be read", errno)
        }
        defer { close(file) }
        guard FileStatus(file)?.kind == .plain else {
            throw StorageError("\(path): found something other than a file, expected a file", kind: .damaged)
        }
        let bytes: [UInt8]
        do throws(UnreadFile) { bytes = try Disk.first(limit + 1, of: file) } catch {
            throw StorageError("\(path): found \(error.found), expected a file that can be read")
        }
        guard bytes.count <= limit else { throw StorageError("\(path): found more than \(limit) bytes, expected fewer", kind: .damaged) }
        return bytes
    }

    /// The permissions, such as `0o600`; nil if there is no such file.
    func mode() -> mode_t? { FileStatus(path)?.permissions }

    /// Replaces the content. Creates the folder if it does not exist, for the owner only.
    ///
    /// - Parameter durably: true if the content must survive a power cut, and not only the end of the process.
    func replace(with bytes: [UInt8], durably: Bool = true) throws(StorageError) {
        let beside = try writeBeside(bytes, durably: durably)
        try need(calls.rename(beside, path), beside)
        if durably { syncFolder() }
    }

    /// Creates the file if it does not exist.
    ///
    /// - Returns: false if the file exists, whichever process created it.
    func create(with bytes: [UInt8]) throws(StorageError) -> Bool {
        let beside = try writeBeside(bytes, durably: true)
        let result = calls.link(beside, path)
        _ = calls.remove(beside)
        if result == EEXIST { return false }
        guard result == 0 else { throw failure("cannot be created", result) }
        syncFolder()
        return true
    }

    /// Removes the file, and the temporary files that a crash may have left. A missing file is not an error.
    func remove() throws(StorageError) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let left = names.filter { $0.hasPrefix(name + ".new-") }.map { (folder as NSString).appendingPathComponent($0) }
        for path in left + [path] {
            let result = calls.remove(path)
            guard result == 0 || result == ENOENT else { throw failure("cannot be removed", result) }
        }
        syncFolder()
    }

    /// Renames the file, replacing any file of the new name.
    func move(to other: String) throws(StorageError) {
        let result = calls.rename(path, other)
        guard result == 0 else { throw failure("cannot be moved to \(other)", result) }
    }

    /// Writes the bytes to a file with a unique name, as another process may be writing too.
    private func writeBeside(_ bytes: [UInt8], durably: Bool) throws(StorageError) -> String {
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let beside = "\(path).new-\(UUID().uuidString)"
        let file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("cannot be written", errno) }
        var result = calls.write(file, bytes)
        if result == 0, durably { result = calls.sync(file) }
        close(file)
        try need(result, beside)
        return beside
    }

    /// Throws for an error number, and removes the partial file.
    private func need(_ result: Int32, _ beside: String) throws(StorageError) {
        guard result != 0 else { return }
        _ = calls.remove(beside)
        throw failure("cannot be written", result)
    }

    /// A new name survives a power cut only once its folder is flushed.
    private func syncFolder() {
        let handle = open(folder, O_RDONLY | O_CLOEXEC)
        guard handle >= 0 else { return }
        _ = calls.sync(handle)
        close(handle)
    }

    private func failure(_ what: String, _ number: Int32) -> StorageError {
        StorageError("\(path) \(what): \(String(cString: strerror(number)))")
    }
}

/// The system calls that change files: injected, so that a test can simulate a full disk, or a power cut after any call.
///
/// Each returns 0, or `errno`.
package struct FileCalls: Sendable {
    /// Appends all the bytes to the file.
    package var write: @Sendable (_ file: Int32, _ bytes: [UInt8]) -> Int32 = { file, bytes in
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { Platform.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { return errno }
            start += max(0, count)
        }
        return 0
    }
    /// Flushes a file or folder to the disk.
    package var sync: @Sendable (_ file: Int32) -> Int32 = { Disk.flush($0) }
    /// Renames a file, replacing any file of the new name.
    package var rename: @Sendable (_ path: String, _ other: String) -> Int32 = { Platform.rename($0, $1) == 0 ? 0 : errno }
    /// Creates a hard link; `EEXIST` if the name exists.
    package var link: @Sendable (_ path: String, _ other: String) -> Int32 = { Platform.link($0, $1) == 0 ? 0 : errno }
    package var remove: @Sendable (_ path: String) -> Int32 = { unlink($0) == 0 ? 0 : errno }

    package init() {}
}

/// The reason why a store could not read or write.
package struct StorageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The finding and the expectation, with the file's path. Never contains the file's content.
    package var description: String
    package var kind: Kind

    /// The possible remedies.
    package enum Kind: Sendable, Hashable {
        /// The disk or the system failed: full, read-only, no rights. The stored content may be intact.
        case failed
        /// The stored content is truncated, altered or of another format, and will never be readable.
        case damaged
        /// The content was sealed with another key; that key can read it.
        case foreignKey
        /// A newer version of the program wrote it, and can still read it.
        case newerVersion
    }

    package init(_ description: String, kind: Kind = .failed) {
        self.description = description
        self.kind = kind
    }
}
