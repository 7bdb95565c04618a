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
    /// Makes a token worthless that nobody will use: it came after the person had signed out, or in anew.
    func abandon(_ token: Token) async
}

extension TokenRefreshing {
    public func abandon(_ token: Token) async {}
}

/// Keeps one token by these rules:
/// - a rejection clears only the token that was rejected: one that is late must not sign out who has signed in anew;
/// - one refresh at a time, shared by all who wait for it, as refresh tokens are good for one use; who is called off
///   leaves at once, the refresh goes on;
/// - a new token is stored before anybody is given it; if it cannot be stored it is held back, and stored before the next use;
/// - only the bank's refusal of a refresh signs out, not a refresh that failed on the way;
/// - no clock is asked: a token is good until the bank says otherwise, whatever the device believes the time to be.
public actor TokenKeeper: TokenKeeping {
    private let store: any TokenStore
    private let refresher: (any TokenRefreshing)?
    private var refreshing: (of: Token, work: SharedWork<Result<Token?, ClientFailure>>)?
    /// True while the store could not remove what it has: it is not used again whatever the store says.
    private var isForgotten = false
    /// Renewed, and not yet stored. It is used only once it is.
    private var unsaved: Token?
    private var hasToldUnreadable = false
    public private(set) var prompts = 0

    public init(store: any TokenStore, refresher: (any TokenRefreshing)? = nil) {
        self.store = store
        self.refresher = refresher
    }

    /// - Throws: ``ClientFailure`` `unauthorized` if what is stored will never be read again: only signing in helps.
    ///   `unavailable` if the store refuses for now: the token may well be whole.
    public func current() throws(ClientFailure) -> Token? {
        if isForgotten { return nil }
        if let unsaved {
            try storing { () throws(StoreError) in try store.save(unsaved) }
            self.unsaved = nil
        }
        return try storing { () throws(StoreError) in try store.load() }
    }

    public func signIn(_ token: Token) throws(ClientFailure) {
        try storing { () throws(StoreError) in try store.save(token) }
        (isForgotten, unsaved, hasToldUnreadable) = (false, nil, false)
    }

    /// Forgets even what cannot be read. Used no more is the token in any case; the error says if it stays on the disk.
    public func signOut() throws(ClientFailure) -> Token? {
        let token = unsaved ?? (isForgotten ? nil : try? store.load())
        try forget()
        return token
    }

    public func replacement(for rejected: Token) async throws(ClientFailure) -> Token? {
        let current = try current()
        guard current == rejected else { return current }
        guard let refresher, let refresh = rejected.refresh else {
            try discard(rejected)
            return nil
        }
        let work =
            if let refreshing, refreshing.of == rejected { refreshing.work } else { renewal(of: rejected, by: refresher, with: refresh) }
        guard let place = work.join(), let outcome = await work.value(at: place) else {
            throw ClientFailure(.cancelled, "called off while the token was renewed", mayHaveLeft: true)
        }
        return try outcome.get()
    }

    /// Begins a refresh. It goes on even when nobody waits any more: the bank may have made the old token worthless already,
    /// and the new one must be stored.
    private func renewal(
        of rejected: Token, by refresher: any TokenRefreshing, with refresh: String
    ) -> SharedWork<Result<Token?, ClientFailure>> {
        let work = SharedWork(whenAbandoned: .goesOn) {
            let outcome = await self.refreshed(rejected, by: refresher, with: refresh)
            await self.refreshEnded(of: rejected)
            return outcome
        }
        refreshing = (rejected, work)
        return work
    }

    private func refreshEnded(of rejected: Token) {
        if refreshing?.of == rejected { refreshing = nil }
    }

    public func discard(_ rejected: Token) throws(ClientFailure) {
        guard try current() == rejected else { return }
        prompts += 1
        try forget()
    }

    private func refreshed(
        _ rejected: Token, by refresher: any TokenRefreshing, with refresh: String
    ) async -> Result<Token?, ClientFailure> {
        do throws(ClientFailure) {
            var new: Token
            do throws(ClientFailure) { new = try await refresher.refresh(refresh) } catch {
                guard isRefusal(error) else { throw error }
                try discard(rejected)
                return .success(try current())
            }
            // RFC 6749 §6: without a new refresh token the old one stays good.
            (new.refresh, new.owner) = (new.refresh ?? refresh, rejected.owner)
            guard isForgotten || store.holdsOther(than: rejected) else {
                unsaved = new
                return .success(try current())
            }
            // While we waited somebody signed in or out: then that stands.
            await refresher.abandon(new)
            return .success(try current())
        } catch {
            return .failure(error)
        }
    }

    /// The bank's own no, RFC 6749 §5.2. A gateway's 400 or 403 on the way is not that.
    private func isRefusal(_ failure: ClientFailure) -> Bool {
        let final = ["invalid_grant", "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope"]
        return failure.error == .unauthorized || failure.problem.map(final.contains) ?? false
    }

    private func forget() throws(ClientFailure) {
        (isForgotten, unsaved) = (true, nil)
        try storing { () throws(StoreError) in try store.clear() }
        isForgotten = false
    }

    private func storing<Value>(_ body: () throws(StoreError) -> Value) throws(ClientFailure) -> Value {
        do throws(StoreError) { return try body() } catch {
            guard error.kind == .damaged || error.kind == .foreignKey else {
                throw ClientFailure(.unavailable, "the token's store: \(error)", mayHaveLeft: false)
            }
            if !hasToldUnreadable { prompts += 1 }
            hasToldUnreadable = true
            throw ClientFailure(.unauthorized, "the token's store: \(error); sign in again", mayHaveLeft: false)
        }
    }
}

extension TokenStore {
    /// True if another token, or none, has taken the place of this one; false if the store does not say.
    fileprivate func holdsOther(than token: Token) -> Bool {
        do { return try load() != token } catch { return false }
    }
}
