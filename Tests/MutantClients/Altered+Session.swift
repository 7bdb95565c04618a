import BankClient
import BankModel

/// A token keeper with hooks.
struct AroundKeeper: ForwardingKeeper {
    let base: any TokenKeeping
    /// The token that is returned in place of the stored one.
    var returned: @Sendable (Token?) -> Token? = { $0 }
    /// Called whenever the token is requested, with the stored token.
    var asked: @Sendable (Token?) async -> Void = { _ in }
    /// Called after a sign-in.
    var signedIn: @Sendable (Token) async -> Void = { _ in }

    func current() async throws(ClientFailure) -> Token? {
        let token = try await base.current()
        await asked(token)
        return returned(token)
    }
    func signIn(_ token: Token) async throws(ClientFailure) {
        try await base.signIn(token)
        await signedIn(token)
    }
}

/// A keeper that leaves to another what it does not do itself.
protocol ForwardingKeeper: TokenKeeping {
    var base: any TokenKeeping { get }
}

extension ForwardingKeeper {
    func current() async throws(ClientFailure) -> Token? { try await base.current() }
    func signIn(_ token: Token) async throws(ClientFailure) { try await base.signIn(token) }
    func signOut() async throws(ClientFailure) -> Token? { try await base.signOut() }
    func replacement(for rejected: Token) async throws(ClientFailure) -> Token? { try await base.replacement(for: rejected) }
    func discard(_ rejected: Token) async throws(ClientFailure) { try await base.discard(rejected) }
    var prompts: Int { get async { await base.prompts } }
}

/// A store of tokens with something done after each change.
struct AroundStore: TokenStore {
    let base: any TokenStore
    var saved: @Sendable (Token) -> Void
    var cleared: @Sendable () -> Void = {}

    func load() throws(StorageError) -> Token? { try base.load() }
    func save(_ token: Token) throws(StorageError) {
        try base.save(token)
        saved(token)
    }
    func clear() throws(StorageError) {
        try base.clear()
        cleared()
    }
}

/// A bank's signing in with something done beside it.
struct AroundSigning: SigningInBank {
    let base: any SigningInBank
    /// Done before name and password are sent.
    var signingIn: @Sendable (_ user: String, _ password: String) -> Void = { _, _ in }
    /// Done when a renewed token has come.
    var renewed: @Sendable (Token) -> Void = { _ in }

    var name: String { base.name }
    var rules: any ResponseRules { base.rules }
    var usesTokens: Bool { base.usesTokens }

    func signIn(_ caller: BankCaller, user: String, password: String) async throws(ClientFailure) -> Token {
        signingIn(user, password)
        return try await base.signIn(caller, user: user, password: password)
    }

    func refresh(_ caller: BankCaller, _ refresh: String) async throws(ClientFailure) -> Token {
        let token = try await base.refresh(caller, refresh)
        renewed(token)
        return token
    }

    func revoke(_ caller: BankCaller, _ token: Token) async throws(ClientFailure) { try await base.revoke(caller, token) }
}

extension ClientParts {
    /// Does something beside each signing in and each renewal by the bank's own calls.
    mutating func aroundSigning(
        signingIn: @escaping @Sendable (_ user: String, _ password: String) -> Void = { _, _ in },
        renewed: @escaping @Sendable (Token) -> Void = { _ in }
    ) {
        signing = signing.map { AroundSigning(base: $0, signingIn: signingIn, renewed: renewed) }
        useStore(store)
    }

    /// Does something whenever a token was kept or removed.
    mutating func aroundStore(saved: @escaping @Sendable (Token) -> Void, cleared: @escaping @Sendable () -> Void = {}) {
        useStore(AroundStore(base: store, saved: saved, cleared: cleared))
    }
}
