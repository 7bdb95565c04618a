/// The reason why a store could not read or write.
package struct StorageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The finding and the expectation, with the file's path. Never contains the file's content.
    package var description: String
    package var kind: Kind

    /// The possible remedies.
    package enum Kind: Sendable, Hashable {
        /// The disk or the system failed: full, read-only, no rights. The stored content may be intact.
        case failed
        /// The stored content is truncated, altered or of another format, and will never be readable.
        case damaged
        /// The content was sealed with another key; that key can read it.
        case foreignKey
        /// A newer version of the program wrote it, and can still read it.
        case newerVersion
    }

    package init(_ description: String, kind: Kind = .failed) {
        self.description = description
        self.kind = kind
    }
}
