#if canImport(Musl)
@_exported public import Musl

/// The values and calls whose name or type differs between C libraries: those of musl.
enum Native {
    /// The kind of a TCP socket.
    static let stream: Int32 = SOCK_STREAM
    /// The limit of open files, as `getrlimit` takes it.
    static let openFiles: Int32 = RLIMIT_NOFILE
}
#endif
