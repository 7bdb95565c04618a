import BankModel

/// Holds the token of the customer who is signed in, and replaces or removes it when the bank rejects it.
package protocol TokenKeeping: Sendable {
    /// The token to send; nil if nobody is signed in.
    func current() async throws(ClientFailure) -> Token?
    /// Stores a new token: a customer has signed in.
    func signIn(_ token: Token) async throws(ClientFailure)
    /// Removes the token and returns it, so that it can be revoked.
    func signOut() async throws(ClientFailure) -> Token?
    /// Returns the token to send instead of a rejected one, once; nil if it was removed and the customer must sign in again.
    func replacement(for rejected: Token) async throws(ClientFailure) -> Token?
    /// Removes the replacement, which the bank rejected too.
    func discard(_ rejected: Token) async throws(ClientFailure)
    /// The number of times that a new sign-in had to be requested.
    var prompts: Int { get async }
}

/// Exchanges a refresh token for a new token.
package protocol TokenRefreshing: Sendable {
    /// - Throws: ``ClientFailure`` `unauthorized` if the bank rejects the refresh token (`invalid_grant`); any other error is transient.
    func refresh(_ refresh: String) async throws(ClientFailure) -> Token
    /// Revokes a token that is never used: it arrived after the customer had signed out, or had signed in again.
    func abandon(_ token: Token) async
}

extension TokenRefreshing {
    package func abandon(_ token: Token) async {}
}

/// Holds one token by these rules:
/// - a rejection removes only the token that was rejected: a late one must not sign out a new sign-in;
/// - one refresh at a time, shared by all tasks that wait for it, as refresh tokens are valid for one use; a task that is
///   cancelled leaves at once, and the refresh continues; a process that waits for another's refresh uses its token;
/// - a new token is stored before it is used; if it cannot be stored it is withheld, and stored before the next use;
/// - only the bank's rejection of a refresh signs out, not a refresh that failed on the way;
/// - no clock is consulted: a token is valid until the bank rejects it, whatever the device's time.
package actor TokenKeeper: TokenKeeping {
    private let store: any TokenStore
    private let refresher: (any TokenRefreshing)?
    private var refreshing: (of: Token, work: SharedWork<Result<Token?, ClientFailure>>)?
    /// True while the store could not remove its token: it is never used again whatever the store returns.
    private var isForgotten = false
    /// A refreshed token that is not stored yet. It is used only once it is.
    private var unsaved: Token?
    private var hasReportedUnreadable = false
    package private(set) var prompts = 0

    package init(store: any TokenStore, refresher: (any TokenRefreshing)? = nil) {
        self.store = store
        self.refresher = refresher
    }

    /// - Throws: ``ClientFailure`` `unauthorized` if the stored token will never be readable: only a sign-in helps.
    ///   `unavailable` if the store cannot be read for now: the token may be intact.
    package func current() throws(ClientFailure) -> Token? {
        if isForgotten { return nil }
        if let unsaved {
            try storing { () throws(StorageError) in try store.save(unsaved) }
            self.unsaved = nil
        }
        return try storing { () throws(StorageError) in try store.load() }
    }

    package func signIn(_ token: Token) throws(ClientFailure) {
        try storing { () throws(StorageError) in try store.save(token) }
        (isForgotten, unsaved, hasReportedUnreadable) = (false, nil, false)
    }

    /// Removes the token, even an unreadable one. It is never used again; the error reports whether it is still on disk.
    package func signOut() throws(ClientFailure) -> Token? {
        let token = unsaved ?? (isForgotten ? nil : try? store.load())
        try forget()
        return token
    }

    package func replacement(for rejected: Token) async throws(ClientFailure) -> Token? {
        let current = try current()
        guard current == rejected else { return current }
        guard let refresher, let refresh = rejected.refresh else {
            try discard(rejected)
            return nil
        }
        let work =
            if let refreshing, refreshing.of == rejected { refreshing.work } else { renewal(of: rejected, by: refresher, with: refresh) }
        guard let ticket = work.join(), let outcome = await work.value(at: ticket) else {
            throw ClientFailure(.cancelled, "cancelled while the token was refreshed", mayHaveLeft: true)
        }
        return try outcome.get()
    }

    /// Begins a refresh. It continues even when no task waits for it: the bank may have invalidated the old token already,
    /// and the new one must be stored.
    private func renewal(
        of rejected: Token, by refresher: any TokenRefreshing, with refresh: String
    ) -> SharedWork<Result<Token?, ClientFailure>> {
        let work = SharedWork(whenAbandoned: .goesOn) {
            let outcome = await self.refreshedHere(rejected, by: refresher, with: refresh)
            await self.refreshEnded(of: rejected)
            return outcome
        }
        refreshing = (rejected, work)
        return work
    }

    private func refreshEnded(of rejected: Token) {
        if refreshing?.of == rejected { refreshing = nil }
    }

    package func discard(_ rejected: Token) throws(ClientFailure) {
        guard try current() == rejected else { return }
        prompts += 1
        try forget()
    }

    /// Refreshes while no other process of the app does.
    private func refreshedHere(
        _ rejected: Token, by refresher: any TokenRefreshing, with refresh: String
    ) async -> Result<Token?, ClientFailure> {
        guard let lock = store.processLock else { return await refreshed(rejected, by: refresher, with: refresh) }
        let outcome = await lock.holding { await self.refreshed(rejected, by: refresher, with: refresh) }
        return outcome
            ?? .failure(ClientFailure(.unavailable, "another process has been refreshing the token for too long", mayHaveLeft: false))
    }

    private func refreshed(
        _ rejected: Token, by refresher: any TokenRefreshing, with refresh: String
    ) async -> Result<Token?, ClientFailure> {
        do throws(ClientFailure) {
            // Another process may have replaced or removed the token meanwhile.
            let current = try current()
            guard current == rejected else { return .success(current) }
            var new: Token
            do throws(ClientFailure) { new = try await refresher.refresh(refresh) } catch {
                guard isRejection(error) else { throw error }
                try discard(rejected)
                return .success(try self.current())
            }
            // RFC 6749 §6: without a new refresh token the old one remains valid.
            (new.refresh, new.owner) = (new.refresh ?? refresh, rejected.owner)
            guard isForgotten || store.holdsOther(than: rejected) else {
                unsaved = new
                return .success(try self.current())
            }
            // A customer signed in or out during the wait: that counts.
            await refresher.abandon(new)
            return .success(try self.current())
        } catch {
            return .failure(error)
        }
    }

    /// True for the bank's own rejection, RFC 6749 §5.2. A gateway's 400 or 403 does not count.
    private func isRejection(_ failure: ClientFailure) -> Bool {
        let final = ["invalid_grant", "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope"]
        return failure.error == .unauthorized || failure.problem.map(final.contains) ?? false
    }

    private func forget() throws(ClientFailure) {
        (isForgotten, unsaved) = (true, nil)
        try storing { () throws(StorageError) in try store.clear() }
        isForgotten = false
    }

    private func storing<Value>(_ body: () throws(StorageError) -> Value) throws(ClientFailure) -> Value {
        do throws(StorageError) { return try body() } catch {
            guard error.kind == .damaged || error.kind == .foreignKey else {
                throw ClientFailure(.unavailable, "the token's store: \(error)", mayHaveLeft: false)
            }
            if !hasReportedUnreadable { prompts += 1 }
            hasReportedUnreadable = true
            throw ClientFailure(.unauthorized, "the token's store: \(error); sign in again", mayHaveLeft: false)
        }
    }
}

extension TokenStore {
    /// True if another token, or none, has replaced this one; false if the store cannot be read.
    fileprivate func holdsOther(than token: Token) -> Bool {
        do { return try load() != token } catch { return false }
    }
}
