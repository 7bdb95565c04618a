import BankClient
import Platform

/// Stores a token in memory, and fails as configured.
final class FailingStore: TokenStore {
    private struct State {
        var token: Token?
        var isFull = false
        var isDamaged = false
    }

    private let state = Locked(State())

    var kept: Token? { state.withLock { $0.token } }
    var isFull: Bool {
        get { state.withLock { $0.isFull } }
        set { state.withLock { $0.isFull = newValue } }
    }
    var isDamaged: Bool {
        get { state.withLock { $0.isDamaged } }
        set { state.withLock { $0.isDamaged = newValue } }
    }

    func load() throws(StorageError) -> Token? {
        if isDamaged { throw StorageError("damaged", kind: .damaged) }
        return kept
    }

    func save(_ token: Token) throws(StorageError) {
        if isFull { throw StorageError("full") }
        state.withLock { state in (state.token, state.isDamaged) = (token, false) }
    }

    func clear() { state.withLock { state in (state.token, state.isDamaged) = (nil, false) } }
}
