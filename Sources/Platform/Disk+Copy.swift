extension Disk {
    /// The first bytes of a regular file, fewer if it is shorter; nil if it cannot be read.
    package static func first(_ count: Int, of path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return try? first(count, of: file)
    }

    /// Copies a regular file to a new one that only its owner can read.
    ///
    /// - Returns: nil, or the number of the system's error.
    package static func copy(_ path: String, to target: String) -> Int32? {
        let file = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return errno }
        defer { close(file) }
        guard FileStatus(file)?.kind == .plain else { return EINVAL }
        let new = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard new >= 0 else { return errno }
        defer { close(new) }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(file, &buffer, buffer.count)
            if count == 0 { return nil }
            guard count > 0 else { return errno }
            var sent = 0
            while sent < count {
                let written = buffer.withUnsafeBytes { write(new, $0.baseAddress.map { $0 + sent }, count - sent) }
                guard written > 0 else { return errno }
                sent += written
            }
        }
    }
}
