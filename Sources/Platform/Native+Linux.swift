#if canImport(Glibc) || canImport(Musl)
    extension Native {
        /// `F_OFD_SETLK` of Linux, which the headers show only to programs that ask for GNU's extensions.
        static let lockCommand: Int32 = 37
        /// The most open files that `setrlimit` accepts, whatever the hard limit says.
        static let mostOpenFiles = rlim_t.max
        /// Keeps `send` from raising SIGPIPE.
        static let sendFlags = Int32(MSG_NOSIGNAL)

        /// Linux lets a bound socket and a listener share an address if both ask for SO_REUSEADDR (socket(7)).
        static let isPortSharedWithListener = true

        /// Below the user's home (XDG Base Directory Specification).
        static let stateFolder = ".local/state"
        static let heedsXDG = true

        static func modified(_ status: stat) -> timespec { status.st_mtim }

        /// Keeps writes to the socket from raising SIGPIPE: `send` is told each time.
        static func quieten(_ socket: Int32) {}

        /// Flushes the file's bytes to the disk.
        static func flush(_ descriptor: Int32) -> Int32 { fsync(descriptor) }

        /// The bytes that the kernel has not yet sent, or sent and not yet seen confirmed (tcp(7)).
        static func unsentBytes(_ socket: Int32) -> Int {
            var count: Int32 = 0
            return ioctl(socket, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
        }

        static var programPath: String? { "/proc/self/exe" }

        /// The second field of `/proc/self/statm` is in pages (proc(5)).
        static var residentBytes: Int? {
            let text = Disk.bytes("/proc/self/statm").map { String(decoding: $0, as: UTF8.self) }
            let pages = text?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            return pages.map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
        }

        static var openDescriptors: Int? { Disk.names("/proc/self/fd")?.count }
        static var threads: Int? { Disk.names("/proc/self/task")?.count }
    }
#endif
