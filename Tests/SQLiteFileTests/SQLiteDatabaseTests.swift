import CSQLite
import Platform
import SQLiteFile
import Testing

/// A folder for one test's file.
final class Folder {
    let path: String

    init() throws {
        path = "/tmp/counterfoil-sqlite-\(UInt64.random(in: 0 ... .max))"
        try #require(mkdir(path, 0o700) == 0)
    }

    var file: String { "\(path)/file.sqlite" }

    deinit {
        for suffix in ["", "-wal", "-shm", "-journal"] { _ = unlink(file + suffix) }
        _ = rmdir(path)
    }
}

/// The error of the body; fails if there is none.
func failure(_ body: () throws(SQLiteError) -> Void) throws -> SQLiteError {
    do throws(SQLiteError) { try body() } catch { return error }
    throw MissingFailure()
}

private struct MissingFailure: Error {}

@Suite struct SQLiteDatabaseTests {
    /// A table `t` with a unique column `a` and any column `b`.
    private func database(_ folder: Folder) throws -> SQLiteDatabase {
        let database = try SQLiteDatabase(folder.file)
        try database.run("CREATE TABLE t (a INTEGER UNIQUE, b)")
        return database
    }

    // MARK: values

    @Test(
        arguments: [
            .null, .integer(0), .integer(.min), .integer(.max), .real(0.1), .real(-.infinity), .real(.greatestFiniteMagnitude),
            .text(""), .text("Zoë 🦊 e\u{301} 中"), .text("a\0b"),
            .blob([]), .blob([0, 0, 7, 0]),
        ] as [SQLiteValue])
    func `every value comes back as it was`(_ value: SQLiteValue) throws {
        let folder = try Folder()
        let database = try database(folder)

        try database.run("INSERT INTO t VALUES (?, ?)", [.integer(1), value])

        #expect(try database.run("SELECT b, b FROM t") == [[value, value]])
    }

    @Test func `a large value comes back as it was`() throws {
        let folder = try Folder()
        let database = try database(folder)
        let values = [SQLiteValue.text(String(repeating: "long ", count: 20_000)), .blob([UInt8](repeating: 0xff, count: 100_000))]

        for value in values { try database.run("INSERT INTO t VALUES (NULL, ?)", [value]) }

        #expect(try database.run("SELECT b FROM t ORDER BY rowid") == values.map { [$0] })
    }

    @Test func `nil is null`() throws {
        #expect(SQLiteValue(nil as Int64?) == .null)
        #expect(SQLiteValue(nil as String?) == .null)
        #expect(SQLiteValue(nil as [UInt8]?) == .null)
        #expect(SQLiteValue(7).integer == 7)
        #expect(SQLiteValue("7").text == "7")
        #expect(SQLiteValue([7] as [UInt8]).blob == [7])
    }

    @Test func `a value of another kind is nil`() {
        #expect(SQLiteValue.text("7").integer == nil)
        #expect(SQLiteValue.integer(7).text == nil)
        #expect(SQLiteValue.text("7").blob == nil)
    }

    @Test func `a text that is no UTF-8 is repaired`() throws {
        let folder = try Folder()

        #expect(try database(folder).run("SELECT CAST(x'61ff62' AS TEXT)") == [[.text("a\u{fffd}b")]])
    }

    // MARK: statements

    @Test func `a statement runs again after an error`() throws {
        let folder = try Folder()
        let database = try database(folder)
        let insert = "INSERT INTO t VALUES (?, ?)"
        try database.run(insert, [.integer(1), .text("first")])

        let error = try failure { () throws(SQLiteError) in try database.run(insert, [.integer(1), .text("second")]) }

        #expect(error.code == SQLITE_CONSTRAINT | 8 << 8, "the extended code names the constraint: SQLITE_CONSTRAINT_UNIQUE")
        #expect(error.primaryCode == SQLITE_CONSTRAINT)
        #expect(error.message == "UNIQUE constraint failed: t.a")
        #expect(error.description == "SQLite error 19: UNIQUE constraint failed: t.a - while executing `\(insert)`")
        try database.run(insert, [.integer(2), .null])
        #expect(try database.run("SELECT a, b FROM t ORDER BY a") == [[.integer(1), .text("first")], [.integer(2), .null]])
    }

    @Test func `a statement follows a change of the schema`() throws {
        let folder = try Folder()
        let database = try database(folder)
        try database.run("INSERT INTO t VALUES (1, 2)")
        #expect(try database.run("SELECT * FROM t") == [[.integer(1), .integer(2)]])

        try database.script("ALTER TABLE t ADD COLUMN c DEFAULT 3; ALTER TABLE t DROP COLUMN b")

        #expect(try database.run("SELECT * FROM t") == [[.integer(1), .integer(3)]])
    }

    @Test(arguments: [[], [.null, .null]] as [[SQLiteValue]])
    func `a missing or surplus value is rejected`(_ values: [SQLiteValue]) throws {
        let folder = try Folder()
        let database = try database(folder)

        let error = try failure { () throws(SQLiteError) in try database.run("INSERT INTO t (b) VALUES (?)", values) }

        #expect(error.message == "found \(values.count) values, expected one for each ?")
        #expect(try database.run("SELECT * FROM t") == [])
    }

    @Test(arguments: ["", " -- a comment", "DELETE FROM t; DELETE FROM t"])
    func `no statement or two are rejected`(_ sql: String) throws {
        let folder = try Folder()

        let error = try failure { () throws(SQLiteError) in try database(folder, sql) }

        #expect(error.message == "found no statement or several, expected one")
        #expect(error.sql == sql)
    }

    private func database(_ folder: Folder, _ sql: String) throws(SQLiteError) {
        let database = try SQLiteDatabase(folder.file)
        try database.script("CREATE TABLE t (a)")
        try database.run(sql)
    }

    @Test(arguments: [("SELEC 1", "near \"SELEC\": syntax error"), ("SELECT missing FROM t", "no such column: missing")])
    func `a statement that is not SQL is rejected by its position`(_ sql: String, _ reason: String) throws {
        let folder = try Folder()
        let database = try database(folder)

        let error = try failure { () throws(SQLiteError) in try database.run(sql) }
        #expect(error.code == SQLITE_ERROR)
        #expect(error.message.contains(reason))
    }

    @Test func `a script stops at the statement that fails`() throws {
        let folder = try Folder()
        let database = try database(folder)

        let script = "INSERT INTO t VALUES (1, 'kept'); INSERT INTO t VALUES (1, 'rejected'); INSERT INTO t VALUES (2, 'never')"
        let error = try failure { () throws(SQLiteError) in try database.script(script) }

        #expect(error.primaryCode == SQLITE_CONSTRAINT)
        #expect(try database.run("SELECT b FROM t") == [[.text("kept")]])
    }

    @Test func `foreign keys are enforced`() throws {
        let folder = try Folder()
        let database = try database(folder)
        try database.script("CREATE TABLE child (a INTEGER REFERENCES t (a) ON DELETE CASCADE); INSERT INTO t VALUES (1, 0)")
        try database.script("INSERT INTO child VALUES (1)")

        let error = try failure { () throws(SQLiteError) in try database.script("INSERT INTO child VALUES (2)") }
        try database.run("DELETE FROM t")

        #expect(error.message == "FOREIGN KEY constraint failed")
        #expect(try database.run("SELECT * FROM child") == [])
    }

    @Test func `after closing nothing runs`() throws {
        let folder = try Folder()
        let database = try database(folder)
        try database.run("INSERT INTO t VALUES (1, 2)")
        database.close()
        database.close()

        for sql in ["INSERT INTO t VALUES (1, 2)", "SELECT 1"] {
            #expect(try failure { () throws(SQLiteError) in try database.run(sql) }.message == "the file is closed")
            #expect(try failure { () throws(SQLiteError) in try database.script(sql) }.code == SQLITE_MISUSE)
        }
        #expect(throws: SQLiteError.self) { try database.transaction {} }
    }

    // MARK: transactions

    private struct Wrong: Error {}

    @Test func `a transaction is committed whole or not at all`() throws {
        let folder = try Folder()
        let database = try database(folder)
        try database.transaction { try database.run("INSERT INTO t VALUES (1, 0)") }

        #expect(throws: Wrong.self) {
            try database.transaction {
                try database.run("INSERT INTO t VALUES (2, 0)")
                throw Wrong()
            }
        }
        #expect(throws: SQLiteError.self) {
            try database.transaction {
                try database.run("INSERT INTO t VALUES (3, 0)")
                try database.run("INSERT INTO t VALUES (1, 0)")
            }
        }

        #expect(try SQLiteDatabase(folder.file).run("SELECT a FROM t") == [[.integer(1)]])
        try database.transaction { try database.run("INSERT INTO t VALUES (4, 0)") }
        #expect(try SQLiteDatabase(folder.file).run("SELECT a FROM t") == [[.integer(1)], [.integer(4)]])
    }

    @Test func `a commit that fails is rolled back`() throws {
        let folder = try Folder()
        let database = try database(folder)
        try database.script("CREATE TABLE child (a INTEGER REFERENCES t (a) DEFERRABLE INITIALLY DEFERRED)")

        #expect(throws: SQLiteError.self) { try database.transaction { try database.run("INSERT INTO child VALUES (9)") } }

        #expect(try database.run("SELECT * FROM child") == [])
        try database.transaction { try database.run("INSERT INTO t VALUES (4, 0)") }
    }

    @Test func `a full file takes nothing of the transaction`() throws {
        let folder = try Folder()
        let database = try database(folder)
        try database.run("INSERT INTO t VALUES (1, 'kept')")
        try database.script("PRAGMA max_page_count = 6")
        let large = SQLiteValue.blob([UInt8](repeating: 7, count: 100_000))

        let error = #expect(throws: SQLiteError.self) {
            try database.transaction {
                try database.run("INSERT INTO t VALUES (2, 'small')")
                try database.run("INSERT INTO t VALUES (3, ?)", [large])
            }
        }

        #expect(error?.code == SQLITE_FULL)
        #expect(error?.message == "database or disk is full")
        #expect(try database.run("SELECT b FROM t") == [[.text("kept")]])
        try database.transaction { try database.run("INSERT INTO t VALUES (2, 'small')") }
    }
}
