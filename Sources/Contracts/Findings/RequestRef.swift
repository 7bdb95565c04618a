package import BankModel

/// A request that a finding is about, with what reports say of it.
package struct RequestRef: Sendable, Hashable {
    /// Its number in the journal.
    package var number: Int
    /// Nil if no head was read.
    package var method: String?
    package var path: String
    /// The bank's operation; nil if it is not known.
    package var operation: String?

    package init(number: Int, method: String? = nil, path: String = "", operation: String? = nil) {
        self.number = number
        self.method = method
        self.path = path
        self.operation = operation
    }

    package init(_ entry: JournalEntry) {
        self.init(number: entry.seq, method: entry.method, path: entry.path, operation: entry.operation)
    }
}
