/// Files and folders by the system's own calls: at start-up Foundation's take longer than the files.
package enum Disk {
    /// The names in a folder, `.` and `..` not among them, in the system's order; nil if there is no such folder.
    package static func names(_ path: String) -> [String]? {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            // In place, not of a copy: that would read the 1024 bytes that Apple's systems declare, and an entry has only those of its name.
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// A file's own name, without links; nil if there is no such file.
    package static func resolved(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    /// Flushes a file's bytes, or a folder's names, to the disk, so that they outlast a power cut.
    ///
    /// - Returns: 0, or the number of the system's error.
    package static func flush(_ descriptor: Int32) -> Int32 { Native.flush(descriptor) == 0 ? 0 : errno }

    /// Writes all bytes; a stream that takes no more for now, as one that does not block, is waited for.
    ///
    /// - Returns: the number of the system's error if it could not; nil if all is written.
    package static func put(_ bytes: [UInt8], _ descriptor: Int32) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 && errno == EINTR { continue }
            if written < 0 && errno == EAGAIN {
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wanted, 1, -1)
                continue
            }
            guard written > 0 else { return written < 0 ? errno : EIO }
            rest = rest.dropFirst(written)
        }
        return nil
    }
}

/// The reading of files: who names a file decides what may be opened.
extension Disk {
    /// The bytes of a regular file that the program itself keeps, behind links too; nil if there is none that can be read.
    package static func bytes(_ path: String) -> [UInt8]? {
        try? withRegularFile(path, followsLinks: true) { descriptor, status throws(UnreadFile) in
            try bytes(of: descriptor, status, .data)
        }
    }

    /// The bytes of a regular file that a folder contains, as those of a project from elsewhere.
    ///
    /// - Parameter folder: a link that leads out of it is rejected: the file could be any file of this machine.
    /// - Throws: ``UnreadFile``
    package static func bytes(_ path: String, below folder: String, _ limit: InputLimit) throws(UnreadFile) -> [UInt8] {
        guard let whole = resolved(path) else { throw .system(errno) }
        // The resolved path is the one that is opened below. A link in `path` may have changed since.
        guard isInside(whole, folder) else { throw .outside(folder: folder) }
        return try withRegularFile(whole, followsLinks: false) { descriptor, status throws(UnreadFile) in
            try bytes(of: descriptor, status, limit)
        }
    }

    /// The bytes of what a user names, such as a file, a link, or the pipe of a shell's `<(…)`.
    ///
    /// - Throws: ``UnreadFile``
    package static func bytes(named path: String, _ limit: InputLimit) throws(UnreadFile) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno) }
        defer { close(descriptor) }
        return try bytes(of: descriptor, limit)
    }

    /// The bytes of what is open already, such as standard input, to its end.
    ///
    /// - Throws: ``UnreadFile``
    package static func bytes(of descriptor: Int32, _ limit: InputLimit) throws(UnreadFile) -> [UInt8] {
        guard let status = FileStatus(descriptor) else { throw .system(errno) }
        guard status.kind != .folder else { throw .special(.folder) }
        return try bytes(of: descriptor, status, limit)
    }

    /// Whether a path, without its links, is below a folder; true for a missing one.
    package static func isInside(_ path: String, _ folder: String) -> Bool {
        guard let path = resolved(path), let folder = resolved(folder) else { return true }
        return path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
    }

    /// Opens a regular file for the body, and nothing else: opening a pipe would wait for its writer, and a device may do anything.
    ///
    /// - Parameters:
    ///   - followsLinks: false rejects a link. The path's folders are followed in any case.
    ///   - writes: whether the body also writes.
    /// - Throws: ``UnreadFile``, and what the body throws.
    package static func withRegularFile<Value>(
        _ path: String, followsLinks: Bool, writes: Bool = false, _ body: (Int32, FileStatus) throws(UnreadFile) -> Value
    ) throws(UnreadFile) -> Value {
        guard let there = FileStatus(path, followsLinks: followsLinks) else { throw .system(errno) }
        guard there.kind == .plain else { throw .special(there.kind) }
        let mode = (writes ? O_RDWR : O_RDONLY) | (followsLinks ? 0 : O_NOFOLLOW)
        let descriptor = open(path, mode | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno) }
        defer { close(descriptor) }
        // Another file may have replaced it since.
        guard let status = FileStatus(descriptor) else { throw .system(errno) }
        guard status.kind == .plain else { throw .special(status.kind) }
        return try body(descriptor, status)
    }

    /// The first bytes of an open file: fewer than `count` only where the file ends.
    ///
    /// - Throws: ``UnreadFile/system(_:)``
    package static func first(_ count: Int, of descriptor: Int32) throws(UnreadFile) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(count, 64 << 10))
        while bytes.count < count {
            let wanted = min(buffer.count, count - bytes.count)
            let got = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, wanted) }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw .system(errno) }
            guard got > 0 else { break }
            bytes += buffer[..<got]
        }
        return bytes
    }

    /// The bytes of an open file to its end. Its size is looked at first; a pipe has none, and a file may grow.
    private static func bytes(of descriptor: Int32, _ status: FileStatus, _ limit: InputLimit) throws(UnreadFile) -> [UInt8] {
        guard status.size <= Int64(limit.bytes) else { throw .tooLarge(bytes: status.size, limit) }
        let bytes = try first(limit.bytes + 1, of: descriptor)
        guard bytes.count <= limit.bytes else { throw .tooLarge(bytes: nil, limit) }
        return bytes
    }
}

/// A file system in memory, for files that need not outlast the machine: what is written there is never waited for.
package enum MemoryFiles {
    /// The folder of Linux's shared memory; nil if it cannot be written to, if no program may be run from it, or if less is free.
    ///
    /// Containers have it too, often with 64 MiB and without the right to run programs.
    ///
    /// - Parameter free: the bytes that must be free.
    package static func folder(free: UInt64) -> String? {
        #if os(Linux)
        let path = "/dev/shm"
        var status = statvfs()
        guard statvfs(path, &status) == 0, access(path, W_OK | X_OK) == 0 else { return nil }
        // ST_NOEXEC, which is not in the headers without GNU's extensions (statvfs(3)).
        let isForPrograms = UInt64(status.f_flag) & 8 == 0
        return isForPrograms && UInt64(status.f_bavail) * UInt64(status.f_frsize) >= free ? path : nil
        #else
        return nil
        #endif
    }
}
