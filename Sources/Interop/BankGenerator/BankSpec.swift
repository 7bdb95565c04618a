/// The parameters of a generated bank; equal specs give equal bytes everywhere.
package struct BankSpec: Sendable, Hashable {
    /// The bank's name and its folder's.
    package let name: String
    /// How many transactions it has; all else grows with them.
    package let rows: Int
    /// Decides everything that is drawn.
    package let seed: UInt64
    /// Whether some dates are in forms that a strict client must survive or set aside.
    package let oddDates: Bool

    /// How many transactions a bank may have.
    package static let rowLimits = 1...10_000_000

    /// - Throws: ``BankSpecError`` if there are too few rows, or too many.
    package init(name: String, rows: Int, seed: UInt64, oddDates: Bool = false) throws(BankSpecError) {
        guard BankSpec.rowLimits.contains(rows) else { throw .rows(rows) }
        self.name = name
        self.rows = rows
        self.seed = seed
        self.oddDates = oddDates
    }
}

/// Why no bank can be made.
package enum BankSpecError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A number of transactions beyond the limits.
    case rows(Int)
    /// The model bank's definition lacks a part that is to be replaced.
    case noSection(String)

    package var description: String {
        switch self {
        case .rows(let found): "found \(found) rows, expected 1 to 10,000,000"
        case .noSection(let name): "found no top-level key `\(name)` in the model bank's bank.yaml, expected exactly one"
        }
    }
}
