#if canImport(Musl)
    @_exported public import Musl

    /// What only one C library calls by this name or declares with this type: musl's.
    enum Native {
        /// The kind of a TCP socket.
        static let stream: Int32 = SOCK_STREAM
        /// The limit of open files, as `getrlimit` takes it.
        static let openFiles: Int32 = RLIMIT_NOFILE
    }
#endif
