/// Processes whose parent has ended and that this process has adopted: what the programs that it runs leave behind.
///
/// Only Linux lets a process adopt them, and once for the whole process: nobody else may run programs meanwhile.
package struct Orphans: Sendable {
    /// The processes below this one from before it began to adopt: no program of the run has started them.
    private let others: Set<pid_t>

    /// Begins to adopt; nil where the system has no such thing.
    package init?() {
        guard Native.adoptOrphans(true) else { return nil }
        others = Set(Orphans.below(getpid(), ProcessEntry.all).map(\.id))
    }

    /// Reaps those that have ended by themselves, while programs of the run still start and end.
    package func reap() {
        for entry in ProcessEntry.all where entry.isZombie && Orphans.isAdopted(entry, by: getpid(), in: getsid(0), getpgrp()) {
            _ = waitpid(entry.id, nil, WNOHANG)
        }
    }

    /// Whether a process is certainly an orphan that was adopted, and no program that was started by this process and is awaited by another
    /// part of it: those are in its session, and each leads a group or is still in this process's own.
    package static func isAdopted(_ entry: ProcessEntry, by parent: pid_t, in session: pid_t, _ group: pid_t) -> Bool {
        guard entry.parent == parent else { return false }
        return entry.session != session || (entry.group != entry.id && entry.group != group)
    }

    /// Sends a signal to every process that the run has left, and reaps those that have ended: to be called when all its programs have
    /// ended and were waited for.
    ///
    /// - Returns: the processes that were there.
    package func signal(_ number: Int32) -> Set<pid_t> {
        var left: Set<pid_t> = []
        for entry in Orphans.below(getpid(), ProcessEntry.all) where !others.contains(entry.id) {
            if entry.isZombie {
                if entry.parent == getpid() { _ = waitpid(entry.id, nil, WNOHANG) }
            } else {
                left.insert(entry.id)
                _ = kill(entry.id, number)
            }
        }
        return left
    }

    package func stopAdopting() { _ = Native.adoptOrphans(false) }

    /// The processes below one: its children, theirs, and so on.
    package static func below(_ id: pid_t, _ all: [ProcessEntry]) -> [ProcessEntry] {
        let children = Dictionary(grouping: all, by: \.parent)
        var found: [ProcessEntry] = []
        var parents = [id]
        while let parent = parents.popLast() {
            let own = children[parent] ?? []
            found += own
            parents += own.map(\.id)
        }
        return found
    }
}
