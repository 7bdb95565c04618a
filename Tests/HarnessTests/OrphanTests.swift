import Platform
import Testing

@testable import Harness

/// Which processes a run ends after its drivers. `Tests/Shell/left-processes.sh` has drivers that leave some.
@Suite struct OrphanTests {
    private func entry(_ stat: String) throws -> ProcessEntry { try #require(ProcessEntry(stat: stat)) }

    @Test(arguments: ["12 (sh) S 1 12 7 0 -1", "12 (a) b) (c) S 1 12 7 0 -1", "12 () S 1 12 7 0", "12 (x\ny) S 1 12 7"])
    func `a process is read whatever its name holds`(stat: String) throws {
        let entry = try entry(stat)

        #expect([entry.id, entry.parent, entry.group, entry.session] == [12, 1, 12, 7])
        #expect(!entry.isZombie)
    }

    @Test(arguments: ["", "12", "12 (sh)", "12 (sh) S 1 12", "sh S 1 12 7", "x (sh) S 1 12 7", "12 13 (sh) S 1 12 7", ")12( S 1 1 1"])
    func `another text is no process`(stat: String) { #expect(ProcessEntry(stat: stat) == nil) }

    @Test func `this process is among all where the system lists them`() {
        let own = ProcessEntry.all.first { $0.id == getpid() }

        #expect((own != nil) == (Disk.names("/proc/self") != nil))
        guard let own else { return }
        #expect([own.parent, own.group, own.session] == [getppid(), getpgrp(), getsid(0)])
        #expect(!own.isZombie)
    }

    /// This process is 50, in the session 40 and the group 45.
    @Test(
        arguments: [
            ("60 (setsid) S 50 60 60", true), ("61 (left in a driver's group) Z 50 60 40", true),
            ("62 (in another's session) Z 50 60 60", true),
            ("63 (a driver) S 50 63 40", false), ("64 (a driver that just starts) S 50 45 40", false),
            ("65 (a child of a driver) S 63 63 40", false), ("66 (with a session, a child of a driver) S 63 66 66", false),
            ("67 (another's) Z 1 67 67", false),
        ])
    func `an awaited program is not reaped with the orphans`(stat: String, isAdopted: Bool) throws {
        #expect(Orphans.isAdopted(try entry(stat), by: 50, in: 40, 45) == isAdopted)
    }

    @Test func `everything below a process is found, and nothing beside it`() throws {
        let all = try ["1 (init) S 0 1 1", "2 (a) S 1 2 2", "3 (b) S 2 3 3", "4 (c) S 3 4 4", "5 (d) S 1 5 5", "6 (e) S 2 6 6"].map(entry)

        #expect(Set(Orphans.below(2, all).map(\.id)) == [3, 4, 6])
        #expect(Orphans.below(9, all).isEmpty)
    }

    @Test func `the warning counts the processes, and names those that did not end`() {
        #expect("\(LeftProcesses(found: 1))" == "the driver left 1 process behind; it was terminated")
        #expect("\(LeftProcesses(found: 120))" == "the driver left 120 processes behind; they were terminated")
        let interrupted = "when the run was interrupted, 6 processes of the driver were running; they were terminated"
        #expect(LeftProcesses(found: 6).textIfInterrupted == interrupted)
        #expect("\(LeftProcesses(found: 3, remaining: 1))" == "the driver left 3 processes behind; they were terminated, but 1 did not end")
    }
}
