import Platform

/// Detects changes of files by size, modification time and inode.
struct FileWatch {
    private var seen: [String: Stamp]

    private struct Stamp: Equatable {
        let size: Int64
        /// In nanoseconds since 1970.
        let modified: Int64
        let inode: UInt64
    }

    /// Watches the files from their present state on.
    init(_ files: [String]) { seen = FileWatch.stamps(files) }

    /// Whether any of the files was changed, created or deleted since the last call.
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
