import BankEngine
import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif
#if canImport(CoreFoundation)
    import CoreFoundation
#endif

/// Keeps a second server from a state file as long as the first lives, under whatever name each has it: the lock is on the file
/// itself, and the kernel lets it go with the process.
///
/// It is a lock of an open file description, on a byte far behind those on which SQLite has locks of its own.
final class StateLock: Sendable {
    /// The file's own name: what links led to.
    let path: String
    let size: Int64
    /// Whether the file was there before.
    let wasThere: Bool
    private let file: Int32

    /// Opens the file, or makes it for its owner only.
    ///
    /// - Parameter onlyLooks: makes none, and shares the file with others that only look.
    init(_ path: String, onlyLooks: Bool) throws(StoreError) {
        guard !path.isEmpty else { throw .cannotOpen(path: path, reason: "found an empty name") }
        var descriptor: Int32 = -1
        if !onlyLooks { descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        wasThere = descriptor < 0
        // Another kind of file, such as a pipe, would keep whoever opens it waiting.
        if descriptor < 0 { descriptor = open(path, (onlyLooks ? O_RDONLY : O_RDWR | O_CREAT) | O_NONBLOCK | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { throw onlyLooks && errno == ENOENT ? .missing(path: path) : .system(path, errno) }
        var isKept = false
        defer { if !isKept { close(descriptor) } }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG, !onlyLooks || status.st_size > 0 else {
            throw onlyLooks ? .missing(path: path) : .cannotOpen(path: path, reason: "found something that is no plain file")
        }
        guard let whole = StateLock.resolved(path), StateLock.isSame(status, whole) else {
            throw .cannotOpen(path: path, reason: "found another file of that name than a moment ago")
        }
        guard StateLock.set(descriptor, onlyLooks ? F_RDLCK : F_WRLCK) else {
            let holder = StateMark.holder(beside: whole)
            // Closing it would take the locks from this very process's SQLite (POSIX fcntl): better a descriptor is lost.
            isKept = holder == getpid()
            throw .inUse(path: path, by: holder.map { "\($0)" })
        }
        guard onlyLooks || fchmod(descriptor, 0o600) == 0 else { throw .system(path, errno) }
        isKept = true
        (file, size, self.path) = (descriptor, Int64(status.st_size), whole)
    }

    private static func set(_ descriptor: Int32, _ kind: Int32) -> Bool {
        var lock = flock()
        (lock.l_type, lock.l_whence) = (Int16(kind), Int16(SEEK_SET))
        (lock.l_start, lock.l_len) = (1 << 62, 1)
        return withUnsafeMutablePointer(to: &lock) { fcntl(descriptor, StateLock.setCommand, UnsafeMutableRawPointer($0)) } == 0
    }

    /// `F_OFD_SETLK` of the system's headers, which are not imported.
    #if canImport(Glibc)
        private static let setCommand: Int32 = 37
    #else
        private static let setCommand: Int32 = 90
    #endif

    private static func resolved(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    private static func isSame(_ status: stat, _ path: String) -> Bool {
        var other = stat()
        return stat(path, &other) == 0 && other.st_dev == status.st_dev && other.st_ino == status.st_ino
    }

    /// Lets others have the file.
    func release() { _ = StateLock.set(file, F_UNLCK) }

    deinit { close(file) }
}

extension StoreError {
    /// The system refused something on the way to the file.
    static func system(_ path: String, _ number: Int32) -> StoreError {
        .cannotOpen(path: path, reason: String(cString: strerror(number)))
    }
}
