import BankEngine
import Platform

/// Prevents a second server from opening a state file while the first runs, under any name: the lock is on the file itself,
/// and the kernel releases it with the process.
///
/// It is a lock of an open file description, on a byte far beyond those that SQLite locks.
final class StateLock: Sendable {
    /// The file's canonical path, without links.
    let path: String
    let size: Int64
    /// Whether the file existed before.
    let wasThere: Bool
    private let file: Int32
    private let status: FileStatus
    private static let byte: Int64 = 1 << 62
    /// The bytes that SQLite locks, which identify the process (sqlite.org/src/file/src/os.h, `PENDING_BYTE`).
    private static let bytesOfSQLite: Range<Int64> = 0x4000_0000..<0x4000_0200

    /// Opens the file, or creates it for its owner only.
    ///
    /// - Parameter onlyLooks: creates none, and shares the file with other readers.
    init(_ path: String, onlyLooks: Bool) throws(StoreError) {
        guard !path.isEmpty else { throw .cannotOpen(path: path, reason: "found an empty name") }
        var descriptor: Int32 = -1
        if !onlyLooks { descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        wasThere = descriptor < 0
        // Opening another kind of file, such as a pipe, would block.
        if descriptor < 0 { descriptor = open(path, (onlyLooks ? O_RDONLY : O_RDWR | O_CREAT) | O_NONBLOCK | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { throw onlyLooks && errno == ENOENT ? .missing(path: path) : .system(path, errno) }
        var isKept = false
        defer { if !isKept { close(descriptor) } }
        guard let status = FileStatus(descriptor) else { throw .system(path, errno) }
        guard status.kind == .plain, !onlyLooks || status.size > 0 else {
            throw onlyLooks ? .missing(path: path) : .cannotOpen(path: path, reason: "found something other than a regular file")
        }
        guard let whole = Disk.resolved(path), FileStatus(whole)?.isSameFile(as: status) ?? false else {
            throw .cannotOpen(path: path, reason: "found that the file was replaced just now")
        }
        guard (onlyLooks ? FileLock.shared : .exclusive).set(on: descriptor, byte: StateLock.byte) else {
            let holder = FileLock.holder(of: descriptor, bytes: StateLock.bytesOfSQLite)
            // This process may hold it: closing the descriptor would release the locks of its SQLite (POSIX fcntl). Losing one is better.
            isKept = holder == nil
            throw .inUse(path: path, by: holder.map { "\($0)" })
        }
        guard onlyLooks || fchmod(descriptor, 0o600) == 0 else { throw .system(path, errno) }
        isKept = true
        file = descriptor
        self.status = status
        size = status.size
        self.path = whole
    }

    /// Whether the file at the path is still this one.
    var isAtPath: Bool { FileStatus(path, followsLinks: false)?.isSameFile(as: status) ?? false }

    func release() { _ = FileLock.released.set(on: file, byte: StateLock.byte) }

    deinit { close(file) }
}

extension StoreError {
    /// An error of a system call on the way to the file.
    static func system(_ path: String, _ number: Int32) -> StoreError {
        .cannotOpen(path: path, reason: String(cString: strerror(number)))
    }
}
