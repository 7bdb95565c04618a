import CSQLite

/// A connection to an SQLite file, with foreign keys enforced.
///
/// It belongs to one thread at a time (SQLite locks nothing for it) and is not `Sendable`: threads share it in a `Locked`.
package final class SQLiteDatabase {
    private var handle: OpaquePointer?
    private var statements: [String: OpaquePointer] = [:]

    /// Opens the file, or creates it unless it is `readOnly`. The first statement that reads it fails if it is not a database.
    ///
    /// - Parameters:
    ///   - isImmutable: whether nobody changes the file meanwhile, and it has no log. Then it is only read, and no file is made beside it:
    ///     its file system may be read-only.
    ///   - busyMilliseconds: how long a statement waits for the lock of another connection before it fails.
    ///   - vfs: the name of SQLite's access to the disk (sqlite.org/vfs.html), for tests; nil for the system's.
    package init(
        _ path: String, readOnly: Bool = false, isImmutable: Bool = false, busyMilliseconds: Int32 = 0, vfs: String? = nil
    ) throws(SQLiteError) {
        let flags = readOnly || isImmutable ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        // sqlite.org/uri.html
        let name = isImmutable ? "file:\(SQLiteDatabase.escaped(path))?immutable=1" : path
        let kind = isImmutable ? SQLITE_OPEN_URI : 0
        guard sqlite3_open_v2(name, &handle, flags | kind | SQLITE_OPEN_NOMUTEX, vfs) == SQLITE_OK else { throw failure() }
        sqlite3_busy_timeout(handle, busyMilliseconds)
        try script("PRAGMA foreign_keys = ON")
    }

    deinit { close() }

    /// A path as part of a URI.
    private static func escaped(_ path: String) -> String {
        path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    }

    /// Closes the file. Every later statement fails.
    package func close() {
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
        sqlite3_close_v2(handle)
        handle = nil
    }

    /// Gives up the file without closing it: SQLite removes nothing beside it. Its descriptors stay open until the process ends. Every later
    /// statement fails.
    package func abandon() {
        statements = [:]
        handle = nil
    }

    /// Runs one statement, with a value for each `?`. It remains compiled for the next time.
    ///
    /// - Returns: all rows, each with its columns.
    @discardableResult
    package func run(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> [[SQLiteValue]] {
        let statement = try compiled(sql)
        defer {  // After an error too: only then can it run again.
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        let isFull = values.count == Int(sqlite3_bind_parameter_count(statement))
        guard isFull else { throw misuse("found \(values.count) values, expected one for each ?", sql) }
        for (index, value) in zip(Int32(1)..., values) where bind(value, at: index, of: statement) != SQLITE_OK { throw failure(sql) }
        var rows: [[SQLiteValue]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows.append((0..<sqlite3_column_count(statement)).map { SQLiteValue(column: $0, of: statement) })
            case SQLITE_DONE: return rows
            default: throw failure(sql)
            }
        }
    }

    /// Runs any number of statements without values, and drops their rows. If one fails, those before it remain done.
    package func script(_ sql: String) throws(SQLiteError) {
        guard let handle, sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
    }

    /// Commits all that the body does; nothing if it throws or the commit fails. The file is locked for writing from the start.
    ///
    /// - Throws: the error of the body or the commit; the error of the rollback if that fails too.
    @discardableResult
    package func transaction<Value>(_ body: () throws -> Value) throws -> Value {
        try run("BEGIN IMMEDIATE")
        do {
            let value = try body()
            try run("COMMIT")
            return value
        } catch {
            // After some errors, such as a full disk, SQLite has rolled back by itself (sqlite.org/lang_transaction.html).
            if let handle, sqlite3_get_autocommit(handle) == 0 { try run("ROLLBACK") }
            throw error
        }
    }

    private func compiled(_ sql: String) throws(SQLiteError) -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        guard let handle else { throw failure(sql) }
        var statement: OpaquePointer?
        let isOne = sql.withCString { text in
            var rest: UnsafePointer<CChar>?
            let code = sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, &rest)
            return code == SQLITE_OK && rest?.pointee == 0
        }
        guard isOne, let statement else {
            sqlite3_finalize(statement)
            throw sqlite3_errcode(handle) == SQLITE_OK ? misuse("found no statement or several, expected one", sql) : failure(sql)
        }
        statements[sql] = statement
        return statement
    }

    private func bind(_ value: SQLiteValue, at index: Int32, of statement: OpaquePointer) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(statement, index)
        case .integer(let number): return sqlite3_bind_int64(statement, index, number)
        case .real(let number): return sqlite3_bind_double(statement, index, number)
        case .text(var text): return text.withUTF8 { csqlite_bind_text(statement, index, $0.baseAddress, UInt64($0.count)) }
        case .blob(let bytes): return bytes.withUnsafeBytes { csqlite_bind_blob(statement, index, $0.baseAddress, UInt64($0.count)) }
        }
    }

    private func failure(_ sql: String? = nil) -> SQLiteError {
        guard let handle else { return misuse("the file is closed", sql) }
        return SQLiteError(code: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)), sql: sql)
    }
    private func misuse(_ message: String, _ sql: String?) -> SQLiteError { SQLiteError(code: SQLITE_MISUSE, message: message, sql: sql) }
}

extension SQLiteValue {
    /// A column of the statement's present row. A text that is not UTF-8 is repaired.
    fileprivate init(column: Int32, of row: OpaquePointer) {
        // SQLite converts a value when it is asked for the pointer: the count is right after that alone.
        let count = { Int(sqlite3_column_bytes(row, column)) }
        switch sqlite3_column_type(row, column) {
        case SQLITE_INTEGER: self = .integer(sqlite3_column_int64(row, column))
        case SQLITE_FLOAT: self = .real(sqlite3_column_double(row, column))
        case SQLITE_TEXT:
            self = .text(String(decoding: UnsafeBufferPointer(start: sqlite3_column_text(row, column), count: count()), as: UTF8.self))
        case SQLITE_BLOB: self = .blob(Array(UnsafeRawBufferPointer(start: sqlite3_column_blob(row, column), count: count())))
        default: self = .null
        }
    }
}

/// A value in a column of a row, or of a statement's parameter (sqlite.org/datatype3.html).
package enum SQLiteValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    /// A text; it may contain NUL, which SQLite's own functions take for its end.
    case text(String)
    case blob([UInt8])

    package init(_ number: Int64?) { self = number.map(SQLiteValue.integer) ?? .null }
    package init(_ text: String?) { self = text.map(SQLiteValue.text) ?? .null }
    package init(_ bytes: [UInt8]?) { self = bytes.map(SQLiteValue.blob) ?? .null }

    /// The whole number; nil if it is something else.
    package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    /// The text; nil if it is something else.
    package var text: String? { if case .text(let text) = self { text } else { nil } }
    /// The bytes; nil if it is something else.
    package var blob: [UInt8]? { if case .blob(let bytes) = self { bytes } else { nil } }
}

/// A failure of SQLite's.
package struct SQLiteError: Error, Hashable, CustomStringConvertible {
    /// The extended result code, such as 2067 for a second row of a unique key (sqlite.org/rescode.html).
    package let code: Int32
    /// SQLite's words.
    package let message: String
    /// The statement, without its values; nil if the file could not be opened.
    package let sql: String?
    /// The primary result code, such as 19 for every broken constraint.
    package var primaryCode: Int32 { code & 0xff }

    package var description: String {
        "SQLite error \(primaryCode): \(message)" + (sql.map { " - while executing `\($0)`" } ?? "")
    }
}
