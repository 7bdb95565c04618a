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
