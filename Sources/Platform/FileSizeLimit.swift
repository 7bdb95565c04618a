/// The limit on the size of the files that processes write (RLIMIT_FSIZE), set from outside while they run.
///
/// It applies to root too, needs no rights over one's own processes, and every write that would leave a file longer than the limit fails:
/// with a limit of 0, every write to a file. Pipes, sockets and terminals are not files. The system also sends SIGXFSZ, which ends a
/// process that does not ignore it (setrlimit(2)).
package enum FileSizeLimit: Sendable {
    case zero
    /// As much as the hard limit allows.
    case none

    /// Whether this system has a call that sets the limit of another process.
    package static let isSettable = Native.setsLimitsOfOthers

    /// Sets the limit of every process of a group, those that are started meanwhile included.
    ///
    /// - Returns: false if the system has no such call, or the call fails for one of them, or if the group has no process.
    package func set(onGroup group: pid_t) -> Bool {
        var done: Set<pid_t> = []
        // A process that was born after the list was read has its parent's limit of before or after: the next look finds it.
        for _ in 0..<FileSizeLimit.looks {
            let new = FileSizeLimit.members(of: group).subtracting(done)
            if new.isEmpty { return !done.isEmpty }
            for process in new where !set(on: process) && kill(process, 0) == 0 { return false }
            done.formUnion(new)
        }
        return true
    }

    /// How often the list of processes is read at most.
    private static let looks = 20

    private func set(on process: pid_t) -> Bool {
        guard var limit = Native.fileSizeLimit(of: process) else { return false }
        limit.rlim_cur = self == .zero ? 0 : limit.rlim_max
        return Native.setFileSizeLimit(of: process, to: limit)
    }

    /// The processes of a group that have not ended.
    private static func members(of group: pid_t) -> Set<pid_t> {
        Set(ProcessEntry.all.filter { $0.group == group && !$0.isZombie }.map(\.id))
    }
}
