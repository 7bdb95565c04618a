import Platform

/// Sees that files have changed, by size and time of change.
struct FileWatch {
    private var seen: [String: Stamp]

    private struct Stamp: Equatable {
        let size: Int64
        /// In nanoseconds since 1970.
        let modified: Int64
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
            guard let status = FileStatus(file) else { continue }
            stamps[file] = Stamp(size: status.size, modified: status.modified, inode: status.inode)
        }
        return stamps
    }
}
