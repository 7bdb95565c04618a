import BankEngine
import FailingDisk
import Foundation
import Platform
import SQLiteFile
import TestBanks
import Testing

@testable import EventStore

/// Long checkpoints: written in parts between the commands, and whole or not there whenever the process ends.
@Suite struct CheckpointPartsTests {
    private static let state = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    private static let partBytes = 150

    private static var options: EventStore.Options {
        var options = EventStore.Options()
        options.partBytes = partBytes
        return options
    }

    /// A file in a new folder, and its writer.
    private struct OpenFile {
        let folder: TestFolder
        let file: StateFile
        let writer: StateWriter

        init() throws {
            folder = try TestFolder()
            file = try StateFile(path: folder.file, options)
            writer = StateWriter(file, partBytes: partBytes)
        }

        func close() {
            file.close()
            folder.remove()
        }
    }

    private static func entry(_ session: String, _ work: EventStore.QueuedWrite.Work) -> EventStore.QueuedWrite {
        EventStore.QueuedWrite(session: session, work: work, ticket: CommitTicket())
    }

    private static func commands(_ session: String, _ numbers: ClosedRange<Int64>) -> [EventStore.QueuedWrite] {
        numbers.map { entry(session, .command(command(session, $0))) }
    }

    /// The session as another process would find it that starts now: a copy of all files, opened.
    private static func found(_ folder: TestFolder) throws -> [StoredSession] {
        let copy = try folder.copy()
        defer { copy.remove() }
        let look = try copy.store(.init(onlyLooks: true))
        #expect(look.damage == [])
        let seen = try look.sessions
        look.close()
        let store = try copy.store(options)
        defer { store.close() }
        let sessions = try store.sessions
        #expect(seen == sessions)
        #expect(sessions.flatMap(\.faults) == [])
        return sessions
    }

    @Test func `a long checkpoint takes the place of the commands before it`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let store = try folder.store(Self.options)
        _ = store.open(session: "a", bank: "till", opening: [])
        for seq in 1...9 { _ = store.append(command("a", Int64(seq))) }
        try await store.checkpoint(session: "a", seq: 6, state: Self.state).wait()
        try await store.append(command("a", 10)).wait()
        let session = try #require(try store.sessions.first)
        store.close()

        #expect(session.checkpoint == .init(seq: 6, state: Self.state))
        #expect(session.commands.map(\.seq) == [7, 8, 9, 10])
        let again = try folder.store(Self.options)
        #expect(try again.sessions == [session])
        // A short one takes its place again, and its parts go.
        try await again.checkpoint(session: "a", seq: 9, state: [1]).wait()
        again.close()
        let last = try folder.store(Self.options)
        defer { last.close() }
        #expect(try last.sessions.first?.checkpoint == .init(seq: 9, state: [1]))
        #expect(try last.file.database.withLock { try $0.run("SELECT upto, part FROM checkpoint") } == [[.integer(9), .integer(0)]])
    }

    @Test func `at every step the file has all that was stored`() throws {
        let open = try OpenFile()
        defer { open.close() }
        let (folder, file) = (open.folder, open.file)
        var writer = open.writer
        try writer.commit([Self.entry("a", .open(bank: "till", opening: [1]))] + Self.commands("a", 1...600))
        var next: Int64 = 601
        var steps: [(checkpoint: Int64?, commands: Int)] = []

        for (seq, state) in [(600 as Int64, Self.state), (605, Self.state + Self.state)] {
            let checkpoint = Self.entry("a", .checkpoint(.init(seq: seq, state: state)))
            try writer.commit([checkpoint])
            var isPublished = false
            while writer.hasChores {
                try writer.doChore()
                // Commands are stored between the parts.
                try writer.commit(Self.commands("a", next...next))
                next += 1
                let session = try #require(try Self.found(folder).first)
                isPublished = isPublished || session.checkpoint?.seq == seq
                #expect(session.checkpoint?.state == (isPublished ? state : seq == 600 ? nil : Self.state))
                #expect(checkpoint.ticket.isDone == isPublished)
                let first = (session.checkpoint?.seq ?? 0) + 1
                #expect(session.commands == (first..<next).map { command("a", $0) })
                steps.append((session.checkpoint?.seq, session.commands.count))
            }
            #expect(isPublished)
        }

        #expect(steps.count > 20)
        let rows = try file.database.withLock { try $0.run("SELECT count(*), min(seq) FROM command") }
        #expect(rows == [[.integer(next - 606), .integer(606)]], "what it has replaced is gone")
        let parts = try file.database.withLock { try $0.run("SELECT count(*), min(upto) FROM checkpoint") }
        #expect(parts == [[.integer(14), .integer(605)]])
    }

    @Test func `a session that is removed amid its parts leaves nothing to its successor`() throws {
        let open = try OpenFile()
        defer { open.close() }
        let (folder, file) = (open.folder, open.file)
        var writer = open.writer
        let opening = Self.entry("a", .open(bank: "till", opening: [1]))
        try writer.commit([opening] + Self.commands("a", 1...3))
        let checkpoint = Self.entry("a", .checkpoint(.init(seq: 3, state: Self.state)))
        try writer.commit([checkpoint])
        for _ in 1...3 { try writer.doChore() }
        // One that begins in the batch of the removal, too.
        let second = Self.entry("a", .checkpoint(.init(seq: 3, state: Self.state)))
        try writer.commit([second, Self.entry("a", .remove), opening] + Self.commands("a", 1...2))

        while writer.hasChores {
            try writer.doChore()
            #expect(try Self.found(folder).map { $0.commands.map(\.seq) } == [[1, 2]])
        }
        #expect(checkpoint.ticket.isDone)
        #expect(second.ticket.isDone)
        let session = try #require(try Self.found(folder).first)
        #expect(session.checkpoint == nil)
        #expect(session.commands.map(\.seq) == [1, 2])
        for table in ["checkpoint WHERE 1", "session WHERE removed", "command WHERE session = 1"] {
            #expect(try file.database.withLock { try $0.run("SELECT count(*) FROM \(table)") } == [[.integer(0)]], "\(table)")
        }
    }

    @Test(arguments: [0, 1, 4, 8])
    func `a short checkpoint that comes amid the parts of a long one takes its place`(steps: Int) throws {
        let open = try OpenFile()
        defer { open.close() }
        let (folder, file) = (open.folder, open.file)
        var writer = open.writer
        try writer.commit([Self.entry("a", .open(bank: "till", opening: [1]))] + Self.commands("a", 1...9))
        let long = Self.entry("a", .checkpoint(.init(seq: 5, state: Self.state)))
        try writer.commit([long])
        for _ in 0..<steps { try writer.doChore() }
        try writer.commit([Self.entry("a", .checkpoint(.init(seq: 7, state: [42])))])
        while writer.hasChores {
            try writer.doChore()
            let session = try #require(try Self.found(folder).first)
            #expect(session.lastSeq == 9)
        }

        #expect(long.ticket.isDone)
        let session = try #require(try Self.found(folder).first)
        #expect(session.checkpoint == .init(seq: 7, state: [42]))
        #expect(session.commands == [command("a", 8), command("a", 9)])
        #expect(try file.database.withLock { try $0.run("SELECT upto, part FROM checkpoint") } == [[.integer(7), .integer(0)]])
    }

    @Test func `what a full disk does not let it delete is deleted later`() throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let disk = FailingDisk(folder: folder.path)
        var options = Self.options
        options.vfs = FailingDisk.name
        let file = try StateFile(path: folder.file, options)
        defer { file.close() }
        var writer = StateWriter(file, partBytes: Self.partBytes)
        try writer.commit([Self.entry("a", .open(bank: "till", opening: [])), Self.entry("b", .open(bank: "till", opening: []))])
        try writer.commit(Self.commands("a", 1...5))
        while writer.hasChores { try writer.doChore() }
        try writer.commit([Self.entry("a", .remove)])
        disk.fail(after: 0, .full)
        #expect(throws: SQLiteError.self) { try writer.doChore() }
        #expect(disk.repair())
        #expect(!writer.hasChores)

        try writer.commit(Self.commands("b", 1...1))
        while writer.hasChores { try writer.doChore() }

        #expect(try file.database.withLock { try $0.run("SELECT session, seq FROM command") } == [[.integer(2), .integer(1)]])
        #expect(try file.database.withLock { try $0.run("SELECT id FROM session") } == [[.text("b")]])
    }

    @Test func `a checkpoint for which there is no space is given up`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        var options = Self.options
        options.pageLimit = 40
        let store = try folder.store(options)
        let lost = Locked(0)
        store.onFailure { _ in lost.withLock { $0 += 1 } }
        try await store.open(session: "a", bank: "till", opening: []).wait()
        for seq in 1...3 { _ = store.append(command("a", Int64(seq))) }
        let checkpoint = store.checkpoint(session: "a", seq: 3, state: Array(repeating: 1, count: 300_000))
        await #expect(throws: StoreError.full(path: folder.file)) { try await checkpoint.wait() }

        #expect(lost.withLock { $0 } == 0, "no command is lost by it")
        #expect(try store.sessions.first?.commands.map(\.seq) == [1, 2, 3])
        // The parts that were written are in the way of nothing.
        try await store.checkpoint(session: "a", seq: 3, state: Self.state).wait()
        try await store.append(command("a", 4)).wait()
        store.close()
        let again = try folder.store(options)
        defer { again.close() }
        #expect(try again.sessions.first?.checkpoint == .init(seq: 3, state: Self.state))
        #expect(try again.sessions.first?.commands.map(\.seq) == [4])
    }
}
