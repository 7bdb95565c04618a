#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#endif

#if canImport(Glibc) || canImport(Musl)
/// The values and calls whose name or type differs between C libraries: those of glibc and musl.
enum Native {
    #if canImport(Glibc)
    /// The kind of a TCP socket.
    static let stream = Int32(SOCK_STREAM.rawValue)
    /// The limit of open files, as `getrlimit` takes it.
    static let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    /// The kind of a TCP socket.
    static let stream: Int32 = SOCK_STREAM
    /// The limit of open files, as `getrlimit` takes it.
    static let openFiles: Int32 = RLIMIT_NOFILE
    #endif

    /// `F_OFD_SETLK` of Linux, which the headers show only to programs that ask for GNU's extensions.
    static let lockCommand: Int32 = 37
    /// The most open files that `setrlimit` accepts, whatever the hard limit is.
    static let mostOpenFiles = rlim_t.max
    /// Keeps `send` from raising SIGPIPE.
    static let sendFlags = Int32(MSG_NOSIGNAL)

    /// Linux lets a bound socket and a listener share an address if both ask for SO_REUSEADDR (socket(7)).
    static let isPortSharedWithListener = true

    /// A shutdown ends a listener, and a connect to no address a connection (shutdown(2), connect(2)).
    static let endsSharedSockets = true

    /// Below the user's home (XDG Base Directory Specification).
    static let stateFolder = ".local/state"
    static let usesXDG = true

    static func modified(_ status: stat) -> timespec { status.st_mtim }

    /// Prevents writes to the socket from raising SIGPIPE: a flag of each `send`.
    static func quieten(_ socket: Int32) {}

    /// Flushes the file's bytes to the disk.
    static func flush(_ descriptor: Int32) -> Int32 { fsync(descriptor) }

    /// The bytes that the kernel has not yet sent, or sent and not yet seen confirmed (tcp(7)).
    static func unsentBytes(_ socket: Int32) -> Int {
        var count: Int32 = 0
        return ioctl(socket, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    /// The bytes that have arrived and were not read (tcp(7)).
    static func unreadBytes(_ socket: Int32) -> Int {
        var count: Int32 = 0
        return ioctl(socket, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }

    /// Dissolves the connection: a connected socket sends RST (connect(2), AF_UNSPEC).
    static func disconnect(_ socket: Int32) {
        var address = sockaddr(sa_family: sa_family_t(AF_UNSPEC), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        _ = connect(socket, &address, socklen_t(MemoryLayout<sockaddr>.size))
    }

    static var programPath: String? { "/proc/self/exe" }

    /// The second field of `/proc/self/statm` is in pages (proc(5)).
    static var residentBytes: Int? {
        let text = Disk.bytes("/proc/self/statm").map { String(decoding: $0, as: UTF8.self) }
        let pages = text?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return pages.map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
    }

    static let setsLimitsOfOthers = true

    /// The limit on the size of files of a process; nil if there is no such process, or it is another user's.
    static func fileSizeLimit(of process: pid_t) -> rlimit? {
        var limit = rlimit()
        return systemLimit(process, fileSize, nil, &limit) == 0 ? limit : nil
    }

    static func setFileSizeLimit(of process: pid_t, to limit: rlimit) -> Bool {
        var limit = limit
        return systemLimit(process, fileSize, &limit, nil) == 0
    }

    /// RLIMIT_FSIZE of Linux.
    private static let fileSize: Int32 = 1

    /// Whether this process is the new parent of processes below it whose own parent has ended (prctl(2)).
    ///
    /// - Returns: false if the system cannot.
    static func adoptOrphans(_ adopts: Bool) -> Bool { systemControl(adoptsOrphans, adopts ? 1 : 0, 0, 0, 0) == 0 }

    /// PR_SET_CHILD_SUBREAPER of Linux.
    private static let adoptsOrphans: Int32 = 36

    static var processes: [ProcessEntry] {
        (Disk.names("/proc") ?? []).filter { pid_t($0) != nil }.compactMap { id in
            Disk.bytes("/proc/\(id)/stat").flatMap { ProcessEntry(stat: String(decoding: $0, as: UTF8.self)) }
        }
    }

    static var openDescriptors: Int? { Disk.names("/proc/self/fd")?.count }
    static var threads: Int? { Disk.names("/proc/self/task")?.count }
}

/// `prlimit` of Linux, which the headers show only to programs that ask for GNU's extensions (prlimit(2)).
@_silgen_name("prlimit") private func systemLimit(
    _ process: pid_t, _ resource: Int32, _ new: UnsafePointer<rlimit>?, _ old: UnsafeMutablePointer<rlimit>?
) -> Int32

/// `prctl`, which is variadic: Linux passes its arguments as it does those of any other function (System V ABI, AAPCS64).
@_silgen_name("prctl") private func systemControl(_ option: Int32, _ a: UInt, _ b: UInt, _ c: UInt, _ d: UInt) -> Int32
#endif
