/// Replaces an outbox that cannot be opened: every payment fails with the reason; reading works.
public struct UnusableOutbox: Outbox {
    private let reason: StoreError

    public init(_ reason: StoreError) { self.reason = reason }

    public func entry(_ intent: String, of owner: String) throws(StoreError) -> OutboxEntry? { throw reason }
    public func owners(of intent: String) throws(StoreError) -> Set<String> { throw reason }
    public func put(_ entry: OutboxEntry) throws(StoreError) { throw reason }
}

extension SQLiteOutbox {
    /// The outbox of that file; an ``UnusableOutbox`` if it cannot be opened. The file is never replaced: it may hold the
    /// keys of payments whose outcome is unknown.
    public static func opened(_ path: String) -> any Outbox {
        do throws(StoreError) { return try SQLiteOutbox(path: path) } catch { return UnusableOutbox(error) }
    }
}
