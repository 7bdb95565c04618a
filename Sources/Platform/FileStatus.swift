/// A file's kind, size, permissions and identity, as the system reports them.
package struct FileStatus: Sendable, Hashable {
    /// The kinds of file that callers distinguish.
    package enum Kind: Sendable, Hashable {
        case plain, folder, pipe, socket, device
        /// A link that was not followed.
        case link
    }

    package let kind: Kind
    /// In bytes.
    package let size: Int64
    /// The permission bits for owner, group and others, such as `0o600`.
    package let permissions: mode_t
    /// When its content was last changed, in nanoseconds since 1970.
    package let modified: Int64
    /// Its number on its device.
    package let inode: UInt64
    private let device: Int64

    /// - Returns: nil if there is no such file, or it cannot be seen; `errno` has the reason.
    package init?(_ path: String, followsLinks: Bool = true) {
        var status = stat()
        guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        self.init(status)
    }

    /// - Parameter descriptor: an open file.
    /// - Returns: nil if it is not open; `errno` has the reason.
    package init?(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .plain
        case S_IFDIR: kind = .folder
        case S_IFIFO: kind = .pipe
        case S_IFSOCK: kind = .socket
        case S_IFLNK: kind = .link
        default: kind = .device
        }
        size = Int64(status.st_size)
        permissions = status.st_mode & 0o777
        modified = nanoseconds(Native.modified(status))
        inode = UInt64(status.st_ino)
        device = Int64(truncatingIfNeeded: status.st_dev)
    }

    /// Whether both are one file, whatever its names.
    package func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }
}
