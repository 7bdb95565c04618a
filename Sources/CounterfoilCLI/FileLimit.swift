#if canImport(CoreFoundation)
    // Owns the system's structures, as the compiler sees it, where Foundation was loaded first.
    import CoreFoundation
#endif
#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How many connections and files a process may have open.
enum FileLimit {
    /// Raises it to the most that the system lets us have: a bank is to hold thousands of connections.
    static func raise() {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(resource, &limit)
    }
}
