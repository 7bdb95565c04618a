import SQLiteFile
import Testing

@Suite struct SQLiteSchemaTests {
    private static let first: @Sendable (SQLiteDatabase) throws -> Void = { try $0.run("CREATE TABLE t (a)") }
    private static let second: @Sendable (SQLiteDatabase) throws -> Void = { try $0.run("ALTER TABLE t ADD COLUMN b") }
    private static let third: @Sendable (SQLiteDatabase) throws -> Void = { try $0.run("ALTER TABLE missing ADD COLUMN b") }

    private func versions(_ database: SQLiteDatabase) throws -> [[SQLiteValue]] {
        try database.run("SELECT identifier FROM grdb_migrations ORDER BY identifier")
    }

    @Test func `each step runs once`() throws {
        let folder = try Folder()
        let database = try SQLiteDatabase(folder.file)
        #expect(try SQLiteSchema([Self.first]).version(of: database) == 0)
        try SQLiteSchema([Self.first]).migrate(database)
        #expect(try SQLiteSchema([Self.first]).version(of: database) == 1)

        let schema = SQLiteSchema([Self.first, Self.second])
        for _ in 0..<2 { try schema.migrate(database) }

        #expect(schema.newest == 2)
        #expect(try schema.version(of: database) == 2)
        #expect(try versions(database) == [[.text("1")], [.text("2")]])
        #expect(try database.run("SELECT name FROM pragma_table_info('t')") == [[.text("a")], [.text("b")]])
    }

    @Test func `a step that fails changes nothing`() throws {
        let folder = try Folder()
        let database = try SQLiteDatabase(folder.file)

        #expect(throws: SQLiteError.self) { try SQLiteSchema([Self.first, Self.third]).migrate(database) }

        #expect(try versions(database) == [[.text("1")]])
    }

    @Test(arguments: ["3", "99", "beta"])
    func `a newer file is known and stays`(_ version: String) throws {
        let folder = try Folder()
        let database = try SQLiteDatabase(folder.file)
        let schema = SQLiteSchema([Self.first, Self.second])
        try SQLiteSchema([Self.first]).migrate(database)
        try database.run("INSERT INTO grdb_migrations VALUES (?)", [.text(version)])

        #expect(try schema.version(of: database) == nil)
        try schema.migrate(database)
        #expect(try versions(database) == [[.text("1")], [.text(version)]])
    }
}
