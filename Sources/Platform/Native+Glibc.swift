#if canImport(Glibc)
    @_exported public import Glibc

    /// What only one C library calls by this name or declares with this type: glibc's.
    enum Native {
        /// The kind of a TCP socket.
        static let stream = Int32(SOCK_STREAM.rawValue)
        /// The limit of open files, as `getrlimit` takes it.
        static let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    }
#endif
