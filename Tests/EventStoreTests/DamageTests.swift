import BankEngine
import EventStore
import Foundation
import Testing

/// State files that were changed by another program: each is rejected, with the place.
@Suite struct DamageTests {
    /// The complaint of a store about the file; none if it accepts it.
    private func refusal(_ folder: Folder) throws -> String {
        do throws(StoreError) {
            let store = try folder.store()
            store.close()
            return ""
        } catch {
            return error.description
        }
    }

    /// A file that was closed, with two sessions, `a` with three commands and a checkpoint after the first.
    private func closed(_ folder: Folder) async throws {
        let store = try folder.store()
        for id in ["a", "b"] { try await store.open(session: id, bank: "till", opening: [7]).wait() }
        for seq in 1...3 { try await store.append(command("a", Int64(seq))).wait() }
        try await store.checkpoint(session: "a", seq: 1, state: [42]).wait()
        store.close()
    }

    @Test(arguments: ["UPDATE sqlite_master SET name = 'Grdb_migrations' WHERE name = 'grdb_migrations'", "DELETE FROM grdb_migrations"])
    func aFileThatHasLostItsVersionIsNoEmptyOne(_ sql: String) async throws {
        let folder = try Folder()
        defer { folder.remove() }
        try await closed(folder)
        try folder.change("PRAGMA writable_schema = ON; \(sql)")
        #expect(try refusal(folder).contains("no version of their form"))
    }

    @Test func aClosedFileHasNothingBesideIt() async throws {
        let folder = try Folder()
        defer { folder.remove() }
        try await closed(folder)

        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["state.sqlite"])
        #expect(try refusal(folder) == "")
    }

    @Test(arguments: [
        ("DELETE FROM session WHERE id = 'a'", "found 2 commands of no session, expected none"),
        ("DELETE FROM command", "session a: found its last command to be 1, expected 3, as when the file was closed"),
        ("DELETE FROM command WHERE seq = 3", "session a: found its last command to be 2, expected 3, as when the file was closed"),
        ("DELETE FROM session WHERE id = 'b'", "found no session of the number 2, expected one with 0 commands"),
        ("UPDATE session SET bank = 'tell' WHERE id = 'b'", "session b: found the checksum"),
        ("UPDATE session SET opening = x'08' WHERE id = 'b'", "session b: found the checksum"),
        ("UPDATE session SET id = 'c' WHERE id = 'b'", "session c: found the checksum"),
        ("UPDATE command SET sum = sum + 1 WHERE seq = 3", "session a: record 3: found the checksum"),
        ("DELETE FROM tail", "session a: found it in no row of tail"),
        ("PRAGMA user_version = 0", "found 0 for PRAGMA user_version, expected 1 or 2"),
        ("PRAGMA user_version = 1", "state.sqlite.mark beside a file that was not closed"),
    ])
    func aMissingOrOtherFileIsRefused(_ sql: String, _ expected: String) async throws {
        let folder = try Folder()
        defer { folder.remove() }
        try await closed(folder)

        try folder.change(sql)

        let before = try Data(contentsOf: URL(filePath: folder.file))
        let refusal = try refusal(folder)
        #expect(refusal.contains(expected))
        #expect(refusal.contains("Put back a whole copy"))
        #expect(try Data(contentsOf: URL(filePath: folder.file)) == before, "what is refused stays as it is")
        let look = try folder.store(.init(onlyLooks: true))
        defer { look.close() }
        #expect(look.damage.contains { $0.contains(expected) })
    }

    @Test(arguments: [
        ("UPDATE command SET changes = x'020303' WHERE seq = 3", "record 3: found the checksum"),
        ("UPDATE command SET at = at + 1 WHERE seq = 2", "record 2: found the checksum"),
        ("UPDATE command SET reply = x'0103' WHERE seq = 2", "record 2: found the checksum"),
        ("UPDATE command SET reply = NULL WHERE seq = 2", "record 2: found the checksum"),
        ("UPDATE command SET command = 'pax' WHERE seq = 2", "record 2: found the checksum"),
        ("UPDATE session SET checkpoint = x'43' WHERE id = 'a'", "the checkpoint: found the checksum"),
        ("UPDATE session SET checkpoint_seq = 0 WHERE id = 'a'", "the checkpoint: found the checksum"),
        ("UPDATE command SET sum = NULL WHERE seq = 2", "record 2: found the checksum none"),
    ])
    func aChangedRecordIsReportedWithItsPlace(_ sql: String, _ expected: String) async throws {
        let folder = try Folder()
        defer { folder.remove() }
        try await closed(folder)

        try folder.change(sql)

        let store = try folder.store(.init(onlyLooks: true))
        defer { store.close() }
        let faults = try store.sessions.flatMap(\.faults)
        #expect(faults.count == 1, "\(faults)")
        #expect(faults.first?.hasPrefix(expected) == true, "\(faults)")
    }

    @Test func aRowOfAnotherKindIsNoCrash() async throws {
        let folder = try Folder()
        defer { folder.remove() }
        try await closed(folder)
        try folder.change(
            "CREATE TABLE other AS SELECT * FROM session; DROP TABLE session; ALTER TABLE other RENAME TO session; UPDATE session SET checkpoint = 7"
        )

        let store = try folder.store(.init(onlyLooks: true))
        defer { store.close() }

        let error = #expect(throws: StoreError.self) { try store.sessions }
        #expect(error?.description.contains("session 1: found a whole number for its checkpoint, expected bytes") == true)
    }

    // MARK: a file that a killed server has left

    /// The files that a killed server leaves: the file, its write-ahead log and its mark, under another name.
    private func killed(_ folder: Folder, _ suffixes: [String] = ["", "-wal", ".mark"]) async throws -> Folder {
        let store = try folder.store()
        defer { store.close() }
        for id in ["a", "gone"] { try await store.open(session: id, bank: "till", opening: []).wait() }
        for seq in 1...5 { try await store.append(command("a", Int64(seq))).wait() }
        try await store.remove(session: "gone").wait()
        let copy = try Folder()
        for suffix in suffixes { try FileManager.default.copyItem(atPath: folder.file + suffix, toPath: copy.file + suffix) }
        return copy
    }

    @Test func theFilesOfAKilledServerAreAccepted() async throws {
        let folder = try Folder()
        let copy = try await killed(folder)
        defer { [folder, copy].forEach { $0.remove() } }

        let look = try copy.store(.init(onlyLooks: true))
        #expect(look.damage == [])
        #expect(try look.sessions.map(\.commands.count) == [5])
        look.close()
        let left = try FileManager.default.contentsOfDirectory(atPath: copy.path).sorted()
        #expect(left == ["state.sqlite", "state.sqlite-wal", "state.sqlite.mark"])
        #expect(try refusal(copy) == "")
    }

    @Test func aLogWhoseEndIsLostIsReportedAndStays() async throws {
        let folder = try Folder()
        let copy = try await killed(folder)
        defer { [folder, copy].forEach { $0.remove() } }
        let log = URL(filePath: copy.file + "-wal")
        var bytes = try Data(contentsOf: log)
        // One bit in the last quarter: SQLite drops everything from that frame on.
        bytes[bytes.count * 3 / 4] ^= 1
        try bytes.write(to: log)

        let refusal = try refusal(copy)

        #expect(refusal.contains("which was acknowledged: the end of the write-ahead log is lost"))
        #expect(refusal.contains("session a: found its last command to be"))
        #expect(refusal.contains("expected 5"))
        #expect(try Data(contentsOf: log) == bytes, "what could be mended is still there")
        // Put back, it is accepted.
        bytes[bytes.count * 3 / 4] ^= 1
        try bytes.write(to: log)
        #expect(try self.refusal(copy) == "")
    }

    @Test(arguments: [
        (["", ".mark"], "expected one with 5 commands, which were acknowledged"),
        (["", "-wal"], "state.sqlite.mark beside a file that was not closed"),
        ([""], "state.sqlite.mark beside a file that was not closed"),
    ])
    func aCopyThatLacksAFileIsRefused(_ suffixes: [String], _ expected: String) async throws {
        let folder = try Folder()
        let copy = try await killed(folder, suffixes)
        defer { [folder, copy].forEach { $0.remove() } }

        #expect(try refusal(copy).contains(expected))
    }

    @Test func aMarkThatWasChangedIsRefused() async throws {
        let folder = try Folder()
        let copy = try await killed(folder)
        defer { [folder, copy].forEach { $0.remove() } }
        let mark = URL(filePath: copy.file + ".mark")
        var bytes = try Data(contentsOf: mark)
        bytes[96] ^= 4
        try bytes.write(to: mark)

        #expect(try refusal(copy).contains("found a slot 1 whose checksum is not its own"))
    }

    @Test(arguments: [1, 100, 511])
    func aFileTooSmallForAnyIsNoEmptyState(_ size: Int) throws {
        let folder = try Folder()
        defer { folder.remove() }
        try Data(repeating: 120, count: size).write(to: URL(filePath: folder.file))

        #expect(throws: StoreError.notOurs(path: folder.file)) { try folder.store() }
    }

    @Test func anEmptyFileIsANewStateAndToldSo() async throws {
        let folder = try Folder()
        defer { folder.remove() }
        #expect(FileManager.default.createFile(atPath: folder.file, contents: nil))

        let store = try folder.store()
        defer { store.close() }

        #expect(store.notes == ["the state file \(folder.file) exists and is empty: starting a new state"])
    }
}
