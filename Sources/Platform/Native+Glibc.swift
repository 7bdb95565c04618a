#if canImport(Glibc)
@_exported public import Glibc

/// The values and calls whose name or type differs between C libraries: those of glibc.
enum Native {
    /// The kind of a TCP socket.
    static let stream = Int32(SOCK_STREAM.rawValue)
    /// The limit of open files, as `getrlimit` takes it.
    static let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
}
#endif
