/// The versions of a file's schema. Step n turns version n - 1 into version n; a published step is never changed.
///
/// The file has a row for each version in `grdb_migrations(identifier TEXT)`, named for the library that wrote the first files.
package struct SQLiteSchema: Sendable {
    private let steps: [@Sendable (SQLiteDatabase) throws -> Void]

    package init(_ steps: [@Sendable (SQLiteDatabase) throws -> Void]) { self.steps = steps }
    /// The newest version.
    package var newest: Int { steps.count }

    /// The file's version: 0 if it has none yet; nil if a newer program wrote it.
    package func version(of database: SQLiteDatabase) throws(SQLiteError) -> Int? {
        let tables = try database.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'grdb_migrations'")
        let names = tables.isEmpty ? [] : try database.run("SELECT identifier FROM grdb_migrations").map { $0[0].text ?? "" }
        let version = names.reduce(0) { max($0, Int($1) ?? .max) }
        return version <= newest ? version : nil
    }

    /// Makes the file one of the newest version, each step in a separate transaction. A newer file remains unchanged.
    package func migrate(_ database: SQLiteDatabase) throws {
        guard let version = try version(of: database) else { return }
        try database.run("CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        for (number, step) in zip(1..., steps).dropFirst(version) {
            try database.transaction {
                // Another process may have done the step while this one waited for the lock.
                guard try self.version(of: database) ?? .max < number else { return }
                try step(database)
                try database.run("INSERT INTO grdb_migrations VALUES (?)", [.text("\(number)")])
            }
        }
    }
}
