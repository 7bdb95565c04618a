/// Stands in for an outbox that cannot be opened: nothing is paid and each attempt says why; reading goes on.
public struct UnusableOutbox: Outbox {
    private let reason: StoreError

    public init(_ reason: StoreError) { self.reason = reason }

    public func entry(_ intent: String, of owner: String) throws(StoreError) -> OutboxEntry? { throw reason }
    public func owners(of intent: String) throws(StoreError) -> Set<String> { throw reason }
    public func put(_ entry: OutboxEntry) throws(StoreError) { throw reason }
}

extension SQLiteOutbox {
    /// The outbox of that file; if it cannot be opened, one that says why at each payment. The file is never replaced:
    /// it may hold the keys of payments whose end is not known.
    public static func opened(_ path: String) -> any Outbox {
        do throws(StoreError) { return try SQLiteOutbox(path: path) } catch { return UnusableOutbox(error) }
    }
}
