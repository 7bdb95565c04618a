import Platform

/// A file that a command writes whole: a reader finds the old text or all of the new one, never a part.
///
/// A device, pipe or link is written into and not replaced: a file that is
/// put in its place by renaming would take `/dev/null` from the whole machine.
struct WholeFile {
    let path: String
    /// Whether nobody but its owner may read it.
    let isPrivate: Bool

    init(_ path: String, isPrivate: Bool = false) {
        self.path = path
        self.isPrivate = isPrivate
    }

    /// Looks whether the file could be written now; nothing is changed.
    ///
    /// For commands that work for minutes before they have something to write.
    ///
    /// - Throws: ``FileError`` if it could not.
    func check() throws(FileError) {
        guard let there = FileStatus(path) else { return try require(access(folder, W_OK | X_OK) == 0) }
        guard there.kind != .folder else { throw FileError(path, EISDIR) }
        try require(access(path, W_OK) == 0)
    }

    /// Checks that the file is none of those that the command reads, under any name: writing it would replace what it was made from.
    ///
    /// - Throws: ``FileError`` if it is one of them.
    func check(isNoneOf inputs: [String]) throws(FileError) {
        guard let there = FileStatus(path) else {
            if inputs.contains(path) { throw FileError(path, EEXIST, isInput: true) }
            return
        }
        // A device or a pipe loses nothing.
        guard there.kind == .plain else { return }
        if inputs.contains(where: { FileStatus($0)?.isSameFile(as: there) ?? false }) { throw FileError(path, EEXIST, isInput: true) }
    }

    /// Writes the file.
    ///
    /// - Throws: ``FileError`` if it cannot be written whole; a plain file is then what it was.
    func write(_ text: String) throws(FileError) { try write(Array(text.utf8)) }

    /// Writes the file.
    ///
    /// - Throws: ``FileError`` if it cannot be written whole; a plain file is then what it was.
    func write(_ bytes: [UInt8]) throws(FileError) {
        let there = FileStatus(path, followsLinks: false)
        guard there.map({ $0.kind == .plain }) ?? true else { return try writeInto(bytes) }
        let part = "\(path).\(getpid())"
        _ = unlink(part)
        let mode: mode_t = isPrivate ? 0o600 : there?.permissions ?? 0o666
        let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else {
            // The folder takes no new file: one that is there may be writable all the same.
            let reason = errno
            if there != nil, access(path, W_OK) == 0 { return try writeInto(bytes) }
            throw FileError(path, reason)
        }
        // The mask of the process is for new files, not for one that had its rights.
        if isPrivate || there != nil { _ = fchmod(descriptor, mode) }
        do throws(FileError) {
            try put(bytes, descriptor)
        } catch {
            _ = unlink(part)
            throw error
        }
        guard rename(part, path) != 0 else { return }
        let reason = errno
        _ = unlink(part)
        // A file that is mounted by itself, as containers do, cannot be replaced.
        guard reason == EBUSY else { throw FileError(path, reason) }
        try writeInto(bytes)
    }

    /// Writes into an existing device, pipe or link.
    private func writeInto(_ bytes: [UInt8]) throws(FileError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, isPrivate ? 0o600 : 0o666)
        try require(descriptor >= 0)
        // A file that a link leads to, or whose folder takes no new one, had its rights before. A device keeps them.
        if isPrivate, FileStatus(descriptor)?.kind == .plain, fchmod(descriptor, 0o600) != 0 {
            let reason = errno
            close(descriptor)
            throw FileError(path, reason)
        }
        try put(bytes, descriptor)
    }

    /// Writes all bytes and closes the file.
    private func put(_ bytes: [UInt8], _ descriptor: Int32) throws(FileError) {
        let failure = Disk.put(bytes, descriptor)
        let isClosed = close(descriptor) == 0
        if let failure { throw FileError(path, failure) }
        try require(isClosed)
    }

    private func require(_ isDone: Bool) throws(FileError) {
        guard isDone else { throw FileError(path, errno) }
    }

    /// The folder that the file is in, as the system takes it.
    private var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

/// Why a file cannot be written, mostly in the system's words.
struct FileError: Error, CustomStringConvertible {
    let path: String
    /// The number of the system's error, such as `ENOENT`.
    let number: Int32
    private let isInput: Bool

    /// - Parameter isInput: whether the command reads the file, too.
    init(_ path: String, _ number: Int32, isInput: Bool = false) {
        self.path = path
        self.number = number
        self.isInput = isInput
    }

    /// The reason alone, such as `No such file or directory`.
    var reason: String { isInput ? "the command reads this file, expected another one" : String(cString: strerror(number)) }

    var description: String { "cannot write \(path): \(reason)" }

    /// What to do about it; nil if the reason says it.
    var hint: String? {
        if isInput { return nil }
        switch number {
        case ENOENT: return "create its folder, or name a file in another one"
        case EACCES, EPERM, EROFS: return "name a file that you may write"
        case EISDIR: return "name a file, not a folder"
        default: return nil
        }
    }
}
