import CSQLite
import Platform
import SQLiteFile
import Testing

/// Files that cannot be used: each is rejected with SQLite's code.
@Suite struct UnusableFileTests {
    private func write(_ bytes: [UInt8], to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        try #require(bytes.withUnsafeBytes { Platform.write(file, $0.baseAddress, $0.count) } == bytes.count)
    }

    @Test func `a folder that is not there is reported`() throws {
        let error = try failure { () throws(SQLiteError) in _ = try SQLiteDatabase("/nowhere/at/all.sqlite") }

        #expect(error.primaryCode == SQLITE_CANTOPEN)
        #expect(error.description == "SQLite error 14: unable to open database file")
    }

    @Test func `a missing file is created unless only read`() throws {
        let folder = try Folder()

        let error = try failure { () throws(SQLiteError) in _ = try SQLiteDatabase(folder.file, readOnly: true) }
        #expect(error.primaryCode == SQLITE_CANTOPEN)
        #expect(Disk.bytes(folder.file) == nil)

        try SQLiteDatabase(folder.file).script("CREATE TABLE t (a)")
        #expect(Disk.bytes(folder.file)?.starts(with: "SQLite format 3\0".utf8) == true)
    }

    @Test func `a file that is only read stays as it is`() throws {
        let folder = try Folder()
        try SQLiteDatabase(folder.file).script("CREATE TABLE t (a); INSERT INTO t VALUES (7)")
        let before = try #require(Disk.bytes(folder.file))
        let reader = try SQLiteDatabase(folder.file, readOnly: true)

        let error = try failure { () throws(SQLiteError) in try reader.run("DELETE FROM t") }

        #expect(error.primaryCode == SQLITE_READONLY)
        #expect(error.message == "attempt to write a readonly database")
        #expect(try reader.run("SELECT a FROM t") == [[.integer(7)]])
        #expect(Disk.bytes(folder.file) == before)
    }

    @Test func `another kind of file is rejected by the first statement`() throws {
        let folder = try Folder()
        try write(Array(String(repeating: "a shopping list\n", count: 100).utf8), to: folder.file)

        let database = try SQLiteDatabase(folder.file)
        let error = try failure { () throws(SQLiteError) in try database.run("SELECT * FROM sqlite_master") }

        #expect(error.code == SQLITE_NOTADB)
        #expect(error.message == "file is not a database")
    }

    @Test func `a damaged page is reported`() throws {
        let folder = try Folder()
        try SQLiteDatabase(folder.file).script("CREATE TABLE t (a); INSERT INTO t VALUES (7)")
        var bytes = try #require(Disk.bytes(folder.file))
        bytes.replaceSubrange(4096..<bytes.count, with: [UInt8](repeating: 7, count: bytes.count - 4096))
        try write(bytes, to: folder.file)

        let database = try SQLiteDatabase(folder.file)
        let error = try failure { () throws(SQLiteError) in try database.run("SELECT a FROM t") }

        #expect(error.primaryCode == SQLITE_CORRUPT)
        #expect(error.message == "database disk image is malformed")
        #expect(try database.run("PRAGMA quick_check(1)") != [[.text("ok")]])
    }

    @Test func `a locked file is busy until it is free`() throws {
        let folder = try Folder()
        let first = try SQLiteDatabase(folder.file)
        let second = try SQLiteDatabase(folder.file, busyMilliseconds: 20)
        try first.script("CREATE TABLE t (a); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")

        #expect(try second.run("PRAGMA busy_timeout") == [[.integer(20)]])
        let error = #expect(throws: SQLiteError.self) {
            try second.transaction { Issue.record("the body ran without the lock") }
        }
        #expect(error?.primaryCode == SQLITE_BUSY)
        #expect(error?.message == "database is locked")

        try first.run("COMMIT")
        try second.transaction { try second.run("INSERT INTO t VALUES (2)") }
        #expect(try first.run("SELECT a FROM t") == [[.integer(1)], [.integer(2)]])
    }

    @Test func `closing folds the write-ahead log into the file`() throws {
        let folder = try Folder()
        let database = try SQLiteDatabase(folder.file)
        try database.script("PRAGMA journal_mode = WAL; CREATE TABLE t (a)")
        try database.run("INSERT INTO t VALUES (?)", [.integer(7)])
        #expect(Disk.bytes(folder.file + "-wal") != nil)

        database.close()

        #expect(Disk.names(folder.path) == ["file.sqlite"])
    }
}
