#if canImport(CoreFoundation)
    // Owns the system's structures, as the compiler sees it, where Foundation was loaded first.
    import CoreFoundation
#endif
#if canImport(SwiftOverlayShims)
    // Owns them where a module of Swift's own came first, as in a release build.
    import SwiftOverlayShims
#endif
#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Sees that files have changed, by size and time of change.
struct FileWatch {
    private var seen: [String: Stamp]

    private struct Stamp: Equatable {
        let size: Int64
        let seconds: Int
        let nanoseconds: Int
        let inode: UInt64
    }

    /// Takes the files as they are now for unchanged.
    init(_ files: [String]) { seen = FileWatch.stamps(files) }

    /// Whether any of the files has changed, come or gone since the last look.
    mutating func hasChanged(_ files: [String]) -> Bool {
        let now = FileWatch.stamps(files)
        defer { seen = now }
        return now != seen
    }

    private static func stamps(_ files: [String]) -> [String: Stamp] {
        var stamps: [String: Stamp] = [:]
        for file in files {
            var info = stat()
            guard stat(file, &info) == 0 else { continue }
            #if canImport(Glibc)
                let time = info.st_mtim
            #else
                let time = info.st_mtimespec
            #endif
            stamps[file] = Stamp(size: Int64(info.st_size), seconds: time.tv_sec, nanoseconds: time.tv_nsec, inode: UInt64(info.st_ino))
        }
        return stamps
    }
}
