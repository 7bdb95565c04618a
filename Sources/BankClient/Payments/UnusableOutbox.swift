/// Replaces an outbox that cannot be opened: every payment fails with the reason; reading works.
package struct UnusableOutbox: Outbox {
    private let reason: StorageError

    package init(_ reason: StorageError) { self.reason = reason }

    package func entry(_ intent: String, of owner: String) throws(StorageError) -> OutboxEntry? { throw reason }
    package func owners(of intent: String) throws(StorageError) -> Set<String> { throw reason }
    package func put(_ entry: OutboxEntry) throws(StorageError) { throw reason }
}

extension SQLiteOutbox {
    /// The outbox of that file; an ``UnusableOutbox`` if it cannot be opened. The file is never replaced: it may hold the
    /// keys of payments whose outcome is unknown.
    package static func opened(_ path: String) -> any Outbox {
        do throws(StorageError) { return try SQLiteOutbox(path: path) } catch { return UnusableOutbox(error) }
    }
}
