/// Why a store could not read or write.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was found and what was expected, with the file's path. Never holds what the file holds.
    public var description: String
    public var kind: Kind

    /// What can be done about it.
    public enum Kind: Sendable, Hashable {
        /// The disk or the system refused: full, read-only, no rights. What is stored may well be whole.
        case refused
        /// What is stored is cut, altered or something else altogether, and will not be read again.
        case damaged
        /// It was sealed with another key; with that key it is whole.
        case foreignKey
        /// A newer version of the program wrote it, which can still read it.
        case newerVersion
    }

    public init(_ description: String, kind: Kind = .refused) {
        self.description = description
        self.kind = kind
    }
}
