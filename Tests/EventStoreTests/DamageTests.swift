import BankEngine
import Foundation
import SQLiteFile
import TestBanks
import Testing

@testable import EventStore

/// State files that were changed by another program: each is rejected, with the position.
@Suite struct DamageTests {
    /// The complaint of a store about the file; none if it accepts it.
    private func rejection(_ folder: TestFolder) throws -> String {
        do throws(StoreError) {
            let store = try folder.store()
            store.close()
            return ""
        } catch {
            return error.description
        }
    }

    /// A file that was closed, with two sessions, `a` with three commands and a checkpoint after the first.
    private func closed(_ folder: TestFolder) async throws {
        let store = try folder.store()
        for id in ["a", "b"] { try await store.open(session: id, bank: "till", opening: [7]).wait() }
        for seq in 1...3 { try await store.append(command("a", Int64(seq))).wait() }
        try await store.checkpoint(session: "a", seq: 1, state: [42]).wait()
        store.close()
    }

    @Test func `a closed file has nothing beside it`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        try await closed(folder)

        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["state.sqlite"])
        #expect(try rejection(folder) == "")
    }

    @Test(arguments: [
        ("DELETE FROM session WHERE id = 'a'", "found 2 rows of command without a session, expected none"),
        ("DELETE FROM command", "session a: found its last command to be 1, expected 3"),
        ("DELETE FROM command WHERE seq = 3", "session a: found its last command to be 2, expected 3"),
        ("UPDATE session SET bank = 'tell' WHERE id = 'b'", "session b: found the checksum"),
        ("UPDATE session SET opening = x'08' WHERE id = 'b'", "session b: found the checksum"),
        ("UPDATE session SET id = 'c' WHERE id = 'b'", "session c: found the checksum"),
        ("UPDATE session SET upto = 0 WHERE id = 'a'", "session a: found the checksum"),
        ("UPDATE session SET parts = 0 WHERE id = 'a'", "session a: found the checksum"),
        ("UPDATE session SET removed = 1 WHERE id = 'b'", "session b: found the checksum"),
        ("UPDATE session SET sum = 0 WHERE id = 'b'", "session b: found the checksum 0"),
        ("UPDATE command SET sum = sum + 1 WHERE seq = 3", "session a: record 3: found the checksum"),
        ("UPDATE session SET number = 9223372036854775807 WHERE id = 'b'", "session b: found 9223372036854775807 for its number"),
        ("UPDATE session SET last = 9223372036854775807 WHERE id = 'a'", "session a: found 9223372036854775807 for its last"),
        ("UPDATE sqlite_sequence SET seq = 9223372036854775807", "sqlite_sequence: found 9223372036854775807 for session"),
        ("UPDATE sqlite_sequence SET seq = 'many'", "sqlite_sequence: found no whole number for session"),
    ])
    func `a missing or other file is rejected`(_ sql: String, _ expected: String) async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        try await closed(folder)

        try folder.change(sql)

        let before = try Data(contentsOf: URL(filePath: folder.file))
        let rejection = try rejection(folder)
        #expect(rejection.contains(expected))
        #expect(rejection.contains("Restore a complete copy"))
        #expect(try Data(contentsOf: URL(filePath: folder.file)) == before, "what is rejected stays as it is")
        let look = try folder.store(.init(onlyLooks: true))
        defer { look.close() }
        #expect(look.damage.contains { $0.contains(expected) })
    }

    @Test(arguments: [
        ("UPDATE command SET changes = x'020303' WHERE seq = 3", "record 3: found the checksum"),
        ("UPDATE command SET at = at + 1 WHERE seq = 2", "record 2: found the checksum"),
        ("UPDATE command SET reply = x'0103' WHERE seq = 2", "record 2: found the checksum"),
        ("UPDATE command SET reply = NULL WHERE seq = 2", "record 2: found the checksum"),
        ("UPDATE command SET text = 'pax' WHERE seq = 2", "record 2: found the checksum"),
        ("UPDATE command SET sum = 0 WHERE seq = 2", "record 2: found the checksum 0"),
        ("UPDATE checkpoint SET bytes = x'43'", "part 0 of the checkpoint: found the checksum"),
        ("UPDATE checkpoint SET part = 1", "the checkpoint: found 1 parts, expected parts 0 to 0"),
        ("DELETE FROM checkpoint", "the checkpoint: found 0 parts, expected parts 0 to 0"),
        (
            "UPDATE session SET parts = 4611686018427387904 WHERE id = 'a'",
            "the checkpoint: found 1 parts, expected parts 0 to 4611686018427387903"
        ),
        (
            "UPDATE session SET parts = -9223372036854775807 - 1 WHERE id = 'a'",
            "the checkpoint: found 1 parts, expected -9223372036854775808 of them"
        ),
    ])
    func `a changed record is reported with its position`(_ sql: String, _ expected: String) async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        try await closed(folder)

        try folder.change(sql)

        let store = try folder.store(.init(onlyLooks: true))
        defer { store.close() }
        let faults = try store.sessions.flatMap(\.faults)
        #expect(faults.first?.hasPrefix(expected) == true, "\(faults)")
    }

    @Test(arguments: [
        """
        DROP TABLE checkpoint; CREATE VIEW checkpoint AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)
        SELECT 1 AS session, 1 AS upto, n AS part, x'' AS bytes, 0 AS sum FROM r
        """,
        "CREATE TRIGGER loses AFTER INSERT ON command BEGIN DELETE FROM command WHERE place = new.place; END",
    ])
    func `a file with SQL of its own is rejected before that runs`(_ sql: String) async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        try await closed(folder)

        try folder.change(sql)

        let expected = "found a view, a trigger or a virtual table, expected tables and indexes alone"
        #expect(try rejection(folder).contains(expected))
        let error = #expect(throws: StoreError.self) { try folder.store(.init(onlyLooks: true)) }
        #expect(error?.description.contains(expected) == true)
    }

    @Test func `a row of another kind is no crash`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        try await closed(folder)
        try folder.change(
            "CREATE TABLE other AS SELECT * FROM session; DROP TABLE session; ALTER TABLE other RENAME TO session; UPDATE session SET upto = 'x'"
        )

        let store = try folder.store(.init(onlyLooks: true))
        defer { store.close() }

        let error = #expect(throws: StoreError.self) { try store.sessions }
        #expect(error?.description.contains("session 1: found a text for its upto, expected a whole number") == true)
    }

    @Test func `only a file with a transaction under way is examined as a copy`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let store = try folder.store()
        try await store.open(session: "a", bank: "till", opening: []).wait()
        try await store.append(command("a", 1)).wait()
        let between = try folder.copy()
        store.close()
        let database = try SQLiteDatabase(folder.file)
        defer { database.close() }
        // A cache of one page, so that pages are written before the commit.
        try database.script("PRAGMA cache_size = 1; BEGIN; UPDATE command SET changes = zeroblob(20000)")
        let during = try folder.copy()
        defer { [between, during].forEach { $0.remove() } }

        for (left, isHot) in [(between, false), (during, true)] {
            #expect(FileManager.default.fileExists(atPath: left.file + "-journal"))
            let found = try ExaminedState(left.file)
            #expect((found.folder != nil) == isHot)
            #expect(found.damage == [])
            found.close()
            if let copy = found.folder { #expect(!FileManager.default.fileExists(atPath: copy)) }
        }
    }

    @Test func `the files of a killed server are accepted`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let store = try folder.store()
        defer { store.close() }
        for id in ["a", "gone"] { try await store.open(session: id, bank: "till", opening: []).wait() }
        for seq in 1...5 { try await store.append(command("a", Int64(seq))).wait() }
        try await store.remove(session: "gone").wait()
        let copy = try folder.copy()
        defer { copy.remove() }

        let look = try copy.store(.init(onlyLooks: true))
        #expect(look.damage == [])
        #expect(try look.sessions.map(\.commands.count) == [5])
        look.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: copy.path).sorted() == ["state.sqlite", "state.sqlite-journal"])
        #expect(try rejection(copy) == "")
        // A server that ends leaves nothing else.
        #expect(try FileManager.default.contentsOfDirectory(atPath: copy.path) == ["state.sqlite"])
        // All that was acknowledged is in the file itself.
        let alone = try folder.copy()
        defer { alone.remove() }
        try FileManager.default.removeItem(atPath: alone.file + "-journal")
        #expect(try rejection(alone) == "")
    }

    @Test(arguments: [1, 100, 511])
    func `a file too small for any is no empty state`(_ size: Int) throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        try Data(repeating: 120, count: size).write(to: URL(filePath: folder.file))

        #expect(throws: StoreError.notOurs(path: folder.file)) { try folder.store() }
    }

    @Test func `an empty file is a new state and reported as one`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        #expect(FileManager.default.createFile(atPath: folder.file, contents: nil))

        let store = try folder.store()
        defer { store.close() }

        #expect(store.notes == ["the state file \(folder.file) exists and is empty: starting a new state"])
    }
}
