import Foundation

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
    /// The files that a server needs before the first connection: three for each event loop of the bank and the admin API, listeners,
    /// the state's and the standard streams.
    private static var least: Int { 32 + 8 * ProcessInfo.processInfo.activeProcessorCount }

    /// Raises it to the most that the system lets us have: a bank is to hold thousands of connections.
    ///
    /// - Throws: ``UsageError`` where that is too little for a server: it could not even begin.
    static func raise() throws(UsageError) {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(resource, &limit)
        guard limit.rlim_max < UInt64(least) else { return }
        throw UsageError(
            "found a limit of \(limit.rlim_max) open files, expected at least \(least): raise it (`ulimit -Hn` and `ulimit -n`)")
    }
}
