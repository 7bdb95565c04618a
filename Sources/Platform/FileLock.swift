/// A lock on one byte of an open file. It belongs to the open file description, not to the process: closing another
/// descriptor of the same file leaves it, and the kernel releases it with the last one.
package enum FileLock: Sendable {
    case shared, exclusive, released

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
