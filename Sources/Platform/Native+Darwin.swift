#if canImport(Darwin)
@_exported public import Darwin
import MachO

/// The values and calls whose name or type differs between C libraries: those of macOS and iOS.
///
/// Written from Apple's headers and manual pages. It has not been compiled or run yet.
enum Native {
    /// The kind of a TCP socket.
    static let stream: Int32 = SOCK_STREAM
    /// The limit of open files, as `getrlimit` takes it.
    static let openFiles: Int32 = RLIMIT_NOFILE

    /// `F_OFD_SETLK` of `sys/fcntl.h`: a lock of the open file description, as Linux has it.
    static let lockCommand: Int32 = 90
    /// `setrlimit` rejects more than OPEN_MAX, even where the hard limit is infinite (setrlimit(2), Compatibility).
    static let mostOpenFiles = rlim_t(OPEN_MAX)
    /// `send` has no flag that prevents SIGPIPE: it is set once on the socket.
    static let sendFlags: Int32 = 0

    /// Two sockets may not have one address while one of them listens.
    static let isPortSharedWithListener = false

    /// A shutdown of a listener fails, and a connection is reset only at its last close.
    static let endsSharedSockets = false

    /// Below the user's home (File System Programming Guide).
    static let stateFolder = "Library/Application Support"
    static let usesXDG = false

    static func modified(_ status: stat) -> timespec { status.st_mtimespec }

    /// Keeps writes to the socket from raising SIGPIPE.
    static func quieten(_ socket: Int32) {
        var isOn: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Flushes the file's bytes to the disk: `fsync` leaves them in the drive's cache (fsync(2)). Falls back to `fsync` where the file
    /// system does not support F_FULLFSYNC.
    static func flush(_ descriptor: Int32) -> Int32 { fcntl(descriptor, F_FULLFSYNC) == 0 ? 0 : fsync(descriptor) }

    /// The bytes that the kernel has not yet sent, or sent and not yet seen confirmed.
    static func unsentBytes(_ socket: Int32) -> Int { count(SO_NWRITE, of: socket) }

    /// The bytes that have arrived and were not read. Swift does not see FIONREAD here, whose macro has the size of a type in it.
    static func unreadBytes(_ socket: Int32) -> Int { count(SO_NREAD, of: socket) }

    private static func count(_ option: Int32, of socket: Int32) -> Int {
        var count: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(socket, SOL_SOCKET, option, &count, &size) == 0 ? Int(count) : 0
    }

    /// Does nothing: `connect` dissolves only associations of datagram sockets there (connect(2)).
    static func disconnect(_ socket: Int32) {}

    static var programPath: String? {
        var size: UInt32 = 0
        _ = _NSGetExecutablePath(nil, &size)
        var path = [CChar](repeating: 0, count: Int(size))
        guard _NSGetExecutablePath(&path, &size) == 0 else { return nil }
        return String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// `setrlimit` is for the calling process alone.
    static let setsLimitsOfOthers = false
    static func fileSizeLimit(of process: pid_t) -> rlimit? { nil }
    static func setFileSizeLimit(of process: pid_t, to limit: rlimit) -> Bool { false }

    /// Orphans go to launchd.
    static func adoptOrphans(_ adopts: Bool) -> Bool { false }
    static var processes: [ProcessEntry] { [] }

    static var residentBytes: Int? { nil }
    static var openDescriptors: Int? { Disk.names("/dev/fd")?.count }
    static var threads: Int? { nil }
}
#endif
