public import Foundation
import Platform

/// Secrets by name, in a file that only its owner can read: a keychain for a driver, whose process may write only to the case's folder
/// and has no entitlement for the system's keychain.
///
/// Every change is in the file when ``set(_:for:)`` returns: a new file takes the place of the old one at once, so that a kill at any
/// moment leaves one of them whole. The file is read again each time, so a second process sees what the first has stored; two that store
/// at once do so one after the other, by a lock on the file `keychain.json.lock`.
public final class FileKeychain: Sendable {
    private let file: String
    private let lock = Locked(())

    /// A keychain in that folder.
    ///
    /// - Parameter folder: ``DriverCase/stateDirectory``, or a folder in it.
    public init(folder: URL) { file = folder.appending(path: "keychain.json").path(percentEncoded: false) }

    /// The value of that name; nil if there is none.
    ///
    /// - Throws: an error of Foundation if the file is there and cannot be read now, as on a locked device: nothing is forgotten then.
    public func data(for name: String) throws -> Data? { try lock.withLock { _ in try read()[name] } }

    /// Stores a value; nil removes it.
    ///
    /// - Throws: an error of Foundation if the file cannot be read or written now; it stays as it was.
    public func set(_ data: Data?, for name: String) throws {
        try lock.withLock { _ in
            let other = try lockOthersOut()
            // Closing it releases the lock, as the end of the process does.
            defer { close(other) }
            var values = try read()
            values[name] = data
            try write(JSONEncoder().encode(values))
        }
    }

    /// The value of that name as text; nil if there is none.
    public func text(for name: String) throws -> String? { try data(for: name).map { String(decoding: $0, as: UTF8.self) } }

    /// Stores a text; nil removes it.
    public func set(_ text: String?, for name: String) throws { try set(text.map { Data($0.utf8) }, for: name) }

    private func read() throws -> [String: Data] {
        guard FileManager.default.fileExists(atPath: file) else { return [:] }
        return try JSONDecoder().decode([String: Data].self, from: Data(contentsOf: URL(filePath: file)))
    }

    /// Waits until no other process stores a value.
    ///
    /// - Returns: the open lock file. A file that is replaced cannot be the lock: each process would lock another.
    private func lockOthersOut() throws -> Int32 {
        let descriptor = open(file + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure() }
        while flock(descriptor, LOCK_EX) != 0 {
            if errno == EINTR { continue }
            close(descriptor)
            throw failure()
        }
        return descriptor
    }

    private func write(_ content: Data) throws {
        let new = file + ".new"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure() }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: content)
        try handle.synchronize()
        try handle.close()
        guard rename(new, file) == 0 else { throw failure() }
    }

    private func failure() -> CocoaError { CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: file]) }
}
