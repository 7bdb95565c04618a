import BankEngine
import EventStore
import Foundation
import Platform
import SQLiteFile
import TestBanks
import Testing

/// A folder with a state file.
extension TestFolder {
    var file: String { "\(path)/state.sqlite" }

    func store(_ options: EventStore.Options = .init()) throws(StoreError) -> EventStore { try EventStore(file, options: options) }

    /// Changes the file by foreign SQL, with SQLite's own checks switched off.
    func change(_ sql: String) throws {
        try SQLiteDatabase(file).script("PRAGMA foreign_keys = OFF; \(sql)")
    }

    /// The files that a killed server leaves: the file and its journal, never closed.
    func copy() throws -> TestFolder {
        let copy = try TestFolder()
        for suffix in ["", "-journal"] where FileManager.default.fileExists(atPath: file + suffix) {
            try FileManager.default.copyItem(atPath: file + suffix, toPath: copy.file + suffix)
        }
        return copy
    }
}

func command(_ session: String, _ seq: Int64, bytes: Int = 3) -> StoredCommand {
    StoredCommand(
        session: session, seq: seq, at: seq * 10, command: "pay", changes: Array(repeating: UInt8(truncatingIfNeeded: seq), count: bytes),
        response: seq.isMultiple(of: 2) ? [1, 2] : nil)
}

extension EventStore {
    var sessions: [StoredSession] {
        get throws {
            var sessions: [StoredSession] = []
            try load { sessions.append($0) }
            return sessions
        }
    }
}

extension EventStore {
    /// Stores a command, and has the writer wait until more entries are queued: they are one batch.
    func together<Value: Sendable>(behind first: StoredCommand, _ enqueue: @Sendable () -> Value) async -> Value {
        let gate = DispatchSemaphore(value: 0)
        var ticket = append(first)
        while await !hasWriterWait(at: gate, after: ticket) { ticket = remove(session: "unknown") }
        defer { gate.signal() }
        return enqueue()
    }

    /// Whether the writer's thread waits in the ticket's callback; false if the entry had been written before this thread asked.
    private func hasWriterWait(at gate: DispatchSemaphore, after ticket: CommitTicket) async -> Bool {
        await withCheckedContinuation { written in
            // Not `pthread_self()`, which on Apple's systems is a pointer: closures of other threads cannot have one.
            let tester = ObjectIdentifier(Thread.current)
            ticket.whenDone { _ in
                let isWriter = ObjectIdentifier(Thread.current) != tester
                written.resume(returning: isWriter)
                if isWriter { gate.wait() }
            }
        }
    }
}

@Suite struct EventStoreTests {
    @Test func `stored sessions are restored`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let store = try folder.store()
        try await store.open(session: "a", bank: "till", opening: [7]).wait()
        for seq in 1...5 { try await store.append(command("a", Int64(seq))).wait() }
        store.close()

        let again = try folder.store()
        defer { again.close() }

        var expected = StoredSession(id: "a", bank: "till", opening: [7])
        expected.commands = (1...5).map { command("a", $0) }
        #expect(try again.sessions == [expected])
        #expect(expected.lastSeq == 5)
    }

    @Test func `acknowledged commands survive a killed server`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let store = try folder.store()
        defer { store.close() }
        try await store.open(session: "a", bank: "till", opening: []).wait()
        try await store.append(command("a", 1)).wait()

        let copy = try folder.copy()
        defer { copy.remove() }
        let again = try copy.store()
        defer { again.close() }

        #expect(try again.sessions.first?.commands == [command("a", 1)])
    }

    @Test func `commands queued during a write are committed together`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let store = try folder.store()
        defer { store.close() }
        try await store.open(session: "a", bank: "till", opening: []).wait()
        let before = store.commits

        let tickets = (1...500).map { store.append(command("a", Int64($0))) }
        for ticket in tickets { try await ticket.wait() }

        #expect(store.commits - before < 100)
        #expect(store.commits > before)
        #expect(try store.sessions.first?.commands.map(\.seq) == Array(1...500))
    }

    @Test func `commands of many threads keep each session's order`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let store = try folder.store()
        defer { store.close() }
        await withTaskGroup(of: Void.self) { group in
            for id in ["a", "b", "c", "d"] {
                group.addTask {
                    _ = store.open(session: id, bank: "till", opening: [])
                    for seq in 1...200 { _ = store.append(command(id, Int64(seq))) }
                    try? await store.append(command(id, 201)).wait()
                }
            }
        }

        let sessions = try store.sessions
        #expect(sessions.map(\.id).sorted() == ["a", "b", "c", "d"])
        #expect(sessions.allSatisfy { $0.commands.map(\.seq) == Array(1...201) })
    }

    @Test func `a checkpoint takes the place of the commands before it`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let store = try folder.store()
        defer { store.close() }
        _ = store.open(session: "a", bank: "till", opening: [])
        for seq in 1...9 { _ = store.append(command("a", Int64(seq))) }
        try await store.checkpoint(session: "a", seq: 6, state: [42]).wait()

        let session = try #require(try store.sessions.first)
        #expect(session.checkpoint == .init(seq: 6, state: [42]))
        #expect(session.commands.map(\.seq) == [7, 8, 9])
    }

    @Test func `a session that is removed leaves nothing`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let store = try folder.store()
        defer { store.close() }
        _ = store.open(session: "a", bank: "till", opening: [])
        _ = store.append(command("a", 1))
        try await store.remove(session: "a").wait()
        try await store.open(session: "a", bank: "till", opening: [9]).wait()

        #expect(try store.sessions == [StoredSession(id: "a", bank: "till", opening: [9])])
    }

    @Test func `removals do not fail with writes that need space`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let store = try folder.store(.init(pageLimit: 60))
        defer { store.close() }
        for id in ["a", "b"] { try await store.open(session: id, bank: "till", opening: []).wait() }
        try await store.append(command("a", 1, bytes: 100_000)).wait()

        let (tooMuch, removal) = await store.together(behind: command("b", 1)) {
            (store.append(command("b", 2, bytes: 2_000_000)), store.remove(session: "a"))
        }

        await #expect(throws: StoreError.full(path: folder.file)) { try await tooMuch.wait() }
        try await removal.wait()
        #expect(try store.sessions.map(\.id) == ["b"])
    }

    @Test func `a command of a removed session fails alone, the rest of its batch is stored`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let store = try folder.store()
        defer { store.close() }
        let lost = Locked<[String]>([])
        store.onFailure { commands in lost.withLock { $0.append(commands.session) } }
        for id in ["a", "b", "gone"] { try await store.open(session: id, bank: "till", opening: []).wait() }
        try await store.remove(session: "gone").wait()
        let before = store.commits

        let (others, late) = await store.together(behind: command("a", 1)) {
            let others = [
                store.append(command("a", 2)), store.append(command("b", 1)), store.open(session: "c", bank: "till", opening: []),
            ]
            let late = [store.append(command("gone", 1)), store.checkpoint(session: "gone", seq: 1, state: [7])]
            return (others + [store.append(command("a", 3))], late)
        }

        for ticket in others { try await ticket.wait() }
        for ticket in late { await #expect(throws: StoreError.removed(session: "gone")) { try await ticket.wait() } }
        #expect(lost.withLock { $0 } == ["gone"])
        #expect(try store.sessions.map(\.id) == ["a", "b", "c"])
        #expect(try store.sessions.map { $0.commands.map(\.seq) } == [[1, 2, 3], [1], []])
        #expect(store.attemptAfterFailure() == nil, "the file can be written")
        #expect(store.commits > before)
    }

    @Test func `a command for which there is no space fails alone, as those behind it of its session`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let store = try folder.store(.init(pageLimit: 60))
        defer { store.close() }
        for id in ["a", "b"] { try await store.open(session: id, bank: "till", opening: []).wait() }

        let (others, tooMuch) = await store.together(behind: command("a", 1)) {
            let tooMuch = store.append(command("b", 1, bytes: 2_000_000))
            return ([store.append(command("a", 2))], [tooMuch, store.append(command("b", 2))])
        }

        for ticket in others { try await ticket.wait() }
        for ticket in tooMuch { await #expect(throws: StoreError.full(path: folder.file)) { try await ticket.wait() } }
        #expect(try store.sessions.map { $0.commands.map(\.seq) } == [[1, 2], []])
    }

    @Test func `nothing is half done when the disk is full`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let store = try folder.store(.init(pageLimit: 16))
        defer { store.close() }
        let lost = Locked<[String]>([])
        let isDone = Locked(false)
        store.onFailure { commands in
            let session = commands.session
            lost.withLock { $0.append("\(session) from \(commands.first)\(isDone.withLock { $0 } ? ", too late" : "")") }
            store.withdraw(session: session)
        }
        try await store.open(session: "a", bank: "till", opening: []).wait()
        try await store.append(command("a", 1)).wait()

        let ticket = store.append(command("a", 2, bytes: 200_000))
        ticket.whenDone { _ in isDone.withLock { $0 = true } }
        await #expect(throws: StoreError.full(path: folder.file)) { try await ticket.wait() }
        #expect(lost.withLock { $0 } == ["a from 2"])

        try await store.append(command("a", 2)).wait()
        #expect(try store.sessions.first?.commands == [command("a", 1), command("a", 2)])
    }

    @Test func `an attempt after a failure shows whether there is space again`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let store = try folder.store(.init(pageLimit: 16))
        defer { store.close() }
        try await store.open(session: "a", bank: "till", opening: []).wait()
        #expect(store.attemptAfterFailure() == nil)
        await #expect(throws: StoreError.self) { try await store.append(command("a", 1, bytes: 200_000)).wait() }

        let attempt = try #require(store.attemptAfterFailure())
        try await attempt.wait()

        #expect(store.attemptAfterFailure() == nil)
        #expect(try store.sessions == [StoredSession(id: "a", bank: "till", opening: [])])
    }

    @Test func `withdrawn commands fail with the batch`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let store = try folder.store(.init(pageLimit: 16))
        defer { store.close() }
        let late = Locked<CommitTicket?>(nil)
        store.onFailure { commands in
            let session = commands.session
            let ticket = store.append(command(session, 2))
            late.withLock { $0 = ticket }
            store.withdraw(session: session)
        }
        try await store.open(session: "a", bank: "till", opening: []).wait()

        await #expect(throws: StoreError.self) { try await store.append(command("a", 1, bytes: 200_000)).wait() }

        let ticket = try #require(late.withLock { $0 })
        await #expect(throws: StoreError.full(path: folder.file)) { try await ticket.wait() }
        #expect(try store.sessions.first?.commands == [])
    }

    @Test func `after closing nothing is stored`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let store = try folder.store()
        let ticket = store.open(session: "a", bank: "till", opening: [])
        store.close()
        store.close()

        try await ticket.wait()
        await #expect(throws: StoreError.closed(path: folder.file)) { try await store.append(command("a", 1)).wait() }
    }
}
