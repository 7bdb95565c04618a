import Foundation
import Platform

/// Makes the files that a client stores unreadable for a while, as a secure store is while the device is locked.
///
/// A file can still be seen, replaced and removed; only reading fails. The client's changes meanwhile remain: a file that it replaces
/// or removes is not restored. A file that a running client has open can still be read there: a case restarts the client.
struct UnreadableFiles {
    let folder: URL
    /// The location of the files meanwhile, if permissions do not apply to the user; on the same file system.
    let aside: URL
    private var files: [Hidden] = []

    /// A file that cannot be read, and how it was.
    private struct Hidden {
        let path: String
        let was: FileStatus
        /// Its location meanwhile; nil if it has stayed, without permissions.
        let location: String?
    }

    init(below folder: URL, aside: URL) {
        self.folder = folder
        self.aside = aside
    }

    /// Reading it fails with an input/output error, even for root; its status is that of a regular file (proc(5)).
    static let link = "/proc/self/mem"

    /// Makes every file below the folder unreadable.
    ///
    /// - Returns: how many there are; nil if this machine cannot do it. Nothing is changed then.
    mutating func begin() throws -> Int? {
        for path in SearchedFolder.paths(below: folder).map({ folder.appending(path: $0).path }) {
            guard let was = FileStatus(path, followsLinks: false), was.kind == .plain else { continue }
            guard let hidden = try hide(path, was) else {
                end()
                return nil
            }
            files.append(hidden)
        }
        return files.count
    }

    /// Has the files read again, those that are still there.
    mutating func end() {
        for file in files.reversed() { restore(file) }
        files = []
        try? FileManager.default.removeItem(at: aside)
    }

    private func hide(_ path: String, _ was: FileStatus) throws -> Hidden? {
        guard chmod(path, 0) == 0 else { return nil }
        if !UnreadableFiles.canRead(path) { return Hidden(path: path, was: was, location: nil) }
        // Permissions do not apply to root.
        _ = chmod(path, was.permissions)
        try FileManager.default.createDirectory(at: aside, withIntermediateDirectories: true)
        let location = aside.appending(path: "\(files.count)").path
        guard FileStatus(UnreadableFiles.link) != nil, rename(path, location) == 0 else { return nil }
        guard symlink(UnreadableFiles.link, path) == 0, !UnreadableFiles.canRead(path) else {
            _ = rename(location, path)
            return nil
        }
        return Hidden(path: path, was: was, location: location)
    }

    private func restore(_ file: Hidden) {
        let now = FileStatus(file.path, followsLinks: false)
        guard let location = file.location else {
            if now?.isSameFile(as: file.was) ?? false { _ = chmod(file.path, file.was.permissions) }
            return
        }
        guard (try? FileManager.default.destinationOfSymbolicLink(atPath: file.path)) == UnreadableFiles.link else { return }
        _ = rename(location, file.path)
    }

    /// Whether a byte of the file, or its end, can be read.
    private static func canRead(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var byte: UInt8 = 0
        return read(descriptor, &byte, 1) >= 0
    }
}
