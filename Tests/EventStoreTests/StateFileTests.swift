import BankEngine
import EventStore
import Foundation
import SQLiteFile
import TestBanks
import Testing

/// Files that a store cannot open.
@Suite struct StateFileTests {
    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test func `only its owner may read it`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        _ = FileManager.default.createFile(atPath: folder.file, contents: nil, attributes: [.posixPermissions: 0o644])
        let store = try folder.store()
        defer { store.close() }
        try await store.open(session: "a", bank: "till", opening: []).wait()

        for suffix in ["", "-journal"] { #expect(try mode(folder.file + suffix) == 0o600, "\(suffix)") }
    }

    @Test func `a second server is rejected until the first has ended`() throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let first = try folder.store()

        // The process is named if it is another one (Tests/Shell/state.sh).
        #expect(throws: StoreError.inUse(path: folder.file, by: nil)) { try folder.store() }
        first.close()
        try folder.store().close()
    }

    /// A change of the file at the path while a server has it open.
    enum Move: CaseIterable {
        case renamed, removed, replaced

        func carryOut(_ folder: TestFolder) throws {
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
        let folder = try TestFolder()
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
        // The journal that another server may use by now is still there.
        #expect(FileManager.default.fileExists(atPath: folder.file + "-journal"))
    }

    @Test func `a file that was closed in order is examined without a file beside it`() async throws {
        let folder = try TestFolder()
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

    @Test(arguments: [0, 1, 2, 3, 4], [false, true])
    func `a file of an older development build is rejected by name and stays as it is`(version: Int, onlyLooks: Bool) throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let old = try SQLiteDatabase(folder.file)
        try old.script("PRAGMA journal_mode = WAL; PRAGMA application_id = \(0x6366_7374); PRAGMA user_version = \(version)")
        try old.script("CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        old.close()
        let before = try Data(contentsOf: URL(filePath: folder.file))

        #expect(throws: StoreError.older(path: folder.file)) { try folder.store(EventStore.Options(onlyLooks: onlyLooks)) }
        #expect(try Data(contentsOf: URL(filePath: folder.file)) == before)
    }

    @Test func `a newer file is rejected and stays as it is`() throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        try folder.store().close()
        try SQLiteDatabase(folder.file).script("PRAGMA user_version = 6")

        #expect(throws: StoreError.newer(path: folder.file)) { try folder.store() }
        #expect(StoreError.newer(path: "f").description.contains("newer counterfoil"))
    }

    @Test func `a database of another program is rejected`() throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        try SQLiteDatabase(folder.file).script("CREATE TABLE theirs (id)")

        #expect(throws: StoreError.notOurs(path: folder.file)) { try folder.store() }
    }

    @Test func `another kind of file is rejected`() throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        try Data("a shopping list, long enough to be no header\n".utf8).write(to: URL(fileURLWithPath: folder.file))

        #expect(throws: StoreError.notOurs(path: folder.file)) { try folder.store() }
        #expect(try String(contentsOfFile: folder.file, encoding: .utf8).hasPrefix("a shopping list"))
    }

    @Test func `a folder that is not there is reported`() throws {
        let error = #expect(throws: StoreError.self) { try EventStore("/nowhere/at/all/state.sqlite") }
        #expect(error?.description.contains("No such file or directory") == true)
    }

    @Test func `a file that is only looked into is not made`() throws {
        let folder = try TestFolder()
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
}
