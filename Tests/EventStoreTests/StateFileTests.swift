import BankEngine
import EventStore
import Foundation
import SQLiteFile
import Testing

/// Files that a store cannot open, or must migrate first.
@Suite struct StateFileTests {
    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test func onlyItsOwnerMayReadIt() async throws {
        let folder = try Folder()
        defer { folder.remove() }
        _ = FileManager.default.createFile(atPath: folder.file, contents: nil, attributes: [.posixPermissions: 0o644])
        let store = try folder.store()
        defer { store.close() }
        try await store.open(session: "a", bank: "till", opening: []).wait()

        for suffix in ["", "-wal", "-shm", ".mark"] { #expect(try mode(folder.file + suffix) == 0o600, "\(suffix)") }
    }

    @Test func aSecondServerIsRefusedUntilTheFirstHasEnded() throws {
        let folder = try Folder()
        defer { folder.remove() }
        let first = try folder.store()
        let pid = "\(ProcessInfo.processInfo.processIdentifier)"

        #expect(throws: StoreError.inUse(path: folder.file, by: pid)) { try folder.store() }
        first.close()
        try folder.store().close()
    }

    /// A change of the file at the path while a server has it open.
    enum Move: CaseIterable {
        case renamed, removed, replaced

        func carryOut(_ folder: Folder) throws {
            let files = FileManager.default
            switch self {
            case .renamed: try files.moveItem(atPath: folder.file, toPath: folder.file + ".old")
            case .removed: try files.removeItem(atPath: folder.file)
            case .replaced:
                try files.copyItem(atPath: folder.file, toPath: folder.file + ".copy")
                try files.removeItem(atPath: folder.file)
                try files.moveItem(atPath: folder.file + ".copy", toPath: folder.file)
            }
        }
    }

    @Test(arguments: Move.allCases)
    func `nothing is written to a file that was moved or replaced, not even once it is back`(move: Move) async throws {
        let folder = try Folder()
        defer { folder.remove() }
        let store = try folder.store()
        try await store.open(session: "a", bank: "till", opening: []).wait()
        #expect(store.attemptAfterFailure() == nil)

        try move.carryOut(folder)
        // Before any command: a probe asks.
        let attempt = try #require(store.attemptAfterFailure())
        await #expect(throws: StoreError.moved(path: folder.file)) { try await attempt.wait() }
        await #expect(throws: StoreError.moved(path: folder.file)) { try await store.append(command("a", 1)).wait() }
        if move == .renamed {
            try FileManager.default.moveItem(atPath: folder.file + ".old", toPath: folder.file)
            await #expect(throws: StoreError.moved(path: folder.file)) { try await store.append(command("a", 1)).wait() }
        }

        store.close()
        // The files that another server may use by now are still there.
        #expect(FileManager.default.fileExists(atPath: folder.file + "-wal"))
        #expect(FileManager.default.fileExists(atPath: folder.file + ".mark"))
    }

    @Test func `a file that was closed in order is examined without a file beside it`() async throws {
        let folder = try Folder()
        defer { folder.remove() }
        // SQLite reads such a name as a URI with parameters.
        let file = folder.path + "/a%20b?c#d.state"
        let store = try EventStore(file)
        try await store.open(session: "a", bank: "till", opening: []).wait()
        try await store.append(command("a", 1)).wait()
        store.close()

        let looking = try EventStore(file, options: .init(onlyLooks: true))
        defer { looking.close() }

        #expect(try looking.sessions.map(\.commands) == [[command("a", 1)]])
        #expect(looking.damage == [])
        // On a read-only file system none could be made.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a%20b?c#d.state"])
    }

    @Test func aFileOfTheFirstFormIsBroughtUpToThisOne() throws {
        let folder = try Folder()
        defer { folder.remove() }
        let old = try SQLiteDatabase(folder.file)
        try old.script(
            """
            PRAGMA application_id = \(0x6366_7374);
            CREATE TABLE session (
                number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, bank TEXT NOT NULL, opening BLOB NOT NULL,
                checkpoint_seq INTEGER, checkpoint BLOB
            ) STRICT;
            CREATE TABLE command (
                session INTEGER NOT NULL REFERENCES session(number) ON DELETE CASCADE, seq INTEGER NOT NULL,
                at INTEGER NOT NULL, command TEXT NOT NULL, changes BLOB NOT NULL, PRIMARY KEY (session, seq)
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
            INSERT INTO grdb_migrations VALUES ('1');
            INSERT INTO session VALUES (1, 'a', 'till', x'07', NULL, NULL);
            INSERT INTO command VALUES (1, 1, 10, 'pay', x'01')
            """)
        old.close()

        let kept = [StoredCommand(session: "a", seq: 1, at: 10, command: "pay", changes: [1])]
        let look = try folder.store(.init(onlyLooks: true))
        #expect(try look.sessions.first?.commands == kept)
        #expect(look.notes.first?.contains("of an older version without checksums") == true)
        look.close()

        let store = try folder.store()
        #expect(try store.sessions.first?.commands == kept)
        #expect(store.notes.count == 1, "it is told when it is brought up to this form too")
        store.close()

        let again = try folder.store()
        defer { again.close() }
        #expect(again.notes == [])
        #expect(again.damage == [])
        #expect(try again.sessions.first?.faults == [])
    }

    @Test func aNewerFileIsRefusedAndStaysAsItIs() throws {
        let folder = try Folder()
        defer { folder.remove() }
        try folder.store().close()
        try SQLiteDatabase(folder.file).script("INSERT INTO grdb_migrations VALUES ('99')")

        #expect(throws: StoreError.newer(path: folder.file)) { try folder.store() }
        #expect(StoreError.newer(path: "f").description.contains("newer counterfoil"))
    }

    @Test func aDatabaseOfAnotherProgramIsRefused() throws {
        let folder = try Folder()
        defer { folder.remove() }
        try SQLiteDatabase(folder.file).script("CREATE TABLE theirs (id)")

        #expect(throws: StoreError.notOurs(path: folder.file)) { try folder.store() }
    }

    @Test func anotherKindOfFileIsRefused() throws {
        let folder = try Folder()
        defer { folder.remove() }
        try Data("a shopping list, long enough to be no header\n".utf8).write(to: URL(fileURLWithPath: folder.file))

        #expect(throws: StoreError.notOurs(path: folder.file)) { try folder.store() }
        #expect(try String(contentsOfFile: folder.file, encoding: .utf8).hasPrefix("a shopping list"))
    }

    @Test func aFolderThatIsNotThereIsReported() throws {
        let error = #expect(throws: StoreError.self) { try EventStore("/nowhere/at/all/state.sqlite") }
        #expect(error?.description.contains("No such file or directory") == true)
    }

    @Test func aFileThatIsOnlyLookedIntoIsNotMade() throws {
        let folder = try Folder()
        defer { folder.remove() }
        let looking = EventStore.Options(onlyLooks: true)

        #expect(throws: StoreError.missing(path: folder.file)) { try folder.store(looking) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        _ = FileManager.default.createFile(atPath: folder.file, contents: nil)
        #expect(throws: StoreError.missing(path: folder.file)) { try folder.store(looking) }
        #expect(throws: StoreError.missing(path: folder.path)) { try EventStore(folder.path, options: looking) }
        try folder.store().close()
        try folder.store(looking).close()
    }

    @Test func aLongLogBeginsAnewWhileCommandsAreStored() async throws {
        let folder = try Folder()
        defer { folder.remove() }
        let store = try folder.store()
        try await store.open(session: "a", bank: "till", opening: []).wait()
        func logBytes() throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file + "-wal")
            return try #require(attributes[.size] as? Int)
        }
        var seq: Int64 = 0
        var beginsAnew = false
        while !beginsAnew, seq < 400 {
            seq += 1
            try await store.append(command("a", seq, bytes: 400_000)).wait()
            // It is written from its start again, and grows no more.
            beginsAnew = try Int(seq) * 400_000 > logBytes() + 4_000_000
        }
        store.close()

        #expect(beginsAnew, "found a log of \(seq) commands, expected it to be folded after 16 MiB")
        let again = try folder.store()
        defer { again.close() }
        #expect(try again.sessions.first?.commands.map(\.seq) == Array(1...seq))
    }
}
