import BankModel

/// Who is signed in, and what happens when the bank no longer takes a token.
public protocol TokenKeeping: Sendable {
    /// The token to send; nil if nobody is signed in.
    func current() async throws(ClientFailure) -> Token?
    /// Keeps a new token: somebody signed in.
    func signIn(_ token: Token) async throws(ClientFailure)
    /// Forgets the token and returns it, so that it can be revoked.
    func signOut() async throws(ClientFailure) -> Token?
    /// The bank rejected this token: what to send instead, once. nil: nothing, it is forgotten, sign in again.
    func replacement(for rejected: Token) async throws(ClientFailure) -> Token?
    /// The bank rejected even the replacement.
    func discard(_ rejected: Token) async throws(ClientFailure)
    /// How often somebody had to be asked to sign in again.
    var prompts: Int { get async }
}

/// Gets a new token for a refresh token.
public protocol TokenRefreshing: Sendable {
    /// - Throws: ``ClientFailure`` `unauthorized` if the bank refuses (`invalid_grant`); anything else may pass.
    func refresh(_ refresh: String) async throws(ClientFailure) -> Token
}

/// Keeps one token by these rules:
/// - a rejection clears only the token that was rejected: one that is late must not sign out who has signed in anew;
/// - one refresh at a time, shared by all who wait for it, as refresh tokens are good for one use;
/// - a new token is stored before anybody is given it;
/// - only the bank's refusal of a refresh signs out, not a refresh that failed on the way.
public actor TokenKeeper: TokenKeeping {
    private let store: any TokenStore
    private let refresher: (any TokenRefreshing)?
    private var refreshing: (of: Token, task: Task<Result<Token?, ClientFailure>, Never>)?
    /// A token that the store could not remove; it is not used again whatever the store says.
    private var forgotten: Token?
    public private(set) var prompts = 0

    public init(store: any TokenStore, refresher: (any TokenRefreshing)? = nil) {
        (self.store, self.refresher) = (store, refresher)
    }

    public func current() throws(ClientFailure) -> Token? {
        let token = try storing { () throws(StoreError) in try store.load() }
        return token == forgotten ? nil : token
    }

    public func signIn(_ token: Token) throws(ClientFailure) {
        try storing { () throws(StoreError) in try store.save(token) }
        forgotten = nil
    }

    public func signOut() throws(ClientFailure) -> Token? {
        let token = try current()
        try forget(token)
        return token
    }

    public func replacement(for rejected: Token) async throws(ClientFailure) -> Token? {
        let current = try current()
        guard current == rejected else { return current }
        guard let refresher, let refresh = rejected.refresh else {
            try discard(rejected)
            return nil
        }
        if let refreshing, refreshing.of == rejected { return try await refreshing.task.value.get() }
        let task = Task { await self.refreshed(rejected, by: refresher, with: refresh) }
        refreshing = (rejected, task)
        let outcome = await task.value
        if refreshing?.of == rejected { refreshing = nil }
        return try outcome.get()
    }

    public func discard(_ rejected: Token) throws(ClientFailure) {
        guard try current() == rejected else { return }
        prompts += 1
        try forget(rejected)
    }

    private func refreshed(
        _ rejected: Token, by refresher: any TokenRefreshing, with refresh: String
    ) async -> Result<Token?, ClientFailure> {
        do throws(ClientFailure) {
            let new: Token
            do throws(ClientFailure) { new = try await refresher.refresh(refresh) } catch {
                guard error.error == .unauthorized else { throw error }
                try discard(rejected)
                return .success(try current())
            }
            // While we waited somebody may have signed in or out: then that stands.
            guard try current() == rejected else { return .success(try current()) }
            try signIn(new)
            return .success(new)
        } catch {
            return .failure(error)
        }
    }

    private func forget(_ token: Token?) throws(ClientFailure) {
        forgotten = token
        try storing { () throws(StoreError) in try store.clear() }
        forgotten = nil
    }

    private func storing<Value>(_ body: () throws(StoreError) -> Value) throws(ClientFailure) -> Value {
        do throws(StoreError) { return try body() } catch {
            throw ClientFailure(.unavailable, "the token's store: \(error)", mayHaveLeft: false)
        }
    }
}
