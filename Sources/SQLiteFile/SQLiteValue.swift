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
