import Synchronization

/// Stores one token between requests and between runs.
package protocol TokenStore: Sendable {
    /// The stored token; nil if there is none.
    func load() throws(StorageError) -> Token?
    /// Stores the token, replacing any other; it survives a crash once this returns, if the store is persistent.
    func save(_ token: Token) throws(StorageError)
    /// Removes the token. An empty one never replaces it: it would be sent.
    func clear() throws(StorageError)
    /// Held during a refresh by the process that makes it; nil if no other process uses the store.
    var processLock: ProcessLock? { get }
}

extension TokenStore {
    package var processLock: ProcessLock? { nil }
}

/// Stores the token for as long as the process lives.
package final class MemoryTokenStore: TokenStore {
    private let token = Mutex<Token?>(nil)

    package init() {}

    package func load() -> Token? { token.withLock { $0 } }
    package func save(_ token: Token) { self.token.withLock { $0 = token } }
    package func clear() { token.withLock { $0 = nil } }
}
