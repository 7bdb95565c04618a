import Synchronization

/// Replaces an outbox that could not be opened. Each call tries again: a disk may be full, or a store locked, for a while only.
///
/// Until then every payment fails with the reason; reading from the bank works.
package final class ReopeningOutbox: Outbox {
    private let path: String
    private let opened = Mutex<SQLiteOutbox?>(nil)

    package init(path: String) { self.path = path }

    package func entry(_ intent: String, of owner: String) throws(StorageError) -> OutboxEntry? { try outbox().entry(intent, of: owner) }
    package func owners(of intent: String) throws(StorageError) -> Set<String> { try outbox().owners(of: intent) }
    package func put(_ entry: OutboxEntry) throws(StorageError) { try outbox().put(entry) }
    package func claim(_ entry: OutboxEntry, replacing key: String?) throws(StorageError) -> OutboxEntry {
        try outbox().claim(entry, replacing: key)
    }

    private func outbox() throws(StorageError) -> SQLiteOutbox {
        try opened.withLock { opened throws(StorageError) in
            if let opened { return opened }
            let outbox = try SQLiteOutbox(path: path)
            opened = outbox
            return outbox
        }
    }
}

extension SQLiteOutbox {
    /// The outbox of that file; a ``ReopeningOutbox`` if it cannot be opened now. The file is never replaced: it may hold the keys of
    /// payments whose outcome is unknown.
    package static func opened(_ path: String) -> any Outbox {
        do throws(StorageError) { return try SQLiteOutbox(path: path) } catch { return ReopeningOutbox(path: path) }
    }
}
