import BankClient
import BankModel
import Platform

/// Mistakes in how a token is renewed.
extension Mutant {
    static var renewals: [Mutant] {
        [
            Mutant(
                "renews-for-each", "refreshes the token once per rejected request",
                killedBy: ["auth.one-refresh-for-parallel-rejections"]
            ) { parts, _ in
                parts.caller.keeper = RenewsUnshared(parts, forgets: true)
            },
            Mutant(
                "keeps-after-refused-renewal", "keeps its tokens after a rejected refresh, and repeats it each time",
                killedBy: ["auth.refresh-refused-signs-out"]
            ) { parts, _ in
                parts.caller.keeper = RenewsUnshared(parts, forgets: false)
            },
            Mutant(
                "renewed-in-memory-only", "stores refreshed tokens in memory only, and the first ones on disk",
                killedBy: ["auth.refresh-rotation-persisted"]
            ) { parts, _ in
                parts.useStore(FirstTokenOnly(base: parts.store))
            },
            Mutant(
                "stores-old-refresh-token", "stores the new access token with the old refresh token",
                killedBy: ["auth.refresh-rotation-persisted"]
            ) { parts, _ in
                parts.useStore(OldRefreshToken(base: parts.store))
            },
        ]
    }
}

/// Renews by itself whenever it is asked, without waiting for anybody who renews already.
private struct RenewsUnshared: ForwardingKeeper {
    let base: any TokenKeeping
    private let bank: (any SigningInBank)?
    private let caller: BankCaller
    private let forgets: Bool

    /// - Parameter forgets: true if a rejected renewal signs out, as it should.
    init(_ parts: ClientParts, forgets: Bool) {
        base = parts.caller.keeper
        bank = parts.signing
        caller = parts.caller
        self.forgets = forgets
    }

    func replacement(for rejected: Token) async throws(ClientFailure) -> Token? {
        guard let bank, let refresh = rejected.refresh else { return try await base.replacement(for: rejected) }
        do throws(ClientFailure) {
            var token = try await bank.refresh(caller, refresh)
            token.owner = rejected.owner
            try await base.signIn(token)
            return token
        } catch {
            guard forgets else { throw ClientFailure(.unauthorized, error.detail, mayHaveLeft: true) }
            try await base.discard(rejected)
            return try await base.current()
        }
    }
}

private final class FirstTokenOnly: TokenStore {
    private let base: any TokenStore
    private let renewed = Locked<Token?>(nil)

    init(base: any TokenStore) { self.base = base }

    func load() throws(StorageError) -> Token? {
        if let token = renewed.withLock({ $0 }) { return token }
        return try base.load()
    }

    func save(_ token: Token) throws(StorageError) {
        if try base.load() == nil { try base.save(token) } else { renewed.withLock { $0 = token } }
    }

    func clear() throws(StorageError) {
        renewed.withLock { $0 = nil }
        try base.clear()
    }
}

private struct OldRefreshToken: TokenStore {
    let base: any TokenStore

    func load() throws(StorageError) -> Token? { try base.load() }
    func clear() throws(StorageError) { try base.clear() }
    func save(_ token: Token) throws(StorageError) {
        var token = token
        if let old = try base.load()?.refresh { token.refresh = old }
        try base.save(token)
    }
}
