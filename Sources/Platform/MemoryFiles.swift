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
