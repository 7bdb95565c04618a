import Foundation

/// Checks who may read the files that a client stores.
struct KeptFiles {
    let folder: URL

    init(below folder: URL) { self.folder = folder }

    /// The permission bits by which a file below the folder can be reached; nil for a folder, and for a missing file.
    ///
    /// A folder that a class of users may not enter shuts them out of all in it; the state folder itself is the harness's and does
    /// not count.
    func mode(of path: String) -> Int? {
        guard let (type, own) = attributes(path), type != .typeDirectory else { return nil }
        var mode = own
        var above = path[...]
        while let slash = above.lastIndex(of: "/") {
            above = above[..<slash]
            guard let (_, folder) = attributes(String(above)) else { continue }
            // Entering a folder is its execute bit; each class of three bits is all open or shut by it.
            for shift in [6, 3, 0] where folder >> shift & 1 == 0 { mode &= ~(7 << shift) }
        }
        return mode
    }

    private func attributes(_ path: String) -> (type: FileAttributeType, mode: Int)? {
        guard let found = try? FileManager.default.attributesOfItem(atPath: folder.appending(path: path).path),
            let type = found[.type] as? FileAttributeType, let mode = found[.posixPermissions] as? Int
        else { return nil }
        return (type, mode & 0o777)
    }
}
