/// A lock on one byte of an open file. It belongs to the open file description, not to the process: closing another
/// descriptor of the same file leaves it, and the kernel releases it with the last one.
package enum FileLock: Sendable {
    case shared, exclusive, released

    /// The process that has a lock (POSIX `fcntl`) on one of these bytes; nil if none has, or this one.
    package static func holder(of descriptor: Int32, bytes: Range<Int64>) -> pid_t? {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(bytes.lowerBound)
        lock.l_len = off_t(bytes.count)
        let isKnown = withUnsafeMutablePointer(to: &lock) { fcntl(descriptor, F_GETLK, UnsafeMutableRawPointer($0)) } == 0
        return isKnown && lock.l_type != Int16(F_UNLCK) && lock.l_pid > 0 ? lock.l_pid : nil
    }

    /// Sets or releases the lock.
    ///
    /// - Returns: false if another has one that does not go with it.
    package func set(on descriptor: Int32, byte: Int64) -> Bool {
        var lock = flock()
        lock.l_type =
            switch self {
            case .shared: Int16(F_RDLCK)
            case .exclusive: Int16(F_WRLCK)
            case .released: Int16(F_UNLCK)
            }
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(byte)
        lock.l_len = 1
        return withUnsafeMutablePointer(to: &lock) { fcntl(descriptor, Native.lockCommand, UnsafeMutableRawPointer($0)) } == 0
    }
}
