import BankClient

/// A bank's calls to sign in, with something else done for a refresh or a revocation.
struct ChangedSigning: SigningInBank {
    typealias Refresh = @Sendable (_ caller: BankCaller, _ refresh: String, any SigningInBank) async throws(ClientFailure) -> Token
    typealias Revoke = @Sendable (_ caller: BankCaller, Token, any SigningInBank) async throws(ClientFailure) -> Void

    let base: any SigningInBank
    var refreshing: Refresh = { caller, refresh, base throws(ClientFailure) in try await base.refresh(caller, refresh) }
    var revoking: Revoke = { caller, token, base throws(ClientFailure) in try await base.revoke(caller, token) }

    var name: String { base.name }
    var rules: any ResponseRules { base.rules }
    var usesTokens: Bool { base.usesTokens }

    func signIn(_ caller: BankCaller, user: String, password: String) async throws(ClientFailure) -> Token {
        try await base.signIn(caller, user: user, password: password)
    }

    func refresh(_ caller: BankCaller, _ refresh: String) async throws(ClientFailure) -> Token {
        try await refreshing(caller, refresh, base)
    }

    func revoke(_ caller: BankCaller, _ token: Token) async throws(ClientFailure) { try await revoking(caller, token, base) }
}

extension ClientParts {
    /// Does something else for each refresh.
    mutating func refreshes(_ refreshing: @escaping ChangedSigning.Refresh) {
        signing = signing.map { ChangedSigning(base: $0, refreshing: refreshing) }
        useStore(store)
    }

    /// Does something else at each sign-out.
    mutating func revokes(_ revoking: @escaping ChangedSigning.Revoke) {
        signing = signing.map { ChangedSigning(base: $0, revoking: revoking) }
        useStore(store)
    }
}
