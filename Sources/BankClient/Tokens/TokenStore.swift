import Synchronization

/// Where one token lies between requests and between runs.
public protocol TokenStore: Sendable {
    /// The token kept; nil if there is none.
    func load() throws(StoreError) -> Token?
    /// Keeps the token in place of any other; when this returns it survives a crash, if the store lasts at all.
    func save(_ token: Token) throws(StoreError)
    /// Removes the token. An empty one is never left in its place: it would be sent.
    func clear() throws(StoreError)
}

/// Keeps the token as long as the process lives.
public final class MemoryTokenStore: TokenStore {
    private let token = Mutex<Token?>(nil)

    public init() {}

    public func load() -> Token? { token.withLock { $0 } }
    public func save(_ token: Token) { self.token.withLock { $0 = token } }
    public func clear() { token.withLock { $0 = nil } }
}
