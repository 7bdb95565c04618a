import Foundation
import Platform

/// Checks who may read the files that a client stores.
struct KeptFiles {
    let folder: URL

    init(below folder: URL) { self.folder = folder }

    /// The permission bits by which a file below the folder can be reached; nil for a folder, and for a missing file.
    ///
    /// A folder that a class of users may not enter shuts them out of all in it; the state folder itself is the harness's and does
    /// not count.
    func mode(of path: String) -> Int? {
        guard let file = status(path), file.kind != .folder else { return nil }
        var mode = Int(file.permissions)
        var above = path[...]
        while let slash = above.lastIndex(of: "/") {
            above = above[..<slash]
            guard let folder = status(String(above)) else { continue }
            // Entering a folder is its execute bit; each class of three bits is all open or shut by it.
            for shift in [6, 3, 0] where folder.permissions >> shift & 1 == 0 { mode &= ~(7 << shift) }
        }
        return mode
    }

    private func status(_ path: String) -> FileStatus? { FileStatus(folder.appending(path: path).path, followsLinks: false) }
}
